package events

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/agenda"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Reactor lets events meet contacts, runs and funnels. It is safe for use by many goroutines.
type Reactor struct {
	Plans  *plans.Cache
	People *people.People

	Segments segments.Cache
}

// meeting is one batch of events of one workspace in front of that workspace's funnels.
type meeting struct {
	tx        store.Tx
	workspace uuid.UUID
	zone      string
	batch     []*happening
	people    map[facts.Key]*facts.Person
	segments  segments.Set
	funnels   []funnel
	versions  map[plans.Key]*plans.Version
	runs      map[uuid.UUID][]*run // those that have not ended or linger, by contact
	pasts     map[pair]past
	taken     map[slot]bool // slots of `each` that exist
	happened  map[slot]bool // occurrences that have made a run
	created   []*run
}

// funnel is a live or paused funnel with the version that new runs get.
type funnel struct {
	id      uuid.UUID
	state   string
	version *plans.Version
}

// pair is a person in front of a funnel.
type pair struct{ funnel, contact uuid.UUID }

type slot struct {
	pair
	slot string
}

// past is what is known of the runs a person had in a funnel.
type past struct {
	any  bool
	last time.Time // when the last one ended
}

// run is a run as a meeting sees and changes it.
type run struct {
	pair
	id      uuid.UUID
	version plans.Key
	node    string
	status  string
	slot    string

	signals []*happening
	ended   string     // the reason, once this batch has ended it
	cause   *happening // the event that made it, when this batch did
	since   time.Time  // when that which began it happened
	key     string     // re-entry "each": the run hears events of this key only

	occurrence string // the trigger's own name of what made it; "" is the event
}

// react decides what the events of a batch start, wake and end, in their order, and writes it. The contacts are locked first. The
// events themselves are written by the caller, together with what is then in their done.
func (r *Reactor) react(ctx context.Context, tx store.Tx, workspace uuid.UUID, batch []*happening) error {
	if len(batch) == 0 {
		return nil
	}
	// They were told of at once, and count in the order in which they happened.
	batch = slices.Clone(batch)
	slices.SortStableFunc(batch, func(a, b *happening) int { return a.at.Compare(b.at) })
	m := &meeting{tx: tx, workspace: workspace, batch: batch}
	if err := m.load(ctx, r); err != nil {
		return err
	}
	admissions := m.admissions()
	if err := m.loadPasts(ctx, admissions); err != nil {
		return err
	}
	for i, h := range batch {
		if h.quiet != "" {
			h.done.Quiet = h.quiet
			continue
		}
		if h.stands == "" {
			m.wake(h)
		}
		m.sayGoodbye(h)
		for _, a := range admissions[i] {
			m.enter(h, a)
		}
	}
	if err := m.write(ctx); err != nil {
		return err
	}
	return m.move(ctx)
}

// move brings the people of the batch into and out of segments, and computes the dates anew of those whose fields changed. Imported and late events count, and fire nothing.
func (m *meeting) move(ctx context.Context) error {
	var looks []segments.Look
	var changed []*facts.Person
	place := map[facts.Key]int{}
	for _, h := range m.batch {
		person := m.people[h.who]
		if person != nil && (h.name == "contact_created" || h.name == "contact_updated") {
			changed = append(changed, person)
		}
		if person == nil || h.stands != "" || !m.segments.Hears(h.name) {
			continue
		}
		i, known := place[h.who]
		if !known {
			i = len(looks)
			place[h.who], looks = i, append(looks, segments.Look{Person: person, Quiet: true})
		}
		looks[i].Names = append(looks[i].Names, h.name)
		looks[i].Quiet = looks[i].Quiet && h.quiet != ""
		looks[i].Chain = max(looks[i].Chain, h.chain)
	}
	if _, err := segments.Move(ctx, m.tx, m.workspace, m.zone, m.segments, looks); err != nil {
		return err
	}
	return agenda.Recompute(ctx, m.tx, m.workspace, m.zone, each(changed))
}

// each are people without doubles: one statement cannot write a row twice.
func each(people []*facts.Person) []*facts.Person {
	slices.SortFunc(people, func(a, b *facts.Person) int { return bytes.Compare(a.Key.Contact[:], b.Key.Contact[:]) })
	return slices.Compact(people)
}

// wake gives the event to every run of the person whose version mentions it, and whose key is that of the event.
func (m *meeting) wake(h *happening) {
	for _, run := range m.runs[h.who.Contact] {
		version := m.versions[run.version]
		if run.ended != "" || version == nil || version.Plan == nil || h.isBirthOf(run) || !run.hears(h, version) {
			continue
		}
		run.signals = append(run.signals, h)
		h.done.Woke = append(h.done.Woke, RunRef{Run: run.id, Funnel: run.funnel})
	}
}

// lingers tells that the run has come to the end of its way, but not all it sent has left.
func (r *run) lingers() bool { return r.status == string(engine.Done) }

// hears tells whether the event may change anything for the run, is of its key, and did not happen before it began. After its end it is
// goals that hear.
func (r *run) hears(h *happening, version *plans.Version) bool {
	listens := version.Mentions
	if r.lingers() {
		listens = version.Decides
	}
	event := h.event()
	return listens(h.name) && version.Plan.Listens(r.key, event) && !event.Precedes(r.since)
}

// isBirthOf tells a run's own beginning, which is no news to it.
func (h *happening) isBirthOf(r *run) bool {
	born, _ := h.props["run"].(string)
	return h.name == "run_started" && born == r.id.String()
}

// sayGoodbye ends the runs that have nothing but marketing by left channels for the person.
func (m *meeting) sayGoodbye(h *happening) {
	var contact *engine.Contact
	if person := m.people[h.who]; person != nil {
		contact = &person.Contact
	}
	for _, run := range m.runs[h.who.Contact] {
		version := m.versions[run.version]
		if run.ended == "" && !run.lingers() && version != nil && version.Plan != nil && version.Plan.Leaves(h.event(), run.node, contact) {
			run.ended = runs.ReasonUnsubscribed
			h.done.Ended = append(h.done.Ended, RunRef{Run: run.id, Funnel: run.funnel})
		}
	}
}

// admission is a funnel that answers to an event of the batch.
type admission struct {
	funnel funnel
	engine.Admission
}

// admissions asks every funnel about every event. The answers do not depend on what else the batch does.
func (m *meeting) admissions() [][]admission {
	all := make([][]admission, len(m.batch))
	for i, h := range m.batch {
		if h.quiet != "" {
			continue
		}
		for _, f := range m.funnels {
			if h.only != uuid.Nil && h.only != f.id || !f.version.StartsOn(h.fires()) {
				continue
			}
			person := m.people[h.who]
			if person == nil || person.Gone {
				all[i] = append(all[i], admission{f, engine.Admission{Trigger: h.name, Refused: RefusedGone}})
				continue
			}
			a := f.version.Plan.Admit(h.event(), engine.Input{Now: h.arrived, Contact: person.Contact, Zone: m.zone})
			if a.Trigger != "" {
				all[i] = append(all[i], admission{f, a})
			}
		}
	}
	return all
}

// enter starts a run if re-entry allows it.
func (m *meeting) enter(h *happening, a admission) {
	who := pair{a.funnel.id, h.who.Contact}
	if why := m.refuse(h, who, a); why != "" {
		h.done.Refused = append(h.done.Refused, Refusal{Funnel: a.funnel.id, Why: why})
		return
	}
	if a.Reentry.Rule == engine.ReentryRestart {
		for _, old := range m.runs[who.contact] {
			if old.funnel == who.funnel && old.ended == "" {
				old.ended = runs.ReasonReplaced
				h.done.Ended = append(h.done.Ended, RunRef{Run: old.id, Funnel: who.funnel})
			}
		}
	}
	started := &run{
		pair: who, id: store.NewID(), version: a.funnel.version.Key, node: a.funnel.version.Plan.Entry(), status: string(engine.Active),
		slot: a.Slot, cause: h, key: a.Key, since: h.event().When(), occurrence: a.Occurrence,
	}
	m.runs[who.contact] = append(m.runs[who.contact], started)
	m.created = append(m.created, started)
	m.taken[slot{who, a.Slot}] = true
	m.happened[slot{who, a.Occurrence}] = a.Occurrence != ""
	m.pasts[who] = past{any: true, last: m.pasts[who].last}
	h.done.Started = append(h.done.Started, RunRef{Run: started.id, Funnel: who.funnel})
}

func (m *meeting) refuse(h *happening, who pair, a admission) string {
	switch {
	case a.Refused != "":
		return a.Refused
	case a.funnel.state == "paused":
		return RefusedPaused
	case h.chain > maxChain:
		return RefusedChain
	case m.happened[slot{who, a.Occurrence}]:
		return RefusedOnce
	case h.stands != "" && m.inside(who) != nil:
		return RefusedActive
	}
	past, inside := m.pasts[who], m.inside(who)
	return a.Reentry.Refuses(engine.Past{
		Any: past.any, Inside: inside != nil, Older: inside != nil && h.event().When().Before(inside.since), Key: m.taken[slot{who, a.Slot}], Last: past.last,
	}, h.arrived, engine.ZoneOf(m.people[h.who].Zone, m.zone))
}

// inside is the run the person has in a funnel now, if any. Paused and parked ones count.
func (m *meeting) inside(who pair) *run {
	for _, run := range m.runs[who.contact] {
		if run.funnel == who.funnel && run.ended == "" && !run.lingers() {
			return run
		}
	}
	return nil
}
