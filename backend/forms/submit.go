package forms

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/limits"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// States of a submission.
const (
	Received  = "received"
	Confirmed = "confirmed"
	Spam      = "spam"
)

const (
	fillTime    = 2 * time.Second // people need at least that
	fillLife    = 24 * time.Hour  // and at most that
	confirmLife = 7 * 24 * time.Hour
)

var (
	perAddress = limits.Rate{Every: 6 * time.Second, Burst: 10}        // of one network address and form
	perForm    = limits.Rate{Every: 20 * time.Millisecond, Burst: 500} // of everybody
	perMailbox = limits.Rate{Every: 24 * time.Hour, Burst: 1}          // confirmation mails of one form
	perPerson  = limits.Rate{Every: 8 * time.Hour, Burst: 3}           // confirmation mails of a workspace
)

// Call is how a body came.
type Call struct {
	IP       string
	Origin   string // of the page, as the browser says; "" is no browser, or our own page
	Language string // en, pl, ru
	Trusted  bool   // it carries a write-only key of the form's workspace
}

// Answer is what became of a submission. Spam answers like any other.
type Answer struct {
	Submission uuid.UUID
	State      string // received: a mail is on its way
	Redirect   string
	Thanks     string
}

// Shown is a token for a form that is being shown now.
func (f *Forms) Shown(form uuid.UUID) string {
	return f.Key.Make(signed.Fill, signed.Token{First: form, Second: uuid.New(), At: f.Machine.Now()})
}

// Allows tells whether a page of the origin may send the form.
func (f *Forms) Allows(form store.Form, origin string) bool {
	origin = strings.ToLower(origin)
	return origin == "" || origin == strings.ToLower(f.BaseURL) || slices.Contains(form.AllowedOrigins, origin)
}

// Admit refuses a request before its body is read: too often, or from a page that may not.
func (f *Forms) Admit(ctx context.Context, form store.Form, call Call) error {
	if !f.Allows(form, call.Origin) {
		return fault.New(fault.Forbidden, "Pages of %s may not send this form. Add the site to its allowed origins.", short(call.Origin))
	}
	if err := f.Limits.Take(ctx, "form:"+form.ID.String()+":"+f.hash("ip", call.IP), perAddress); err != nil {
		return err
	}
	return f.Limits.Take(ctx, "form:"+form.ID.String(), perForm)
}

func (f *Forms) hash(what, text string) string { return hex.EncodeToString(f.Key.Hash(what, text)) }

// Submit takes answers in. Nudge the pumps "inbox", "deliver" and "wake" afterwards.
func (f *Forms) Submit(ctx context.Context, form store.Form, sent Sent, call Call) (Answer, error) {
	fields, err := FieldsOf(form)
	if err != nil {
		return Answer{}, err
	}
	if sent.Honeypot != "" {
		return f.keepSpam(ctx, form, sent, call)
	}
	if err := f.checkShown(form, sent, call); err != nil {
		return Answer{}, err
	}
	answers, err := judge(fields, sent, form.ConsentRequired)
	if err != nil {
		return Answer{}, err
	}
	mail := false
	if form.DoubleOptIn {
		if mail, err = f.mayMail(ctx, form, addressOf(fields, answers)); err != nil {
			return Answer{}, err
		}
	}
	return store.InTxV(ctx, f.DB, f.Clock, func(tx store.Tx) (Answer, error) {
		row := submissionOf(form, sent, call, tx.Now)
		row.IpHash = f.Key.Hash("ip", call.IP)
		if row.Answers, err = json.Marshal(answers); err != nil {
			return Answer{}, fmt.Errorf("keep answers: %w", err)
		}
		if earlier, found, err := f.earlier(ctx, tx, form, sent.Key); found || err != nil {
			return answerOf(form, earlier), err
		}
		s := submission{Forms: f, tx: tx, form: form, fields: fields, answers: answers, row: row, call: call}
		if form.DoubleOptIn {
			err = s.wait(ctx, mail)
		} else {
			err = s.count(ctx)
		}
		return answerOf(form, store.FormSubmission{ID: s.row.ID, State: s.row.State}), err
	})
}

// checkShown judges the token that says when the form was shown. A program with a key of the workspace needs none.
func (f *Forms) checkShown(form store.Form, sent Sent, call Call) error {
	if sent.Token == "" && call.Trusted {
		return nil
	}
	token, err := f.Key.Read(signed.Fill, sent.Token)
	if err != nil || token.First != form.ID {
		return fault.InvalidField(memberToken, "This form was not shown by us. Load the page again and send it from there; programs send a write-only key.")
	}
	switch since := f.Machine.Now().Sub(token.At); {
	case since < fillTime:
		return fault.InvalidField(memberToken, "That was very quick. Please wait a moment and send it again.")
	case since > fillLife:
		return fault.InvalidField(memberToken, "This page has been open for very long. Please load it again.")
	}
	return nil
}

func addressOf(fields []Field, answers map[string]any) string {
	for _, field := range fields {
		if field.maps() == "email" {
			text, _ := answers[field.Key].(string)
			_, folded, err := people.Email(text)
			if err == nil {
				return folded
			}
		}
	}
	return ""
}

// mayMail tells whether the mailbox gets another mail: nobody can be flooded by having their address typed in.
func (f *Forms) mayMail(ctx context.Context, form store.Form, address string) (bool, error) {
	hashed := f.hash("mailbox", form.WorkspaceID.String()+address)
	for key, rate := range map[string]limits.Rate{"mail:" + form.ID.String() + ":" + hashed: perMailbox, "mail:" + hashed: perPerson} {
		err := f.Limits.Take(ctx, key, rate)
		if fault.CodeOf(err) == fault.RateLimited {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

func submissionOf(form store.Form, sent Sent, call Call, now time.Time) store.InsertSubmissionParams {
	row := store.InsertSubmissionParams{
		WorkspaceID: form.WorkspaceID, ID: store.NewID(), FormID: form.ID, Consented: sent.Consent && form.ConsentText != "", ConsentText: form.ConsentText,
		Language: call.Language, Origin: call.Origin, At: now,
	}
	if sent.Key != "" {
		row.Key = &sent.Key
	}
	if sent.Visitor != uuid.Nil {
		row.VisitorID = &sent.Visitor
	}
	return row
}

func (f *Forms) earlier(ctx context.Context, tx store.Tx, form store.Form, key string) (store.FormSubmission, bool, error) {
	if key == "" {
		return store.FormSubmission{}, false, nil
	}
	row, err := store.Q.SubmissionByKey(ctx, tx, store.SubmissionByKeyParams{WorkspaceID: form.WorkspaceID, FormID: form.ID, Key: &key})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, false, nil
	}
	return row, err == nil, fault.Wrap(err, "look for an earlier submission")
}

func answerOf(form store.Form, row store.FormSubmission) Answer {
	state := row.State
	if state == Spam { // a robot learns nothing
		state = Confirmed
		if form.DoubleOptIn {
			state = Received
		}
	}
	return Answer{Submission: row.ID, State: state, Redirect: form.Redirect, Thanks: form.Thanks}
}

func (f *Forms) keepSpam(ctx context.Context, form store.Form, sent Sent, call Call) (Answer, error) {
	return store.InTxV(ctx, f.DB, f.Clock, func(tx store.Tx) (Answer, error) {
		row := submissionOf(form, sent, call, tx.Now)
		row.State, row.Reason, row.Key, row.IpHash = Spam, "honeypot", nil, f.Key.Hash("ip", call.IP)
		var err error
		if row.Answers, err = json.Marshal(sent.Answers); err != nil {
			return Answer{}, fmt.Errorf("keep answers: %w", err)
		}
		if _, err := store.Q.InsertSubmission(ctx, tx, row); err != nil {
			return Answer{}, fmt.Errorf("keep answers: %w", err)
		}
		return answerOf(form, store.FormSubmission{ID: row.ID, State: Spam}), nil
	})
}

// submission is one on its way into the database.
type submission struct {
	*Forms

	tx      store.Tx
	form    store.Form
	fields  []Field
	answers map[string]any
	row     store.InsertSubmissionParams
	call    Call
}

// source is where people and consents of the form come from.
func (s *submission) source() string { return "form:" + s.form.Slug }

// person finds or makes the person by what identifies them, and locks them.
func (s *submission) person(ctx context.Context, quiet bool) (people.Outcome, error) {
	who := people.Input{}
	for _, f := range s.fields {
		text, _ := s.answers[f.Key].(string)
		switch f.maps() {
		case "email":
			who.Email = text
		case "phone":
			if who.Phone = text; !f.Required {
				who.Phone = "" // two identities of two people would clash
			}
		}
	}
	if who.Email != "" {
		who.Phone = ""
	}
	outcomes, err := s.People.UpsertMany(ctx, s.tx, s.form.WorkspaceID, []people.Input{who}, people.Options{Source: s.source(), Quiet: quiet, KeepRefusals: true})
	if err != nil {
		return people.Outcome{}, err
	}
	return outcomes[0], outcomes[0].Err
}

// tells are the answers as fields of the contact. Those that are filled already are left out unless the person proved who they are.
func (s *submission) tells(contact store.Contact, proven bool) people.Input {
	in := people.Input{ID: contact.ID, Fields: map[string]any{}}
	custom := map[string]any{}
	_ = json.Unmarshal(contact.Fields, &custom) // an object, by the table's check
	filled := map[string]bool{"first_name": contact.FirstName != "", "last_name": contact.LastName != ""}
	for _, f := range s.fields {
		target, answer := f.maps(), s.answers[f.Key]
		if answer == nil || target == "" || target == "email" || target == "phone" || !proven && (filled[target] || custom[target] != nil) {
			continue
		}
		in.Fields[target] = answer
	}
	if s.form.List != "" {
		in.Lists = []string{s.form.List}
	}
	if s.row.Consented {
		proof := map[string]any{
			"text": s.row.ConsentText, "form": s.form.Slug, "submission": s.row.ID.String(), "given_at": s.row.At.UTC().Format(time.RFC3339),
			"ip_hash": hex.EncodeToString(s.row.IpHash), "double_opt_in": proven,
		}
		if proven {
			proof["confirmed_at"], proof["confirmed_ip_hash"] = s.tx.Now.UTC().Format(time.RFC3339), s.hash("ip", s.call.IP)
		}
		in.Consents = []people.ConsentInput{{
			Channel: engine.ChannelEmail, Topic: s.form.ConsentTopic, State: people.Granted, Source: s.source(), Proof: proof, At: s.tx.Now,
		}}
	}
	return in
}

// change writes what the answers tell about a person. An answer that does not fit its field is kept as an answer only.
func (s *submission) change(ctx context.Context, contact store.Contact, proven bool) error {
	in := s.tells(contact, proven)
	for {
		outcomes, err := s.People.UpsertMany(ctx, s.tx, s.form.WorkspaceID, []people.Input{in}, people.Options{Source: s.source(), KeepRefusals: !proven})
		if err != nil || outcomes[0].Err == nil {
			return err
		}
		var public *fault.Error
		if !errors.As(outcomes[0].Err, &public) || !without(&in, public.Fields) {
			return outcomes[0].Err
		}
	}
}

// count lets the answers do what they do: at once.
func (s *submission) count(ctx context.Context) error {
	person, err := s.person(ctx, false)
	if err != nil {
		return err
	}
	s.row.State, s.row.ContactID, s.row.ConfirmedAt = Confirmed, &person.Contact.ID, &s.tx.Now
	if n, err := store.Q.InsertSubmission(ctx, s.tx, s.row); err != nil || n == 0 {
		return fault.Wrap(err, "keep answers")
	}
	if err := s.change(ctx, person.Contact, false); err != nil {
		return err
	}
	if person.Created && s.row.VisitorID != nil { // somebody who was here before has to prove it
		if err := s.Visitors.Attach(ctx, s.tx, s.form.WorkspaceID, *s.row.VisitorID, person.Contact.ID); err != nil {
			return err
		}
	}
	return s.tell(ctx, person.Contact.ID)
}

// wait keeps the answers until the person has confirmed the address.
func (s *submission) wait(ctx context.Context, mail bool) error {
	person, err := s.person(ctx, true)
	if err != nil {
		return err
	}
	s.row.State, s.row.ContactID = Received, &person.Contact.ID
	if n, err := store.Q.InsertSubmission(ctx, s.tx, s.row); err != nil || n == 0 || !mail {
		return fault.Wrap(err, "keep answers")
	}
	return s.ask(ctx, person.Contact)
}

func (s *submission) tell(ctx context.Context, contact uuid.UUID) error {
	props := map[string]any{}
	maps.Copy(props, s.answers)
	props["form"], props["submission_id"] = s.form.Slug, s.row.ID.String()
	return events.Post(ctx, s.tx, s.form.WorkspaceID, 0, events.Posting{Contact: contact, Name: engine.EventFormSubmitted, Props: props})
}
