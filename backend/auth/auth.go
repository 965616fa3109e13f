package auth

import (
	"context"
	"log/slog"
	"net/mail"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// How long things last.
const (
	SessionIdle     = 12 * time.Hour      // without a request
	SessionLife     = 30 * 24 * time.Hour // however much it is used
	InvitationLife  = 7 * 24 * time.Hour
	ResetLife       = time.Hour
	mailLimit       = time.Minute
	seenResolution  = time.Minute // seen_at and last_used_at are written no more often
	minPassword     = 10
	maxPassword     = 200
	maxEmail        = 320
	maxName         = 200
	defaultLanguage = "en"
)

// Mailer sends one plain mail of the installation itself, such as a reset link.
type Mailer interface {
	SendPlain(ctx context.Context, to, subject, text string) error
}

// Options of New. Mail may be nil: then links are handed over by administrators.
type Options struct {
	DB      store.DB
	Machine clock.Clock // real time: sessions and links do not follow a demo's clock
	BaseURL string      // of links, without a trailing slash
	Mail    Mailer
	Logger  *slog.Logger // nil is slog.Default()
}

// Auth answers who somebody is and what they may do.
type Auth struct {
	db      store.DB
	machine clock.Clock
	base    string
	mail    Mailer
	log     *slog.Logger
	hashing chan struct{} // one token per password hashed at the same time
	later   sync.WaitGroup
}

// New is an Auth over a database.
func New(options Options) *Auth {
	log := options.Logger
	if log == nil {
		log = slog.Default()
	}
	return &Auth{
		db: options.DB, machine: options.Machine, base: options.BaseURL, mail: options.Mail, log: log,
		hashing: make(chan struct{}, hashers),
	}
}

func (a *Auth) now() time.Time { return clock.Micro(a.machine.Now()) }

// inTx runs body in a transaction whose instant is machine time.
func (a *Auth) inTx(ctx context.Context, body func(tx store.Tx) error) error {
	return store.InTx(ctx, a.db, a.machine, body)
}

// Fold is an address as it is compared: composed, without surrounding space, without case.
func Fold(email string) string {
	return cases.Fold().String(norm.NFC.String(strings.TrimSpace(email)))
}

func checkEmail(email string) (string, error) {
	email = strings.TrimSpace(email)
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Address != email || len(email) > maxEmail {
		return "", fault.InvalidField("email", "%q is not an e-mail address. Expected something like anna@example.com.", email)
	}
	return email, nil
}

// checkName answers the name without surrounding space.
func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxName {
		return "", fault.InvalidField("name", "The name is too long: at most %d characters.", maxName)
	}
	return name, nil
}

func checkLanguage(language string) error {
	if language != "en" && language != "pl" && language != "ru" {
		return fault.InvalidField("language", "There is no language %q. Expected en, pl or ru.", language)
	}
	return nil
}

func checkPassword(password string) error {
	switch {
	case len([]rune(password)) < minPassword:
		return fault.InvalidField("password", "The password is too short. Use at least %d characters.", minPassword)
	case len(password) > maxPassword:
		return fault.InvalidField("password", "The password is too long. Use at most %d bytes.", maxPassword)
	}
	return nil
}

func checkRole(role Role) error {
	if !role.Known() {
		return fault.InvalidField("role", "There is no role %q. Expected viewer, marketer, approver, operator or admin.", string(role))
	}
	return nil
}
