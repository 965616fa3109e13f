package people

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Consent states.
const (
	Granted = "granted"
	Denied  = "denied"
	Unknown = "unknown"
)

// edit is one contact being changed in memory.
type edit struct {
	row      store.Contact
	isNew    bool
	identity bool // an identity was set or changed
	dirty    bool // the row has to be written
	touched  []string
	fields   map[string]any // decoded row.Fields; nil until needed
	known    map[consentKey]store.Consent
	consents []consentRow
	events   []posted

	keepRefusals bool
	hearsay      bool // said about the person by a program: a yes beats their no only with the moment it was given
}

type consentKey struct{ channel, topic string }

// consentRow, contactRow and posted are what the set-wise statements read, as JSON.
type consentRow struct {
	ContactID uuid.UUID      `json:"contact_id"`
	Channel   string         `json:"channel"`
	Topic     string         `json:"topic"`
	State     string         `json:"state"`
	Source    string         `json:"source"`
	Proof     map[string]any `json:"proof"`
	At        time.Time      `json:"at"`
}

type contactRow struct {
	ID             uuid.UUID       `json:"id"`
	ExternalID     *string         `json:"external_id"`
	Email          *string         `json:"email"`
	EmailFolded    *string         `json:"email_folded"`
	Phone          *string         `json:"phone"`
	FirstName      string          `json:"first_name"`
	LastName       string          `json:"last_name"`
	NameFolded     string          `json:"name_folded"`
	LastNameFolded string          `json:"last_name_folded"`
	Zone           string          `json:"zone"`
	Language       string          `json:"language"`
	Fields         json.RawMessage `json:"fields"`
	Folded         json.RawMessage `json:"folded"`
	Tags           []string        `json:"tags"`
	Lists          []string        `json:"lists"`
	Source         string          `json:"source"`
}

type posted struct {
	N         int            `json:"n"` // the order within the batch
	ContactID uuid.UUID      `json:"contact_id"`
	Name      string         `json:"name"`
	Props     map[string]any `json:"props,omitempty"`
}

func newEdit(workspace uuid.UUID, source string, now time.Time) *edit {
	e := &edit{isNew: true, dirty: true, row: store.Contact{
		WorkspaceID: workspace, ID: store.NewID(), Fields: json.RawMessage("{}"), Tags: []string{}, Lists: []string{}, Source: source,
		CreatedAt: now, UpdatedAt: now,
	}}
	props := map[string]any{}
	if source != "" {
		props["source"] = source
	}
	e.post("contact_created", props)
	return e
}

func (e *edit) post(name string, props map[string]any) {
	e.events = append(e.events, posted{ContactID: e.row.ID, Name: name, Props: props})
}

// apply makes the change. It has been checked, and its identities belong to nobody else.
func (e *edit) apply(c change, now time.Time) error {
	e.identify("external_id", &e.row.ExternalID, c.external)
	if c.folded != nil && (text(e.row.EmailFolded) != *c.folded || text(e.row.Email) != *c.email) {
		e.identity = e.identity || text(e.row.EmailFolded) != *c.folded
		e.row.Email, e.row.EmailFolded = pointer(*c.email), pointer(*c.folded)
		e.touch("email")
	}
	e.identify("phone", &e.row.Phone, c.phone)
	e.set("first_name", &e.row.FirstName, c.first)
	e.set("last_name", &e.row.LastName, c.last)
	e.set("zone", &e.row.Zone, c.zone)
	e.set("language", &e.row.Language, c.language)
	if err := e.setFields(c.fields); err != nil {
		return err
	}
	for _, tag := range c.addTags {
		e.join(&e.row.Tags, tag, "tag_added", "tag")
	}
	for _, tag := range c.removeTags {
		e.leave(&e.row.Tags, tag, "tag_removed", "tag")
	}
	for _, list := range c.joinLists {
		e.join(&e.row.Lists, list, "list_joined", "list")
	}
	for _, list := range c.leaveLists {
		e.leave(&e.row.Lists, list, "list_left", "list")
	}
	for _, consent := range c.consents {
		e.consent(consent, now)
	}
	e.row.NameFolded, e.row.LastNameFolded = foldedNames(e.row.FirstName, e.row.LastName)
	return nil
}

// wouldBeNobody tells that a change would leave the contact without any identity.
func (e *edit) wouldBeNobody(c change) bool {
	for _, identity := range []struct{ has, will *string }{{e.row.ExternalID, c.external}, {e.row.EmailFolded, c.folded}, {e.row.Phone, c.phone}} {
		if given(identity.will) || identity.will == nil && identity.has != nil {
			return false
		}
	}
	return true
}

func (e *edit) touch(key string) {
	e.dirty = true
	if !e.isNew && !slices.Contains(e.touched, key) {
		e.touched = append(e.touched, key)
	}
}

func (e *edit) identify(key string, member **string, value *string) {
	if value != nil && text(*member) != *value {
		*member = pointer(*value)
		e.identity = true
		e.touch(key)
	}
}

func (e *edit) set(key string, member *string, value *string) {
	if value != nil && *member != *value {
		*member = *value
		e.touch(key)
	}
}

func (e *edit) setFields(values map[string]any) error {
	if len(values) == 0 {
		return nil
	}
	if e.fields == nil {
		e.fields = map[string]any{}
		if err := json.Unmarshal(e.row.Fields, &e.fields); err != nil {
			return fmt.Errorf("fields of contact %s: %w", e.row.ID, err)
		}
	}
	for key, value := range values {
		old, had := e.fields[key]
		switch {
		case value == nil && had:
			delete(e.fields, key)
			e.touch(key)
		case value != nil && (!had || old != value):
			e.fields[key] = value
			e.touch(key)
		}
	}
	raw, err := json.Marshal(e.fields)
	if err != nil {
		return fmt.Errorf("fields of contact %s: %w", e.row.ID, err)
	}
	if !bytes.Equal(raw, e.row.Fields) {
		e.row.Fields = raw
	}
	return nil
}

func (e *edit) join(set *[]string, slug, event, key string) {
	if at, found := slices.BinarySearch(*set, slug); !found {
		*set = slices.Insert(slices.Clone(*set), at, slug)
		e.dirty = true
		e.post(event, map[string]any{key: slug})
	}
}

func (e *edit) leave(set *[]string, slug, event, key string) {
	if at, found := slices.BinarySearch(*set, slug); found {
		*set = slices.Delete(slices.Clone(*set), at, at+1)
		e.dirty = true
		e.post(event, map[string]any{key: slug})
	}
}

// consent records a state that is new, or said later than the one on record. Denying a whole channel unsubscribes.
func (e *edit) consent(in ConsentInput, now time.Time) {
	key := consentKey{in.Channel, in.Topic}
	old, had := e.known[key]
	at := in.At
	if at.IsZero() {
		at = now
	}
	if had && old.State == Denied && in.State != Denied && (e.keepRefusals || e.hearsay && in.At.IsZero()) {
		return
	}
	if had && (old.State == in.State || at.Before(old.At)) || !had && in.State == Unknown {
		return
	}
	if e.known == nil {
		e.known = map[consentKey]store.Consent{}
	}
	e.known[key] = store.Consent{Channel: in.Channel, Topic: in.Topic, State: in.State, At: at}
	e.consents = slices.DeleteFunc(e.consents, func(row consentRow) bool { return row.Channel == in.Channel && row.Topic == in.Topic })
	e.consents = append(e.consents, consentRow{e.row.ID, in.Channel, in.Topic, in.State, in.Source, in.Proof, at})
	props := map[string]any{"channel": in.Channel, "state": in.State}
	if in.Topic != "" {
		props["topic"] = in.Topic
	}
	if in.Source != "" {
		props["source"] = in.Source
	}
	e.post("consent_changed", props)
	if in.State == Denied && in.Topic == "" {
		e.post("unsubscribed", map[string]any{"channel": in.Channel})
	}
}

func (e *edit) asRow() contactRow {
	r := e.row
	return contactRow{
		r.ID, r.ExternalID, r.Email, r.EmailFolded, r.Phone, r.FirstName, r.LastName, r.NameFolded, r.LastNameFolded, r.Zone, r.Language,
		r.Fields, e.folded(), r.Tags, r.Lists, r.Source,
	}
}

// folded is what rules compare of the person's texts; see engine.FoldValues.
func (e *edit) folded() json.RawMessage {
	values := map[string]any{}
	if len(e.row.Fields) > len("{}") {
		if err := json.Unmarshal(e.row.Fields, &values); err != nil {
			values = map[string]any{} // the fields were written by us; reading a person says so
		}
	}
	for key, value := range map[string]*string{
		"external_id": e.row.ExternalID, "email": e.row.Email, "phone": e.row.Phone, "first_name": &e.row.FirstName, "last_name": &e.row.LastName,
		"zone": &e.row.Zone, "language": &e.row.Language, "source": &e.row.Source,
	} {
		if value != nil && *value != "" {
			values[key] = *value
		}
	}
	if folded := engine.FoldValues(values); folded != nil {
		return folded
	}
	return json.RawMessage("null")
}

func foldedNames(first, last string) (whole, lastOnly string) {
	whole = first
	if last != "" {
		if whole != "" {
			whole += " "
		}
		whole += last
	}
	return engine.Fold(whole), engine.Fold(last)
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func pointer(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
