package forms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
)

// letterWords are the texts of the confirmation mail.
type letterWords struct{ subject, hello, button, ignore string }

var letters = map[string]letterWords{
	"en": {"Please confirm your address", "Somebody, probably you, filled in a form of %s with this address. Please confirm that it was you.", "Confirm", "If it was not you, do nothing: you will hear nothing more."},
	"pl": {"Potwierdź swój adres", "Ktoś, zapewne Ty, wypełnił formularz %s, podając ten adres. Potwierdź, że to Ty.", "Potwierdzam", "Jeśli to nie Ty, nie rób nic: nie napiszemy więcej."}, //nolint:misspell // Polish
	"ru": {"Подтвердите свой адрес", "Кто-то, скорее всего вы, заполнил форму %s и указал этот адрес. Подтвердите, что это были вы.", "Подтвердить", "Если это были не вы, ничего не делайте: больше мы не напишем."},
}

// ConfirmURL is the link of a confirmation mail.
func (f *Forms) ConfirmURL(token string) string { return f.BaseURL + "/f/confirm/" + token }

// ask writes the mail with the link.
func (s *submission) ask(ctx context.Context, contact store.Contact) error {
	settings, err := store.Q.Workspace(ctx, s.tx, s.form.WorkspaceID)
	if err != nil {
		return fault.Wrap(err, "read the workspace")
	}
	words, ok := letters[s.call.Language]
	if !ok {
		words = letters[settings.Language]
	}
	until := s.tx.Now.Add(confirmLife)
	link := s.ConfirmURL(s.Key.Make(signed.Confirm, signed.Token{First: s.form.WorkspaceID, Second: s.row.ID, At: until}))
	hello := fmt.Sprintf(words.hello, settings.Name)
	text := hello + "\n\n" + words.button + ": " + link + "\n\n" + words.ignore + "\n"
	page := `<!doctype html><meta charset="utf-8"><body style="font:16px/1.5 sans-serif;color:#1c1f26;max-width:32rem;margin:2rem auto;padding:0 1rem"><p>` +
		html.EscapeString(hello) + `</p><p><a href="` + html.EscapeString(link) + `" style="display:inline-block;padding:.7rem 1.4rem;border-radius:8px;background:#2f5bea;color:#fff;text-decoration:none">` +
		html.EscapeString(words.button) + `</a></p><p style="color:#5b6472">` + html.EscapeString(words.ignore) + `</p></body>`
	to := ""
	if contact.Email != nil {
		to = *contact.Email
	}
	_, err = delivery.Enqueue(ctx, s.tx, delivery.Notice{
		Workspace: s.form.WorkspaceID, Contact: contact.ID, To: to, Subject: words.subject + " · " + settings.Name, HTML: page, Text: text,
		Links: []delivery.Link{{URL: link, Label: words.button}}, Expires: until, Origin: delivery.OriginForm + s.form.Slug,
	})
	return err
}

// Pending is what a confirmation link is about. Done says that it was confirmed before.
type Pending struct {
	Form store.Form
	For  string // what the address is for, as the person knows it: the topic, the list or the workspace, never the form's own name
	Done bool
}

func gone(err error) error {
	return fault.New(fault.NotFound, "This link does not work any more. Please fill in the form again.").WithErr(err)
}

// Look reads a confirmation link and changes nothing.
func (f *Forms) Look(ctx context.Context, token string) (Pending, error) {
	row, form, err := f.read(ctx, f.DB, token)
	if err != nil {
		return Pending{}, err
	}
	if row.State != Confirmed && f.over(token) {
		return Pending{}, gone(nil)
	}
	pending := Pending{Form: form, Done: row.State == Confirmed}
	pending.For, err = f.offer(ctx, form)
	return pending, err
}

// offer is what people ask for with a form, by the name they know.
func (f *Forms) offer(ctx context.Context, form store.Form) (string, error) {
	topics, err := store.Q.Topics(ctx, f.DB, form.WorkspaceID)
	if err != nil {
		return "", fault.Wrap(err, "read the topics")
	}
	for _, topic := range topics {
		if topic.Slug == form.ConsentTopic && topic.Name != "" {
			return topic.Name, nil
		}
	}
	lists, err := store.Q.Lists(ctx, f.DB, form.WorkspaceID)
	if err != nil {
		return "", fault.Wrap(err, "read the lists")
	}
	for _, list := range lists {
		if list.Slug == form.List && list.Name != "" {
			return list.Name, nil
		}
	}
	settings, err := store.Q.Workspace(ctx, f.DB, form.WorkspaceID)
	return settings.Name, fault.Wrap(err, "read the workspace")
}

func (f *Forms) over(token string) bool {
	said, err := f.Key.Read(signed.Confirm, token)
	return err != nil || f.Clock.Now().After(said.At)
}

func (f *Forms) read(ctx context.Context, db store.DB, token string) (row store.FormSubmission, form store.Form, err error) {
	said, err := f.Key.Read(signed.Confirm, token)
	if err != nil {
		return row, form, gone(err)
	}
	row, err = store.Q.Submission(ctx, db, store.SubmissionParams{WorkspaceID: said.First, ID: said.Second})
	if err == nil {
		form, err = store.Q.PublicForm(ctx, db, row.FormID)
	}
	if errors.Is(err, pgx.ErrNoRows) || err == nil && (row.State == Spam || row.ContactID == nil) {
		return row, form, gone(err)
	}
	return row, form, fault.Wrap(err, "read a submission")
}

// Confirm lets the answers count as the person's own word. Confirming twice is fine. Nudge the pumps "inbox" and "wake" afterwards.
func (f *Forms) Confirm(ctx context.Context, token string, call Call) (Answer, error) {
	if _, err := f.Look(ctx, token); err != nil {
		return Answer{}, err
	}
	return store.InTxV(ctx, f.DB, f.Clock, func(tx store.Tx) (Answer, error) {
		row, form, err := f.read(ctx, tx, token)
		if err != nil {
			return Answer{}, err
		}
		contact, err := f.People.In(tx).Get(ctx, form.WorkspaceID, *row.ContactID) // who took them in, after a merge
		if err != nil {
			return Answer{}, err
		}
		if _, err := store.Q.LockContacts(ctx, tx, store.LockContactsParams{WorkspaceID: form.WorkspaceID, Ids: []uuid.UUID{contact.ID}}); err != nil {
			return Answer{}, fault.Wrap(err, "lock a person")
		}
		if row, err = store.Q.LockSubmission(ctx, tx, store.LockSubmissionParams{WorkspaceID: form.WorkspaceID, ID: row.ID}); err != nil {
			return Answer{}, fault.Wrap(err, "read a submission")
		}
		if contact.ErasedAt != nil {
			return Answer{}, gone(nil)
		}
		if row.State == Confirmed {
			return answerOf(form, row), nil
		}
		if err := f.accept(ctx, tx, form, row, contact, call); err != nil {
			return Answer{}, err
		}
		row.State = Confirmed
		return answerOf(form, row), nil
	})
}

func (f *Forms) accept(ctx context.Context, tx store.Tx, form store.Form, row store.FormSubmission, contact store.Contact, call Call) error {
	fields, err := FieldsOf(form)
	if err != nil {
		return err
	}
	s := submission{Forms: f, tx: tx, form: form, fields: fields, answers: map[string]any{}, call: call, row: store.InsertSubmissionParams{
		ID: row.ID, Consented: row.Consented, ConsentText: row.ConsentText, At: row.At, IpHash: row.IpHash,
	}}
	if err := json.Unmarshal(row.Answers, &s.answers); err != nil {
		return fmt.Errorf("answers of submission %s: %w", row.ID, err)
	}
	err = store.Q.ConfirmSubmission(ctx, tx, store.ConfirmSubmissionParams{WorkspaceID: form.WorkspaceID, ID: row.ID, ContactID: &contact.ID, Now: &tx.Now})
	if err != nil {
		return fmt.Errorf("confirm a submission: %w", err)
	}
	if err := s.appear(ctx, contact); err != nil {
		return err
	}
	if err := s.change(ctx, contact, true); err != nil {
		return err
	}
	if row.VisitorID != nil {
		if err := f.Visitors.Attach(ctx, tx, form.WorkspaceID, *row.VisitorID, contact.ID); err != nil {
			return err
		}
	}
	return s.tell(ctx, contact.ID)
}

// appear tells of somebody whom a form made and who has not been told of: only a confirmed person has appeared.
func (s *submission) appear(ctx context.Context, contact store.Contact) error {
	if !strings.HasPrefix(contact.Source, "form:") {
		return nil
	}
	var told bool
	err := s.tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM event_rollups WHERE workspace_id = $1 AND contact_id = $2 AND name = 'contact_created')
		OR EXISTS (SELECT 1 FROM inbox WHERE workspace_id = $1 AND contact_id = $2 AND name = 'contact_created')`, contact.WorkspaceID, contact.ID).Scan(&told)
	if err != nil || told {
		return fault.Wrap(err, "look for the beginning of a person")
	}
	return events.Post(ctx, s.tx, contact.WorkspaceID, 0, events.Posting{Contact: contact.ID, Name: "contact_created", Props: map[string]any{"source": contact.Source}})
}

// fieldsPrefix is how the checks of people name custom fields.
const fieldsPrefix = "fields."

// without takes the named fields out of what is said about a person; false when there was none of them.
func without(in *people.Input, wrong []fault.Field) bool {
	before := len(in.Fields)
	for _, field := range wrong {
		key := strings.TrimPrefix(field.Path, fieldsPrefix)
		delete(in.Fields, key)
	}
	return len(in.Fields) < before
}
