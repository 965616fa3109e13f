package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// follow takes a transition's effects into the batch. The person is changed in memory too, for the next run of theirs in the batch.
func (w *wake) follow(r *row, person *facts.Person) {
	for _, effect := range r.out.Effects {
		switch e := effect.(type) {
		case engine.SendMessage:
			if r.out.Void && e.Seq < r.out.VoidBefore {
				continue
			}
			w.messages.add(w, r, e)
		case engine.ChangeContact:
			w.change(r, person, e)
		case engine.TakeTicket:
			w.ask(r, e)
		case engine.ExitFunnels:
			w.exits = append(w.exits, exit{r, e.Funnel})
		case engine.Call:
			w.call(r, e)
		case engine.Prepare:
			w.prepare(r, e)
		}
	}
}

// messageColumns are the new messages, by column.
type messageColumns struct {
	workspaces, ids, runs, funnels, versions, contacts, providers [][16]byte
	seqs                                                          []int32
	nodes, channels, classes, topics, creatives, senders          []string
	lanes                                                         []int16
	due, expires                                                  []time.Time
	quiets                                                        [][]byte
	leaves                                                        []*time.Time // until then it can be seen in the outbox; nil is not at all
}

// Lanes of messages: transactional ones first.
const (
	laneTransactional int16 = 0
	laneMarketing     int16 = 1
)

func (c *messageColumns) add(w *wake, r *row, m engine.SendMessage) {
	c.workspaces, c.ids = append(c.workspaces, r.workspace), append(c.ids, store.NewID())
	c.runs, c.funnels, c.versions = append(c.runs, r.id), append(c.funnels, r.funnel), append(c.versions, r.version)
	provider := w.houses[r.workspace].providers[m.Channel] // nobody: the gate says of a live workspace that this is missing
	c.contacts, c.providers = append(c.contacts, r.contact), append(c.providers, provider)
	c.seqs = append(c.seqs, int32(m.Seq))
	c.nodes, c.channels, c.classes = append(c.nodes, m.Node), append(c.channels, m.Channel), append(c.classes, m.Class)
	c.topics, c.creatives, c.senders = append(c.topics, m.Topic), append(c.creatives, m.Creative), append(c.senders, m.Sender)
	lane := laneMarketing
	if m.Class == engine.ClassTransactional {
		lane = laneTransactional
	}
	c.lanes, c.due, c.expires = append(c.lanes, lane), append(c.due, m.Due), append(c.expires, m.ExpiresAt)
	c.quiets = append(c.quiets, quietJSON(m.Quiet))
	var leaves *time.Time
	if minutes := w.houses[r.workspace].outbox; minutes > 0 && lane == laneMarketing {
		at := w.tx.Now.Add(time.Duration(minutes) * time.Minute)
		leaves = &at
	}
	c.leaves = append(c.leaves, leaves)
}

const insertMessages = `INSERT INTO messages (workspace_id, id, run_id, seq, funnel_id, version_id, node, contact_id, channel, class, topic, creative, sender,
		provider_id, lane, status, due_at, next_attempt_at, expires_at, quiet, created_at, leaves_at)
	SELECT w, id, run, seq, funnel, version, node, contact, channel, class, topic, creative, sender, provider, lane, 'queued', due, greatest(due, coalesce(leaves, due)), expires, quiet, $1, leaves
	FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::text[], $11::text[], $12::text[],
		$13::text[], $14::text[], $15::uuid[], $16::smallint[], $17::timestamptz[], $18::timestamptz[], $19::jsonb[], $20::timestamptz[])
		AS x (w, id, run, seq, funnel, version, node, contact, channel, class, topic, creative, sender, provider, lane, due, expires, quiet, leaves)`

func (w *wake) writeMessages(ctx context.Context) error {
	c := &w.messages
	if len(c.ids) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, insertMessages, w.tx.Now, c.workspaces, c.ids, c.runs, c.seqs, c.funnels, c.versions, c.nodes, c.contacts, c.channels, c.classes,
		c.topics, c.creatives, c.senders, c.providers, c.lanes, c.due, c.expires, c.quiets, c.leaves)
	if err != nil {
		return fmt.Errorf("queue messages: %w", err)
	}
	return nil
}

// change is what the batch's runs did to one person, net.
type change struct {
	before  engine.Contact
	fields  map[string]any
	refused []string // lists that are not there any more
	rows    []*row
	chain   int16
}

// input is what to store of the change, given the person as they are now.
func (c *change) input(person *facts.Person) people.Input {
	return people.Input{
		ID: person.Key.Contact, Fields: c.fields,
		Tags: without(person.Tags, c.before.Tags), RemoveTags: without(c.before.Tags, person.Tags),
		Lists: without(without(person.Lists, c.before.Lists), c.refused), LeaveLists: without(c.before.Lists, person.Lists),
	}
}

func (w *wake) change(r *row, person *facts.Person, e engine.ChangeContact) {
	if w.changes == nil {
		w.changes = map[facts.Key]*change{}
	}
	c := w.changes[person.Key]
	if c == nil {
		c = &change{before: person.Contact, fields: map[string]any{}}
		w.changes[person.Key] = c
	}
	c.rows, c.chain = append(c.rows, r), max(c.chain, r.chain+1)
	person.Contact = *person.Changed(e.Op, e.Name, e.Value)
	if e.Op == engine.ChangeSetField {
		c.fields[e.Name] = e.Value
	}
}

// writePeople stores the changes of people, which posts their internal events. A value that does not fit its field changes nothing
// and is told in the journal; the run goes on.
func (w *wake) writePeople(ctx context.Context) error {
	type group struct {
		workspace uuid.UUID
		chain     int16
	}
	groups := map[group][]facts.Key{}
	for key, c := range w.changes {
		g := group{key.Workspace, c.chain}
		groups[g] = append(groups[g], key)
	}
	for g, keys := range groups {
		for range 2 { // the second time without the values that did not fit
			var err error
			if keys, err = w.upsert(ctx, g.workspace, g.chain, keys); err != nil {
				return err
			}
			if len(keys) == 0 {
				break
			}
		}
	}
	return nil
}

// upsert stores the changes of some people and returns those of which nothing was stored, without the values at fault.
func (w *wake) upsert(ctx context.Context, workspace uuid.UUID, chain int16, keys []facts.Key) ([]facts.Key, error) {
	inputs := make([]people.Input, len(keys))
	for i, key := range keys {
		inputs[i] = w.changes[key].input(w.people[key])
	}
	outcomes, err := w.runner.People.UpsertMany(ctx, w.tx, workspace, inputs, people.Options{Chain: int(chain)})
	if err != nil {
		return nil, fmt.Errorf("change contacts: %w", err)
	}
	var refused []facts.Key
	for i, outcome := range outcomes {
		w.posted = w.posted || outcome.Changed
		if outcome.Err == nil {
			continue
		}
		refused = append(refused, keys[i])
		c := w.changes[keys[i]]
		c.drop(outcome.Err, inputs[i].Lists)
		for _, r := range c.rows {
			r.note("problem", outcome.Err.Error())
		}
	}
	return refused, nil
}

// drop takes out the values and lists a refusal is about, or all values where it names none.
func (c *change) drop(err error, lists []string) {
	named := false
	if public, ok := errors.AsType[*fault.Error](err); ok {
		for _, field := range public.Fields {
			if place, ok := strings.CutPrefix(field.Path, "lists."); ok {
				if at, err := strconv.Atoi(place); err == nil && at < len(lists) {
					c.refused, named = append(c.refused, lists[at]), true
				}
				continue
			}
			key := strings.TrimPrefix(field.Path, "fields.")
			if _, ours := c.fields[key]; ours {
				delete(c.fields, key)
				named = true
			}
		}
	}
	if !named {
		clear(c.fields)
	}
}

// note adds to the journal of the steps that changed the person.
func (r *row) note(key string, value any) {
	for _, effect := range r.out.Effects {
		e, ok := effect.(engine.ChangeContact)
		if !ok {
			continue
		}
		for i := range r.out.Visits {
			if visit := &r.out.Visits[i]; visit.Seq == e.Seq {
				visit.Detail = maps.Clone(visit.Detail)
				if visit.Detail == nil {
					visit.Detail = map[string]any{}
				}
				visit.Detail[key] = value
			}
		}
	}
}

// without are the members of list that others lacks.
func without(list, others []string) []string {
	var rest []string
	for _, s := range list {
		if !slices.Contains(others, s) {
			rest = append(rest, s)
		}
	}
	return rest
}
