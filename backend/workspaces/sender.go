package workspaces

import (
	"context"
	"errors"
	"net/mail"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
)

// Sender is an address messages leave from. Slug "" is made of the address.
type Sender struct {
	Slug    string
	Name    string
	Email   string
	ReplyTo string
	Default bool
}

var slugShape = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)

// PutSender makes a sender or changes the one with the slug. Whoever may write senders vouches for the address: it counts as verified. The
// first sender is the default one.
func PutSender(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Sender) (store.Sender, error) {
	if in.Slug == "" {
		in.Slug = slug.Of(in.Email, MainSender)
	}
	if err := checkSender(in); err != nil {
		return store.Sender{}, err
	}
	others, err := store.Q.Senders(ctx, tx, workspace)
	if err != nil {
		return store.Sender{}, fault.Wrap(err, "list senders")
	}
	in.Default = in.Default || len(others) == 0
	if in.Default {
		if err := store.Q.ClearDefaultSender(ctx, tx, workspace); err != nil {
			return store.Sender{}, fault.Wrap(err, "change the default sender")
		}
	}
	row, err := store.Q.PutSender(ctx, tx, store.PutSenderParams{
		WorkspaceID: workspace, Slug: in.Slug, Name: strings.TrimSpace(in.Name), Email: in.Email, ReplyTo: in.ReplyTo,
		VerifiedAt: &tx.Now, IsDefault: in.Default, Now: tx.Now,
	})
	return row, fault.Wrap(err, "save a sender")
}

// GetSender is one sender.
func GetSender(ctx context.Context, db store.DB, workspace uuid.UUID, name string) (store.Sender, error) {
	row, err := store.Q.Sender(ctx, db, store.SenderParams{WorkspaceID: workspace, Slug: name})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, fault.New(fault.NotFound, "There is no sender %q.", name)
	}
	return row, fault.Wrap(err, "read a sender")
}

// DeleteSender takes a sender away; steps that name it are then left with a broken reference, which the validator tells. The default one
// stays.
func DeleteSender(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string) error {
	row, err := GetSender(ctx, tx, workspace, name)
	if err != nil {
		return err
	}
	if row.IsDefault {
		return fault.New(fault.Conflict, "%q is the default sender. Make another one the default first.", name)
	}
	_, err = store.Q.DeleteSender(ctx, tx, store.DeleteSenderParams{WorkspaceID: workspace, Slug: name})
	return fault.Wrap(err, "delete a sender")
}

func checkSender(in Sender) error {
	var fields []fault.Field
	if !slugShape.MatchString(in.Slug) {
		fields = append(fields, fault.Field{Path: "slug", Message: "Use small letters, digits, - and _ for the slug."})
	}
	if !address(in.Email) {
		fields = append(fields, fault.Field{Path: "email", Message: "This is not an e-mail address. Expected something like hello@example.com."})
	}
	if in.ReplyTo != "" && !address(in.ReplyTo) {
		fields = append(fields, fault.Field{Path: "reply_to", Message: "This is not an e-mail address. Expected something like hello@example.com."})
	}
	if strings.ContainsAny(in.Name, "\r\n\x00") || utf8.RuneCountInString(in.Name) > maxName {
		fields = append(fields, fault.Field{Path: "name", Message: "The name may not hold line breaks, nor more than 200 characters."})
	}
	return fault.InvalidFields(fields)
}

func address(text string) bool {
	parsed, err := mail.ParseAddress(text)
	return err == nil && parsed.Address == text && !strings.ContainsAny(text, "\r\n\x00")
}
