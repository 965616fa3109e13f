package segments

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Look is one person whose segments are looked at. The contact is locked, and filled with what Set.Needs said.
type Look struct {
	Person *facts.Person
	Names  []string                // events that made the look necessary; nil looks at everything, unless Due says what
	Due    map[uuid.UUID]time.Time // segments whose instant has come
	Quiet  bool                    // fire nothing
	Chain  int                     // runs between the outside world and the cause
}

// maxChain is where funnels that move people who start funnels stop being told.
const maxChain = 10

// membership is a row of segment_members.
type membership struct {
	since, recheck *time.Time
}

type memberKey struct{ contact, segment uuid.UUID }

// move is one transaction's looks.
type move struct {
	tx        store.Tx
	workspace uuid.UUID
	zone      *time.Location
	set       Set
	rows      map[memberKey]membership

	written map[memberKey]membership
	fired   []firing
	changed []uuid.UUID // people who entered or left something
}

type firing struct {
	contact uuid.UUID
	name    string
	slug    string
	at      time.Time
	chain   int
}

// Move brings people into and out of segments. It returns the people it moved, those moved quietly too.
func Move(ctx context.Context, tx store.Tx, workspace uuid.UUID, zone string, set Set, looks []Look) ([]uuid.UUID, error) {
	if set.Empty() || len(looks) == 0 {
		return nil, nil
	}
	m := &move{tx: tx, workspace: workspace, zone: engine.ZoneOf(zone), set: set, written: map[memberKey]membership{}}
	if err := m.load(ctx, looks); err != nil {
		return nil, err
	}
	for i := range looks {
		m.look(&looks[i])
	}
	if err := m.write(ctx); err != nil {
		return nil, err
	}
	return m.changed, m.tell(ctx)
}

func (m *move) load(ctx context.Context, looks []Look) error {
	contacts := make([][16]byte, len(looks))
	for i, look := range looks {
		contacts[i] = look.Person.Key.Contact
	}
	rows, err := m.tx.Query(ctx, `SELECT contact_id, segment_id, since, recheck_at FROM segment_members
		WHERE workspace_id = $1 AND contact_id = ANY($2::uuid[])`, m.workspace, contacts)
	if err != nil {
		return fmt.Errorf("read memberships: %w", err)
	}
	m.rows = map[memberKey]membership{}
	var contact, segment [16]byte
	var since, recheck *time.Time
	_, err = pgx.ForEachRow(rows, []any{&contact, &segment, &since, &recheck}, func() error {
		m.rows[memberKey{contact, segment}] = membership{since, recheck}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read memberships: %w", err)
	}
	return nil
}

// look asks every segment that the cause concerns, and then those made of a segment that the person entered or left.
func (m *move) look(look *Look) {
	moved := map[string]bool{}
	for _, s := range m.set.list {
		_, due := look.Due[s.id]
		if !due && (look.Names != nil || look.Due != nil) && !slices.ContainsFunc(look.Names, s.hears) &&
			!slices.ContainsFunc(s.refers, func(slug string) bool { return moved[slug] }) {
			continue
		}
		if m.ask(look, s) {
			moved[s.slug] = true
		}
	}
	if len(moved) > 0 {
		m.changed = append(m.changed, look.Person.Key.Contact)
	}
}

// ask asks one segment about one person, and tells whether that moved them.
func (m *move) ask(look *Look, s *segment) bool {
	key := memberKey{look.Person.Key.Contact, s.id}
	before := m.rows[key]
	after, at := before, m.tx.Now
	verdict := engine.Verdict{}
	if !look.Person.Gone {
		verdict = s.compiled.Eval(m.input(look, at))
	}
	after.recheck = nil
	if !verdict.NextChange.IsZero() {
		after.recheck = &verdict.NextChange
	}
	inside := before.since != nil
	if inside == verdict.True {
		m.keep(key, before, after)
		return false
	}
	// The instant that was announced is when it happened, however late the sweep comes; it may have been too early, though.
	if due, ok := look.Due[s.id]; ok && due.Before(at) && s.compiled.True(m.input(look, due)) == verdict.True {
		at = due
	}
	name := engine.EventSegmentLeft
	after.since = nil
	if verdict.True {
		name, after.since = engine.EventSegmentEntered, &at
		look.Person.Segments = append(look.Person.Segments, s.slug)
	} else {
		look.Person.Segments = slices.DeleteFunc(look.Person.Segments, func(slug string) bool { return slug == s.slug })
	}
	m.keep(key, before, after)
	if !look.Quiet && s.reached(key.contact) && look.Chain < maxChain {
		m.fired = append(m.fired, firing{key.contact, name, s.slug, at, look.Chain + 1})
	}
	return true
}

func (m *move) input(look *Look, at time.Time) engine.RuleInput {
	return engine.RuleInput{Now: at, Contact: &look.Person.Contact, Zone: m.zone}
}

// keep notes a row to write, if it is another one than before.
func (m *move) keep(key memberKey, before, after membership) {
	if !same(before.since, after.since) || !same(before.recheck, after.recheck) {
		m.written[key] = after
	}
}

func same(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

const upsertMembers = `INSERT INTO segment_members AS m (workspace_id, contact_id, segment_id, since, recheck_at)
	SELECT s.workspace_id, x.contact, s.id, x.since, x.recheck
	FROM unnest($2::uuid[], $3::uuid[], $4::timestamptz[], $5::timestamptz[]) AS x (contact, segment, since, recheck)
	JOIN segments s ON s.workspace_id = $1 AND s.id = x.segment
	ON CONFLICT (workspace_id, contact_id, segment_id) DO UPDATE SET since = excluded.since, recheck_at = excluded.recheck_at`

func (m *move) write(ctx context.Context) error {
	var contacts, segments, goneContacts, goneSegments [][16]byte
	var since, recheck []*time.Time
	for key, row := range m.written {
		if row.since == nil && row.recheck == nil {
			goneContacts, goneSegments = append(goneContacts, key.contact), append(goneSegments, key.segment)
			continue
		}
		contacts, segments = append(contacts, key.contact), append(segments, key.segment)
		since, recheck = append(since, row.since), append(recheck, row.recheck)
	}
	if len(contacts) > 0 {
		if _, err := m.tx.Exec(ctx, upsertMembers, m.workspace, contacts, segments, since, recheck); err != nil {
			return fmt.Errorf("write memberships: %w", err)
		}
	}
	if len(goneContacts) > 0 {
		_, err := m.tx.Exec(ctx, `DELETE FROM segment_members m USING unnest($2::uuid[], $3::uuid[]) AS x (contact, segment)
			WHERE m.workspace_id = $1 AND m.contact_id = x.contact AND m.segment_id = x.segment`, m.workspace, goneContacts, goneSegments)
		if err != nil {
			return fmt.Errorf("end memberships: %w", err)
		}
	}
	return nil
}

// tell posts who entered and left what.
func (m *move) tell(ctx context.Context) error {
	n := len(m.fired)
	if n == 0 {
		return nil
	}
	contacts, names, at, props, chains := make([][16]byte, n), make([]string, n), make([]time.Time, n), make([][]byte, n), make([]int16, n)
	for i, f := range m.fired {
		contacts[i], names[i], at[i], chains[i] = f.contact, f.name, f.at, int16(f.chain)
		props[i] = fmt.Appendf(nil, `{"segment": %q}`, f.slug)
	}
	_, err := m.tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
		SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::timestamptz[], $4::timestamptz[], $5::jsonb[], $6::smallint[])`,
		m.workspace, contacts, names, at, props, chains)
	if err != nil {
		return fmt.Errorf("tell of people who entered or left segments: %w", err)
	}
	return nil
}
