package people

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Options of a batch of changes.
type Options struct {
	Source string // of contacts that are created: api, import, form ...
	Quiet  bool   // post no internal events: nothing starts or wakes
	Chain  int    // how many runs stand between the change and the outside world

	KeepRefusals bool // a consent the person refused stays refused, whatever the inputs say

	hearsay bool // what a program says of a person: set by UpsertMany
}

// Outcome is what became of one Input. Err is a fault that concerns this input only; then nothing of it was done.
type Outcome struct {
	Contact store.Contact // as it stands now, locked
	Created bool
	Changed bool
	Err     error
}

// Clash is in the Details of the conflict of two contacts.
type Clash struct {
	Contacts []uuid.UUID `json:"contacts"`
	Field    string      `json:"field"`
}

// item is one change on its way; at is its place among the inputs.
type item struct {
	at     int
	change change
}

// raceLimit is how often a batch is tried anew because somebody else took an identity meanwhile.
const raceLimit = 3

// UpsertMany creates or updates the contacts of the inputs, in order, and locks all of them until the transaction ends. Two
// inputs about one person meet in that order. An input that is wrong, or clashes, has its own error and stops no other.
func (p *People) UpsertMany(ctx context.Context, tx store.Tx, workspace uuid.UUID, inputs []Input, options Options) ([]Outcome, error) {
	var need needs
	for _, in := range inputs {
		need.fields = need.fields || len(in.Fields) > 0
		need.lists = need.lists || len(in.Lists) > 0
		need.topics = need.topics || slices.ContainsFunc(in.Consents, func(c ConsentInput) bool { return c.Topic != "" })
	}
	know, err := learn(ctx, tx, workspace, need)
	if err != nil {
		return nil, err
	}
	options.hearsay = true
	outcomes := make([]Outcome, len(inputs))
	items := make([]item, 0, len(inputs))
	for i, in := range inputs {
		change, err := in.check(know)
		if err != nil {
			outcomes[i].Err = err
			continue
		}
		items = append(items, item{i, change})
	}
	return outcomes, p.run(ctx, tx, workspace, items, outcomes, options)
}

// run makes the changes and fills in their outcomes.
func (p *People) run(ctx context.Context, tx store.Tx, workspace uuid.UUID, items []item, outcomes []Outcome, options Options) error {
	for range raceLimit {
		if len(items) == 0 {
			return nil
		}
		crowd, err := p.meet(ctx, tx, workspace, items)
		if err != nil {
			return err
		}
		for _, item := range items {
			outcomes[item.at] = crowd.take(item, options)
		}
		lost, err := p.write(ctx, tx, workspace, crowd, options)
		if err != nil {
			return err
		}
		items = slices.DeleteFunc(items, func(i item) bool {
			e := crowd.by[i.at]
			return e == nil || !lost[e.row.ID]
		})
		for at, e := range crowd.by {
			outcomes[at].Contact = e.row
		}
	}
	if len(items) > 0 {
		return fault.New(fault.Conflict, "Other changes of the same contacts are going on. Please try again.")
	}
	return nil
}

// crowd are the contacts of a batch in memory, found by each of their identities.
type crowd struct {
	workspace              uuid.UUID
	tx                     store.Tx
	all                    []*edit // in the order they were met
	byID                   map[uuid.UUID]*edit
	external, email, phone map[string]*edit
	by                     map[int]*edit // the contact of each input

	aliases map[alias]uuid.UUID // identities of merged contacts that nobody has
	given   map[alias]*edit     // those that this batch gave to somebody
}

// meet locks the contacts the items name and reads what is needed of them.
func (p *People) meet(ctx context.Context, tx store.Tx, workspace uuid.UUID, items []item) (*crowd, error) {
	ids, externals, emails, phones := []uuid.UUID{}, []string{}, []string{}, []string{}
	consents := false
	for _, item := range items {
		c := item.change
		if c.id != uuid.Nil {
			ids = append(ids, c.id)
		}
		externals, emails, phones = appendGiven(externals, c.external), appendGiven(emails, c.folded), appendGiven(phones, c.phone)
		consents = consents || len(c.consents) > 0
	}
	rows, aliases, err := lockNamed(ctx, tx, workspace, ids, externals, emails, phones)
	if err != nil {
		return nil, err
	}
	crowd := &crowd{
		workspace: workspace, tx: tx, byID: make(map[uuid.UUID]*edit, len(rows)), by: make(map[int]*edit, len(items)),
		external: make(map[string]*edit, len(rows)), email: make(map[string]*edit, len(rows)), phone: make(map[string]*edit, len(rows)),
		aliases: aliases,
	}
	for _, row := range rows {
		e := &edit{row: row}
		crowd.byID[row.ID] = e
		crowd.index(e)
		crowd.all = append(crowd.all, e)
	}
	for _, row := range rows {
		if row.MergedInto != nil {
			crowd.byID[row.ID] = crowd.byID[*row.MergedInto]
		}
	}
	if consents && len(rows) > 0 {
		known, err := store.Q.ConsentsOf(ctx, tx, store.ConsentsOfParams{WorkspaceID: workspace, ContactIds: slices.Collect(maps.Keys(crowd.byID))})
		if err != nil {
			return nil, fmt.Errorf("read consents: %w", err)
		}
		for _, consent := range known {
			e := crowd.byID[consent.ContactID]
			if e == nil {
				continue
			}
			if e.known == nil {
				e.known = map[consentKey]store.Consent{}
			}
			e.known[consentKey{consent.Channel, consent.Topic}] = consent
		}
	}
	return crowd, nil
}

func appendGiven(all []string, value *string) []string {
	if given(value) {
		return append(all, *value)
	}
	return all
}

func (c *crowd) index(e *edit) {
	c.external[text(e.row.ExternalID)], c.email[text(e.row.EmailFolded)], c.phone[text(e.row.Phone)] = e, e, e
}

// take applies one item to the contact it names.
func (c *crowd) take(item item, options Options) Outcome {
	e, err := c.find(&item.change)
	if err != nil {
		return Outcome{Err: err}
	}
	created := e == nil
	if created {
		e = newEdit(c.workspace, options.Source, c.tx.Now)
	}
	if e.wouldBeNobody(item.change) {
		return Outcome{Err: fault.InvalidField("external_id",
			"A contact needs an external id, an e-mail address or a phone number. Give another one first, or erase the contact.")}
	}
	before := e.changes()
	e.keepRefusals, e.hearsay = options.KeepRefusals, options.hearsay
	c.forget(e)
	if err := e.apply(item.change, c.tx.Now); err != nil {
		return Outcome{Err: err}
	}
	if created {
		c.all = append(c.all, e)
	}
	c.index(e)
	c.give(e)
	c.by[item.at] = e
	return Outcome{Contact: e.row, Created: created, Changed: created || e.changes() != before}
}

func (c *crowd) forget(e *edit) {
	delete(c.external, text(e.row.ExternalID))
	delete(c.email, text(e.row.EmailFolded))
	delete(c.phone, text(e.row.Phone))
}

// changes counts what an edit has gathered, to tell whether another change added to it.
func (e *edit) changes() int { return len(e.touched) + len(e.events) + len(e.consents) }

// owner is the contact an identity given leads to, nil for nobody.
type owner struct {
	alias

	edit *edit
	past bool // it was that of a contact merged into this one
}

func (c *crowd) owners(change *change) []owner {
	var owners []owner
	for _, o := range []struct {
		kind  string
		value *string
		of    map[string]*edit
	}{{kindExternal, change.external, c.external}, {kindEmail, change.folded, c.email}, {kindPhone, change.phone, c.phone}} {
		if !given(o.value) {
			continue
		}
		found := owner{alias: alias{o.kind, *o.value}, edit: o.of[*o.value]}
		if found.edit == nil {
			found.edit = c.byID[c.aliases[found.alias]]
			found.past = found.edit != nil
		}
		owners = append(owners, found)
	}
	return owners
}

// find is the contact a change is about, nil for a new one: by id, else by the first identity somebody has, or had before they were
// merged. All other identities given must be this contact's or nobody's; what somebody had before they were merged is taken from them.
// Who is found by such an identity keeps their own: it is taken out of the change.
func (c *crowd) find(change *change) (*edit, error) {
	var found *edit
	if change.id != uuid.Nil {
		if found = c.byID[change.id]; found == nil || found.row.ErasedAt != nil || found.row.MergedInto != nil {
			return nil, fault.New(fault.NotFound, "There is no contact %s.", change.id)
		}
	}
	past := false
	owners := c.owners(change)
	for _, o := range owners {
		switch {
		case o.edit == nil || o.edit == found || found != nil && o.past && !past:
		case found == nil && !c.contradicts(o.edit, change):
			found, past = o.edit, o.past
		default:
			return nil, clash(o.kind, o.value, found, o.edit)
		}
	}
	for _, o := range owners {
		if past && o.past && o.edit == found {
			change.without(o.kind)
		}
	}
	return found, nil
}

// contradicts tells that a contact found by e-mail or phone has another external id than the one given, and so is
// somebody else.
func (c *crowd) contradicts(e *edit, change *change) bool {
	return given(change.external) && e.row.ExternalID != nil && *e.row.ExternalID != *change.external &&
		c.byID[c.aliases[alias{kindExternal, *change.external}]] != e
}

func clash(field, value string, found, owner *edit) error {
	label := map[string]string{kindExternal: "external id", kindEmail: "e-mail address", kindPhone: "phone number"}[field]
	details := Clash{Field: field, Contacts: []uuid.UUID{owner.row.ID}}
	message := fmt.Sprintf("The %s %q belongs to contact %s, who has another external id. Correct one of the two.", label, clip(value), owner.row.ID)
	if found != nil {
		details.Contacts = []uuid.UUID{found.row.ID, owner.row.ID}
		message = fmt.Sprintf("Contact %s cannot have the %s %q: contact %s has it. Merge the two, or correct one of them.",
			found.row.ID, label, clip(value), owner.row.ID)
	}
	return &fault.Error{Code: fault.Conflict, Message: message, Details: details, Fields: []fault.Field{{Path: field, Message: message}}}
}
