package replies

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
)

// Mailboxes read replies. All members are required but TLS and Nudge.
type Mailboxes struct {
	DB      store.DB
	Clock   clock.Source
	Machine clock.Clock
	People  *people.People
	Secret  []byte
	Keys    seal.Keys // of what is sealed; none is the secret
	Dial    Dial
	TLS     *tls.Config // whose certificates are believed; nil is the system's
	Logger  *slog.Logger
	Nudge   func(kind string)
}

// Mailbox is a workspace's, as its people see it.
type Mailbox struct {
	Host, Security, Username, Folder, Address string

	Port      int
	Active    bool
	CheckedAt *time.Time
	Said      string // why the last look failed
}

// Input is a mailbox as people enter it. Password nil keeps the one there is.
type Input struct {
	Mailbox

	Password *string
}

const passwords = "lejek mailbox passwords"

// Sealed are the columns of secrets that are ours.
var Sealed = []seal.Column{{Table: "mailboxes", Column: "secret", Purpose: passwords, Owner: "uuid_send(workspace_id)"}}

func (in *Input) check() error {
	var wrong []fault.Field
	add := func(path, message string) { wrong = append(wrong, fault.Field{Path: path, Message: message}) }
	in.Host, in.Username, in.Folder = strings.TrimSpace(in.Host), strings.TrimSpace(in.Username), cmp.Or(strings.TrimSpace(in.Folder), "INBOX")
	if in.Host == "" || len(in.Host) > 253 || strings.ContainsAny(in.Host, " /@:\r\n") {
		add("host", "Enter the name of the mail server, such as imap.example.com.")
	}
	if in.Port < 1 || in.Port > 65535 {
		add("port", "Enter the port of the mail server: 993 with TLS, 143 with STARTTLS.")
	}
	if in.Security != "tls" && in.Security != "starttls" && in.Security != "none" {
		add("security", "Choose tls, starttls or none.")
	}
	if in.Username == "" {
		add("username", "Enter the name to sign in with; often it is the address.")
	}
	_, folded, err := people.Email(in.Address)
	if err != nil || strings.Contains(folded, "+") {
		add("address", "Enter the address of the mailbox, such as replies@example.com, without a plus.")
	}
	in.Address = folded
	return fault.InvalidFields(wrong)
}

// Save keeps the mailbox. Another server, or another name, needs the password anew: what was entered for one is not told to another.
func (m *Mailboxes) Save(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) error {
	if err := in.check(); err != nil {
		return err
	}
	var sealed []byte
	var host, username string
	err := tx.QueryRow(ctx, "SELECT host, username, secret FROM mailboxes WHERE workspace_id = $1 FOR UPDATE", workspace).Scan(&host, &username, &sealed)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("read the mailbox: %w", err)
	}
	if host != in.Host || username != in.Username {
		sealed = nil
	}
	if in.Password != nil && *in.Password != "" {
		if sealed, err = seal.New(m.Keys.Or(m.Secret), passwords).Seal(workspace[:], *in.Password); err != nil {
			return err
		}
	}
	if sealed == nil {
		return fault.InvalidField("password", "Enter the password of the mailbox.")
	}
	_, err = tx.Exec(ctx, `INSERT INTO mailboxes AS b (workspace_id, host, port, security, username, secret, folder, address, active, next_check_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (workspace_id) DO UPDATE SET host = excluded.host, port = excluded.port, security = excluded.security, username = excluded.username,
			secret = excluded.secret, folder = excluded.folder, address = excluded.address, active = excluded.active, next_check_at = excluded.next_check_at, last_error = '',
			uid_validity = CASE WHEN (b.host, b.username, b.folder) = (excluded.host, excluded.username, excluded.folder) THEN b.uid_validity ELSE 0 END`,
		workspace, in.Host, in.Port, in.Security, in.Username, sealed, in.Folder, in.Address, in.Active, m.Machine.Now())
	if err != nil {
		return fmt.Errorf("save the mailbox: %w", err)
	}
	return nil
}

// Delete takes the mailbox away.
func (m *Mailboxes) Delete(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	if _, err := tx.Exec(ctx, "DELETE FROM mailboxes WHERE workspace_id = $1", workspace); err != nil {
		return fmt.Errorf("remove the mailbox: %w", err)
	}
	return nil
}

// Get is the workspace's mailbox; ok is false if there is none.
func (m *Mailboxes) Get(ctx context.Context, db store.DB, workspace uuid.UUID) (box Mailbox, ok bool, err error) {
	err = db.QueryRow(ctx, "SELECT host, port, security, username, folder, address, active, checked_at, last_error FROM mailboxes WHERE workspace_id = $1", workspace).
		Scan(&box.Host, &box.Port, &box.Security, &box.Username, &box.Folder, &box.Address, &box.Active, &box.CheckedAt, &box.Said)
	if errors.Is(err, pgx.ErrNoRows) {
		return box, false, nil
	}
	if err != nil {
		return box, false, fmt.Errorf("read the mailbox: %w", err)
	}
	return box, true, nil
}

// Test opens the saved mailbox and says what it found, or why it could not.
func (m *Mailboxes) Test(ctx context.Context, workspace uuid.UUID) (said string, ok bool, err error) {
	var a account
	var sealed []byte
	err = m.DB.QueryRow(ctx, "SELECT host, port, security, username, secret, folder FROM mailboxes WHERE workspace_id = $1", workspace).
		Scan(&a.host, &a.port, &a.security, &a.username, &sealed, &a.folder)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, fault.New(fault.Conflict, "No mailbox is set up. Save one first.")
	}
	if err != nil {
		return "", false, fmt.Errorf("read the mailbox: %w", err)
	}
	if a.password, err = seal.New(m.Keys.Or(m.Secret), passwords).Open(workspace[:], sealed); err != nil {
		return err.Error(), false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit/3)
	defer cancel()
	open, err := a.open(ctx, m.Dial, m.TLS)
	if err != nil {
		return store.Text(err.Error(), 500), false, nil
	}
	defer open.close()
	return fmt.Sprintf("%s: %d", a.folder, open.messages), true, nil
}

// AddressOf is where answers to a message go, "" if the workspace reads none.
func (m *Mailboxes) AddressOf(ctx context.Context, workspace, message uuid.UUID) (string, error) {
	box, ok, err := m.Get(ctx, m.DB, workspace)
	if err != nil || !ok || !box.Active {
		return "", err
	}
	return delivery.NewReplies(m.Secret).Address(box.Address, workspace, message), nil
}
