package forms

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/limits"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/visitors"
)

// Forms keep forms and what was sent by them.
type Forms struct {
	DB       store.DB
	Clock    clock.Clock
	Machine  clock.Clock // of fill times
	People   *people.People
	Visitors *visitors.Visitors
	Limits   limits.Limits
	Key      signed.Key
	BaseURL  string // of links, without a trailing slash
}

// Field is one question. Its key names the answer.
type Field struct {
	Key      string   `json:"key"`
	Type     string   `json:"type"` // email, text, textarea, phone, number, date, select, checkbox
	Label    string   `json:"label"`
	Required bool     `json:"required,omitempty"`
	Options  []string `json:"options,omitempty"` // of a select
	MapsTo   string   `json:"maps_to,omitempty"` // field of the contact; an email without one is the address
}

// maps is the field of the contact an answer goes to.
func (f Field) maps() string {
	if f.MapsTo == "" && (f.Type == "email" || f.Type == "phone") {
		return f.Type
	}
	return f.MapsTo
}

// Input is what a form shall be.
type Input struct {
	Slug            string // "" is made of the name; it never changes
	Name            string
	Title           string
	Fields          []Field
	ConsentText     string
	ConsentTopic    string
	ConsentRequired bool
	DoubleOptIn     bool
	List            string
	AllowedOrigins  []string
	Redirect        string
	Thanks          string
}

var (
	keyPattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,63}$`)
	fieldTypes = []string{"email", "text", "textarea", "phone", "number", "date", "select", "checkbox"}
	reserved   = []string{"form", "submission_id"} // properties of the event
)

const (
	maxName   = 200
	maxText   = 2000
	maxFields = 40
)

type checker struct{ wrong []fault.Field }

func (c *checker) addf(path, format string, args ...any) {
	c.wrong = append(c.wrong, fault.Field{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (c *checker) text(path, text string, most int) {
	if utf8.RuneCountInString(text) > most {
		c.addf(path, "The text is too long: at most %d characters.", most)
	}
}

func (in *Input) check() error {
	var c checker
	in.Name = strings.TrimSpace(in.Name)
	if in.Name == "" {
		c.addf("name", "Name the form.")
	}
	c.text("name", in.Name, maxName)
	c.text("title", in.Title, maxName)
	c.text("consent_text", in.ConsentText, maxText)
	c.text("thanks", in.Thanks, maxText)
	if in.ConsentRequired && in.ConsentText == "" {
		c.addf("consent_text", "Write what people agree to, or do not require it.")
	}
	if in.Redirect != "" && !isSite(in.Redirect, false) {
		c.addf("redirect", "Write a whole https address, such as https://shop.example/thanks.")
	}
	for i, origin := range in.AllowedOrigins {
		in.AllowedOrigins[i] = strings.ToLower(strings.TrimSuffix(origin, "/"))
		if !isSite(in.AllowedOrigins[i], true) {
			c.addf(fmt.Sprintf("allowed_origins.%d", i), "Write only scheme and host of the site, such as https://shop.example.")
		}
	}
	in.checkFields(&c)
	return fault.InvalidFields(c.wrong)
}

// isSite tells a whole web address; bare ones have nothing behind the host.
func isSite(text string, bare bool) bool {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Host == "" || parsed.User != nil || strings.ContainsAny(text, " \t\r\n\"'<>\\") {
		return false
	}
	local := parsed.Hostname() == "localhost" || parsed.Hostname() == "127.0.0.1"
	if parsed.Scheme != "https" && (parsed.Scheme != "http" || !local) {
		return false
	}
	return !bare || parsed.Path == "" && parsed.RawQuery == "" && parsed.Fragment == ""
}

func (in *Input) checkFields(c *checker) {
	if len(in.Fields) == 0 || len(in.Fields) > maxFields {
		c.addf("fields", "A form asks 1 to %d questions.", maxFields)
	}
	keys, targets := map[string]bool{}, map[string]bool{}
	identified := false
	for i, f := range in.Fields {
		at := fmt.Sprintf("fields.%d.", i)
		switch {
		case !keyPattern.MatchString(f.Key):
			c.addf(at+"key", "%q cannot be a key. Use small letters, digits and _, a letter first.", f.Key)
		case slices.Contains(reserved, f.Key):
			c.addf(at+"key", "The key %q is Lejek's own. Choose another one.", f.Key)
		case keys[f.Key]:
			c.addf(at+"key", "Two questions have the key %q. Give one of them another.", f.Key)
		}
		keys[f.Key] = true
		if !slices.Contains(fieldTypes, f.Type) {
			c.addf(at+"type", "There is no type %q. Use one of %s.", f.Type, strings.Join(fieldTypes, ", "))
		}
		if strings.TrimSpace(f.Label) == "" {
			c.addf(at+"label", "Write the question.")
		}
		c.text(at+"label", f.Label, maxName)
		if f.Type == "select" && len(f.Options) == 0 {
			c.addf(at+"options", "Give the choices.")
		}
		target := f.maps()
		if target != "" && targets[target] {
			c.addf(at+"maps_to", "Two answers go to %q. Let one of them go somewhere else.", target)
		}
		targets[target] = true
		wanted := map[string]string{"email": "email", "phone": "phone"}[target]
		if wanted != "" && f.Type != wanted {
			c.addf(at+"type", "What goes to %s must be of the type %s.", target, wanted)
		}
		identified = identified || f.Required && (target == "email" || target == "phone" && !in.DoubleOptIn)
	}
	if !identified {
		c.addf("fields", "One required question must say who it is: an e-mail address, or a phone number. Double opt-in needs the address.")
	}
}

func noForm() error { return fault.New(fault.NotFound, "There is no such form.") }

// List are the forms of a workspace.
func (f *Forms) List(ctx context.Context, workspace uuid.UUID) ([]store.Form, error) {
	rows, err := store.Q.Forms(ctx, f.DB, workspace)
	return rows, fault.Wrap(err, "read forms")
}

// Get is one form by its slug.
func (*Forms) Get(ctx context.Context, db store.DB, workspace uuid.UUID, name string) (store.Form, error) {
	row, err := store.Q.Form(ctx, db, store.FormParams{WorkspaceID: workspace, Slug: name})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, noForm()
	}
	return row, fault.Wrap(err, "read a form")
}

// Public is one form by its id, as its page names it.
func (f *Forms) Public(ctx context.Context, id uuid.UUID) (store.Form, error) {
	row, err := store.Q.PublicForm(ctx, f.DB, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return row, noForm()
	}
	return row, fault.Wrap(err, "read a form")
}

// FieldsOf are the questions of a form.
func FieldsOf(form store.Form) ([]Field, error) {
	var fields []Field
	if err := json.Unmarshal(form.Fields, &fields); err != nil {
		return nil, fmt.Errorf("fields of form %s: %w", form.ID, err)
	}
	return fields, nil
}

// URL is the hosted page of a form, which also takes answers.
func (f *Forms) URL(form uuid.UUID) string { return f.BaseURL + "/f/" + form.String() }

// Create makes a form.
func (f *Forms) Create(ctx context.Context, tx store.Tx, workspace uuid.UUID, in Input) (store.Form, error) {
	fields, err := f.prepare(ctx, tx, workspace, &in)
	if err != nil {
		return store.Form{}, err
	}
	name := in.Slug
	if name == "" {
		name = slug.Of(in.Name, "form")
	}
	for n := 1; ; n++ {
		try := name
		if n > 1 {
			try = fmt.Sprintf("%s-%d", name, n)
		}
		row, err := store.InTxV(ctx, tx, f.Clock, func(tx store.Tx) (store.Form, error) {
			return store.Q.InsertForm(ctx, tx, store.InsertFormParams{
				WorkspaceID: workspace, ID: store.NewID(), Slug: try, Name: in.Name, Title: in.Title, Fields: fields, ConsentText: in.ConsentText,
				ConsentTopic: in.ConsentTopic, ConsentRequired: in.ConsentRequired, DoubleOptIn: in.DoubleOptIn, List: in.List,
				AllowedOrigins: in.AllowedOrigins, Redirect: in.Redirect, Thanks: in.Thanks, Now: tx.Now,
			})
		})
		switch {
		case store.Violated(err) == "":
			return row, fault.Wrap(err, "make a form")
		case in.Slug != "":
			return row, fault.New(fault.Conflict, "There is a form %q already. Choose another short name.", in.Slug)
		}
	}
}

// Change replaces all but the slug.
func (f *Forms) Change(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string, in Input) (store.Form, error) {
	if _, err := f.Get(ctx, tx, workspace, name); err != nil {
		return store.Form{}, err
	}
	fields, err := f.prepare(ctx, tx, workspace, &in)
	if err != nil {
		return store.Form{}, err
	}
	row, err := store.Q.UpdateForm(ctx, tx, store.UpdateFormParams{
		WorkspaceID: workspace, Slug: name, Name: in.Name, Title: in.Title, Fields: fields, ConsentText: in.ConsentText, ConsentTopic: in.ConsentTopic,
		ConsentRequired: in.ConsentRequired, DoubleOptIn: in.DoubleOptIn, List: in.List, AllowedOrigins: in.AllowedOrigins, Redirect: in.Redirect,
		Thanks: in.Thanks, Now: tx.Now,
	})
	return row, fault.Wrap(err, "change a form")
}

// prepare checks an input against itself and against the workspace.
func (*Forms) prepare(ctx context.Context, tx store.Tx, workspace uuid.UUID, in *Input) (json.RawMessage, error) {
	if err := in.check(); err != nil {
		return nil, err
	}
	var c checker
	if in.AllowedOrigins == nil {
		in.AllowedOrigins = []string{}
	}
	lists, err := store.Q.Lists(ctx, tx, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "read the lists")
	}
	if in.List != "" && !slices.ContainsFunc(lists, func(l store.List) bool { return l.Slug == in.List }) {
		c.addf("list", "There is no list %q. Create it first.", in.List)
	}
	topics, err := store.Q.Topics(ctx, tx, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "read the topics")
	}
	if in.ConsentTopic != "" && !slices.ContainsFunc(topics, func(t store.Topic) bool { return t.Slug == in.ConsentTopic }) {
		c.addf("consent_topic", "There is no topic %q. Create it first.", in.ConsentTopic)
	}
	defs, err := store.Q.FieldDefs(ctx, tx, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "read the fields")
	}
	for i, field := range in.Fields {
		target := field.maps()
		known := target == "" || slices.Contains([]string{"email", "phone", "first_name", "last_name"}, target) ||
			slices.ContainsFunc(defs, func(d store.FieldDef) bool { return d.Key == target })
		if !known {
			c.addf(fmt.Sprintf("fields.%d.maps_to", i), "Contacts have no field %q. Create it first, or leave it out.", target)
		}
	}
	if err := fault.InvalidFields(c.wrong); err != nil {
		return nil, err
	}
	fields, err := json.Marshal(in.Fields)
	return fields, fault.Wrap(err, "keep the fields of a form")
}

// Archive lets a form take no more answers. What was sent is kept.
func (*Forms) Archive(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string) error {
	n, err := store.Q.ArchiveForm(ctx, tx, store.ArchiveFormParams{WorkspaceID: workspace, Slug: name, Now: &tx.Now})
	if err == nil && n == 0 {
		return noForm()
	}
	return fault.Wrap(err, "archive a form")
}
