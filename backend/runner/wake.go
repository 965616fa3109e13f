package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// wake is one batch on its way through its transaction.
type wake struct {
	runner *Runner
	tx     store.Tx
	lane   int16
	due    time.Time // up to which time has passed for runs; earlier than tx.Now only while a driver of the manual clock hands in events

	cut bool // a person ends the wait of the one run

	leased   []*row
	rows     []*row // those whose contact was free
	people   map[facts.Key]*facts.Person
	changes  map[facts.Key]*change
	versions map[plans.Key]*plans.Version
	houses   map[uuid.UUID]*house
	funnels  map[funnelKey]funnel
	sent     map[facts.RunKey]map[string][]engine.Event // what became of the runs' messages

	drained  pump.Drained
	messages messageColumns
	calls    callColumns
	asks     []ask
	exits    []exit
	posted   bool // there is something in the inbox
}

type funnelKey struct{ workspace, funnel uuid.UUID }

// funnel is what a funnel adds to its runs.
type funnel struct{ state, slug string }

// house is what a workspace adds to its runs.
type house struct {
	zone      string
	providers map[string]uuid.UUID // of new messages, by channel; zero is the sandbox
	live      []uuid.UUID          // versions new runs get
	told      bool                 // webhooks hear what becomes of runs
	outbox    int                  // minutes that marketing can be seen before it leaves
}

// row is one leased run.
type row struct {
	workspace, id, funnel, version, contact uuid.UUID

	run      engine.Run
	chain    int16
	caller   *uuid.UUID // the run that waits for this one to end
	call     int        // the caller's visit that called
	slot     *string
	attempts int16
	signals  []engine.Event
	fate     fate
	out      engine.Transition
	err      error
}

// fate is what a batch does with a run.
type fate int

const (
	advances fate = iota
	fails
	pauses // its funnel is paused
	stops  // its funnel was stopped, or the person is gone
)

func (r *row) person() facts.Key { return facts.Key{Workspace: r.workspace, Contact: r.contact} }

// run takes the batch from lease to the last write.
func (w *wake) run(ctx context.Context, limit int) error {
	for i, step := range []func(context.Context) error{
		func(ctx context.Context) error { return w.lease(ctx, limit) },
		w.loadPeople, w.loadHouses, w.loadPlans, w.loadSignals, w.loadFacts,
	} {
		if err := step(ctx); err != nil {
			return err
		}
		if len(w.leased) == 0 {
			return nil
		}
		if i == 0 {
			failpoint.Hit("runner.after_lease")
		}
	}
	for _, r := range w.rows {
		w.advance(r)
	}
	w.drained.Rows = len(w.rows)
	return w.write(ctx)
}

// DueQuery leases due runs of a lane ($1) up to an instant ($2) and from the floor ($3), so many at most ($4).
const DueQuery = `SELECT workspace_id, id, funnel_id, version_id, contact_id, node, seq, at, wake_at, deadline, started_at, chain, slot,
		coalesce(key, ''), event, vars, goal, quiet, caller_run, coalesce(caller_seq, 0), attempts, status, coalesce(end_reason, '')
	FROM runs WHERE lane = $1 AND wake_at <= $2 AND wake_at >= $3 ORDER BY wake_at LIMIT $4 FOR UPDATE SKIP LOCKED`

func (w *wake) lease(ctx context.Context, limit int) error {
	var err error
	if w.due, err = w.runner.Clock.Due(ctx, w.tx); err != nil {
		return err
	}
	var from time.Time
	floor, machine := &w.runner.floors[w.lane], w.runner.Machine.Now()
	_, flows := w.runner.Clock.(*clock.Business) // the manual clock jumps, and tests look for what is long overdue
	if flows {
		from = floor.start(machine)
	}
	rows, err := w.tx.Query(ctx, DueQuery, w.lane, w.due, from, limit)
	if err != nil {
		return fmt.Errorf("lease due runs: %w", err)
	}
	if w.leased, err = pgx.CollectRows(rows, scanRow); err != nil {
		return fmt.Errorf("lease due runs: %w", err)
	}
	if flows && from.IsZero() {
		oldest := w.due
		if len(w.leased) > 0 {
			oldest = w.leased[0].run.WakeAt
		}
		floor.found(oldest, machine)
	}
	return nil
}

func scanRow(rows pgx.CollectableRow) (*row, error) {
	var r row
	var workspace, id, funnel, version, contact [16]byte
	var deadline *time.Time
	var event, vars, quiet []byte
	var status string
	err := rows.Scan(&workspace, &id, &funnel, &version, &contact, &r.run.Node, &r.run.Seq, &r.run.At, &r.run.WakeAt, &deadline, &r.run.StartedAt,
		&r.chain, &r.slot, &r.run.Key, &event, &vars, &r.run.Goal, &quiet, &r.caller, &r.call, &r.attempts, &status, &r.run.Reason)
	if err != nil {
		return nil, err
	}
	r.workspace, r.id, r.funnel, r.version, r.contact = workspace, id, funnel, version, contact
	r.run.ID, r.run.Status = r.id.String(), engine.Status(status)
	if deadline != nil {
		r.run.Deadline = *deadline
	}
	r.err = errors.Join(decode(event, &r.run.Event), decode(vars, &r.run.Vars))
	if len(quiet) > 0 {
		r.err = errors.Join(r.err, json.Unmarshal(quiet, &r.run.Quiet))
	}
	return &r, nil
}

func decode(raw []byte, into *map[string]any) error {
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, into)
}

// loadPeople locks the contacts nobody else holds and keeps only their runs.
func (w *wake) loadPeople(ctx context.Context) error {
	keys := make([]facts.Key, len(w.leased))
	for i, r := range w.leased {
		keys[i] = r.person()
	}
	var err error
	if w.people, err = facts.Contacts(ctx, w.tx, keys, facts.Skip); err != nil {
		return err
	}
	for _, r := range w.leased {
		if w.people[r.person()] != nil {
			w.rows = append(w.rows, r)
		}
	}
	w.drained.Busy = len(w.leased) - len(w.rows)
	w.leased = w.rows
	return nil
}

// loadHouses reads the workspaces and the states of the funnels of the batch. Locking neither, it may read a state that is being
// changed: a funnel that is stopped meanwhile ends the run right after us, and the gate stops its messages.
func (w *wake) loadHouses(ctx context.Context) error {
	w.houses, w.funnels = map[uuid.UUID]*house{}, map[funnelKey]funnel{}
	var workspaces, ids [][16]byte
	for _, r := range w.rows {
		key := funnelKey{r.workspace, r.funnel}
		if _, seen := w.funnels[key]; !seen {
			w.funnels[key] = funnel{}
			workspaces, ids = append(workspaces, r.workspace), append(ids, r.funnel)
		}
	}
	rows, err := w.tx.Query(ctx, `SELECT f.workspace_id, f.id, f.state, f.slug, w.zone,
			(SELECT jsonb_object_agg(p.channel, p.id) FROM providers p WHERE p.workspace_id = w.id AND p.active AND w.sending_mode = 'live'),
			ARRAY(SELECT l.live_version FROM funnels l WHERE l.workspace_id = w.id AND l.state IN ('live', 'paused')),
			EXISTS (SELECT 1 FROM webhook_endpoints e WHERE e.workspace_id = w.id AND e.enabled), w.outbox_minutes
		FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
		JOIN funnels f ON f.workspace_id = k.workspace_id AND f.id = k.id
		JOIN workspaces w ON w.id = f.workspace_id`, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read the funnels of runs: %w", err)
	}
	var workspace, id [16]byte
	var of funnel
	var zone string
	var providers []byte
	var live []uuid.UUID
	var told bool
	var outbox int
	_, err = pgx.ForEachRow(rows, []any{&workspace, &id, &of.state, &of.slug, &zone, &providers, &live, &told, &outbox}, func() error {
		h := &house{zone: zone, live: live, told: told, outbox: outbox}
		if providers != nil {
			if err := json.Unmarshal(providers, &h.providers); err != nil {
				return err
			}
		}
		w.houses[workspace] = h
		w.funnels[funnelKey{workspace, id}] = of
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the funnels of runs: %w", err)
	}
	return nil
}

func (w *wake) loadPlans(ctx context.Context) error {
	keys := make([]plans.Key, 0, len(w.rows))
	for _, r := range w.rows {
		keys = append(keys, plans.Key{Workspace: r.workspace, Version: r.version})
	}
	for workspace, h := range w.houses {
		for _, version := range h.live {
			keys = append(keys, plans.Key{Workspace: workspace, Version: version})
		}
	}
	var err error
	w.versions, err = w.runner.Plans.Get(ctx, w.tx, keys)
	return err
}

func (w *wake) loadSignals(ctx context.Context) error {
	byRun := make(map[facts.RunKey]*row, len(w.rows))
	workspaces, ids := make([][16]byte, len(w.rows)), make([][16]byte, len(w.rows))
	for i, r := range w.rows {
		byRun[facts.RunKey{Workspace: r.workspace, Run: r.id}] = r
		workspaces[i], ids[i] = r.workspace, r.id
	}
	rows, err := w.tx.Query(ctx, `SELECT s.workspace_id, s.run_id, s.event_id, s.name, s.at, s.props FROM unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id)
		JOIN signals s ON s.workspace_id = k.workspace_id AND s.run_id = k.id ORDER BY s.at, s.event_id`, workspaces, ids)
	if err != nil {
		return fmt.Errorf("read signals: %w", err)
	}
	var workspace, run [16]byte
	var e engine.Event
	var props []byte
	_, err = pgx.ForEachRow(rows, []any{&workspace, &run, &e.ID, &e.Name, &e.At, &props}, func() error {
		r := byRun[facts.RunKey{Workspace: workspace, Run: run}]
		e.Props = nil
		if err := decode(props, &e.Props); err != nil {
			r.err = errors.Join(r.err, fmt.Errorf("signal %d: %w", e.ID, err))
		}
		r.signals = append(r.signals, e)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read signals: %w", err)
	}
	return nil
}

// loadFacts reads what the batch's plans ask beyond fields, tags and lists.
func (w *wake) loadFacts(ctx context.Context) error {
	var needs facts.Needs
	var asked []facts.RunKey
	asking := map[facts.Key]*facts.Person{}
	for _, r := range w.rows {
		version := w.version(r)
		if version == nil || version.Plan == nil {
			continue
		}
		if version.Needs.Any() {
			needs = needs.And(version.Needs)
			asking[r.person()] = w.people[r.person()]
		}
		if len(version.Plan.MessageSteps()) > 0 {
			asked = append(asked, facts.RunKey{Workspace: r.workspace, Run: r.id})
		}
	}
	if err := facts.Fill(ctx, w.tx, asking, needs); err != nil {
		return err
	}
	if len(asked) == 0 {
		return nil
	}
	var err error
	w.sent, err = facts.Messages(ctx, w.tx, asked)
	return err
}

func (w *wake) version(r *row) *plans.Version {
	return w.versions[plans.Key{Workspace: r.workspace, Version: r.version}]
}

// advance decides one run. Whatever goes wrong here concerns this run only.
func (w *wake) advance(r *row) {
	defer func() {
		if p := recover(); p != nil {
			r.fate, r.err = fails, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	person, in := w.people[r.person()], w.funnels[funnelKey{r.workspace, r.funnel}]
	switch {
	case person.Gone, in.state == "stopped", in.state == "archived", in.state == "draft":
		r.fate = stops
		return
	case in.state == "paused":
		r.fate = pauses
		return
	}
	version := w.version(r)
	switch {
	case r.err != nil:
		r.fate = fails
		return
	case version == nil:
		r.fate, r.err = fails, errors.New("the version of this run is missing")
		return
	case version.Broken != nil:
		r.fate, r.err = fails, version.Broken
		return
	}
	contact := person.Contact
	contact.Messages = w.sent[facts.RunKey{Workspace: r.workspace, Run: r.id}]
	out, err := engine.Advance(version.Plan, r.run, engine.Input{
		Now: w.due, Contact: contact, Signals: r.signals, Zone: w.houses[r.workspace].zone, Cut: w.cut, Self: in.slug,
	})
	if err == nil && out.Run.Status == engine.Active && out.Run.WakeAt.IsZero() {
		err = fmt.Errorf("the step %q has no end", out.Run.Node)
	}
	if err != nil {
		r.fate, r.err = fails, err
		return
	}
	r.out = out
	w.follow(r, person)
}
