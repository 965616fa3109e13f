package workspaces

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// maxOutbox is how many minutes marketing can stay in the outbox: longer than that it could expire there.
const maxOutbox = 720

// MainSender is the slug of the sender a workspace starts with.
const MainSender = "main"

// Input is what a new workspace shall be. Zone "" is UTC, Language "" is en, Currency "" is EUR.
type Input struct {
	Name     string
	Zone     string
	Language string
	Currency string
	Email    string // of its first sender
}

// Create makes a workspace in the sandbox, with one sender: whoever makes it.
func Create(ctx context.Context, tx store.Tx, in Input) (store.Workspace, error) {
	in.Name = strings.TrimSpace(in.Name)
	in.Zone, in.Language, in.Currency = orElse(in.Zone, "UTC"), orElse(in.Language, "en"), orElse(in.Currency, "EUR")
	if err := check(in.Name, in.Zone, in.Language, in.Currency, ""); err != nil {
		return store.Workspace{}, err
	}
	free, err := freeSlug(ctx, tx, in.Name)
	if err != nil {
		return store.Workspace{}, err
	}
	id := store.NewID()
	err = store.Q.InsertWorkspace(ctx, tx, store.InsertWorkspaceParams{
		ID: id, Slug: free, Name: in.Name, Zone: in.Zone, Language: in.Language, Currency: in.Currency, SendingMode: "sandbox", Now: tx.Now,
	})
	if err != nil {
		return store.Workspace{}, fault.Wrap(err, "make a workspace")
	}
	if in.Email != "" {
		sender := Sender{Slug: MainSender, Name: in.Name, Email: in.Email, Default: true}
		if _, err := PutSender(ctx, tx, id, sender); err != nil {
			return store.Workspace{}, err
		}
	}
	return Get(ctx, tx, id)
}

// Get is one workspace.
func Get(ctx context.Context, db store.DB, id uuid.UUID) (store.Workspace, error) {
	workspace, err := store.Q.Workspace(ctx, db, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return workspace, fault.New(fault.NotFound, "There is no such workspace.")
	}
	return workspace, fault.Wrap(err, "read a workspace")
}

// Patch are the settings to change; nil leaves one as it is.
type Patch struct {
	Name                *string
	Zone                *string
	Language            *string
	Currency            *string
	Address             *string
	AllowUnknownConsent *bool
	RespectDoNotTrack   *bool
	Tracking            *bool   // opens and clicks of e-mail
	ShortLinks          *bool   // in texts for a phone
	SendingMode         *string // sandbox or live
	QuietHours          *[]engine.QuietHours
	OutboxMinutes       *int32                 // how long marketing can be seen before it leaves
	FrequencyCaps       *map[string]engine.Cap // by channel; none for a channel that is left out
}

// Update changes settings.
func Update(ctx context.Context, tx store.Tx, id uuid.UUID, patch Patch) (store.Workspace, error) {
	now, err := Get(ctx, tx, id)
	if err != nil {
		return now, err
	}
	before := now.Zone
	set(&now.Name, patch.Name)
	set(&now.Zone, patch.Zone)
	set(&now.Language, patch.Language)
	set(&now.Currency, patch.Currency)
	set(&now.PostalAddress, patch.Address)
	set(&now.AllowUnknownConsent, patch.AllowUnknownConsent)
	set(&now.RespectDoNotTrack, patch.RespectDoNotTrack)
	set(&now.Tracking, patch.Tracking)
	set(&now.ShortLinks, patch.ShortLinks)
	set(&now.SendingMode, patch.SendingMode)
	set(&now.OutboxMinutes, patch.OutboxMinutes)
	if now.OutboxMinutes < 0 || now.OutboxMinutes > maxOutbox {
		return now, fault.InvalidField("outbox_minutes", "Messages can stay in the outbox for 0 to %d minutes.", maxOutbox)
	}
	now.Name = strings.TrimSpace(now.Name)
	if err := check(now.Name, now.Zone, now.Language, now.Currency, now.PostalAddress); err != nil {
		return now, err
	}
	if err := restrain(&now, patch); err != nil {
		return now, err
	}
	row, err := store.Q.UpdateWorkspace(ctx, tx, store.UpdateWorkspaceParams{
		ID: id, Name: now.Name, Zone: now.Zone, Language: now.Language, Currency: now.Currency, SendingMode: now.SendingMode,
		AllowUnknownConsent: now.AllowUnknownConsent, RespectDoNotTrack: now.RespectDoNotTrack, Tracking: now.Tracking, ShortLinks: now.ShortLinks,
		PostalAddress: strings.TrimSpace(now.PostalAddress), QuietHours: now.QuietHours, FrequencyCaps: now.FrequencyCaps, OutboxMinutes: now.OutboxMinutes, Now: tx.Now,
	})
	if err == nil && row.Zone != before {
		err = rezone(ctx, tx, id)
	}
	return row, fault.Wrap(err, "change a workspace")
}

// rezone has the runs of people without a zone of their own look again when their waits end.
func rezone(ctx context.Context, tx store.Tx, id uuid.UUID) error {
	_, err := tx.Exec(ctx, `UPDATE runs r SET wake_at = $2 FROM contacts c
		WHERE r.workspace_id = $1 AND r.status = 'active' AND r.wake_at > $2 AND c.workspace_id = r.workspace_id AND c.id = r.contact_id AND c.zone = ''`, id, tx.Now)
	return err
}

// Pause holds everything back that has not left; it says nothing when that is so already.
func Pause(ctx context.Context, tx store.Tx, id uuid.UUID) (store.Workspace, error) {
	if err := store.Q.PauseSending(ctx, tx, store.PauseSendingParams{ID: id, Now: &tx.Now}); err != nil {
		return store.Workspace{}, fault.Wrap(err, "pause sending")
	}
	return Get(ctx, tx, id)
}

// Resume lets messages leave again.
func Resume(ctx context.Context, tx store.Tx, id uuid.UUID) (store.Workspace, error) {
	if err := store.Q.ResumeSending(ctx, tx, store.ResumeSendingParams{ID: id, Now: tx.Now}); err != nil {
		return store.Workspace{}, fault.Wrap(err, "resume sending")
	}
	return Get(ctx, tx, id)
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

// Longest texts, in characters.
const (
	maxName    = 200
	maxAddress = 500
)

func check(name, zone, language, money, postal string) error {
	var fields []fault.Field
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		fields = append(fields, fault.Field{Path: "name", Message: "Name the workspace."})
	case n > maxName:
		fields = append(fields, fault.Field{Path: "name", Message: fmt.Sprintf("The name is too long: at most %d characters.", maxName)})
	}
	if utf8.RuneCountInString(postal) > maxAddress {
		fields = append(fields, fault.Field{Path: "address", Message: fmt.Sprintf("The address is too long: at most %d characters.", maxAddress)})
	}
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		fields = append(fields, fault.Field{Path: "zone", Message: fmt.Sprintf("There is no time zone %q. Expected a name such as Europe/Warsaw.", zone)})
	}
	if language != "en" && language != "pl" && language != "ru" {
		fields = append(fields, fault.Field{Path: "language", Message: fmt.Sprintf("There is no language %q. Expected en, pl or ru.", language)})
	}
	if !currency.MatchString(money) {
		fields = append(fields, fault.Field{Path: "currency", Message: fmt.Sprintf("%q is not a currency. Expected three letters such as PLN.", money)})
	}
	return fault.InvalidFields(fields)
}

// freeSlug is a slug made of the name that no other workspace has.
func freeSlug(ctx context.Context, tx store.Tx, name string) (string, error) {
	base := slug.Of(name, "workspace")
	for n := 1; ; n++ {
		free := base
		if n > 1 {
			free = fmt.Sprintf("%s-%d", base, n)
		}
		_, err := store.Q.WorkspaceBySlug(ctx, tx, free)
		if errors.Is(err, pgx.ErrNoRows) {
			return free, nil
		}
		if err != nil {
			return "", fault.Wrap(err, "look for a free slug")
		}
	}
}

func orElse(value, other string) string {
	if value == "" {
		return other
	}
	return value
}

func set[T any](value *T, to *T) {
	if to != nil {
		*value = *to
	}
}
