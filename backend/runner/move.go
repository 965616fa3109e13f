package runner

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/engine"
)

// MoveKind is the task that takes people from older versions of a funnel to a newer one.
const MoveKind = "funnel_move"

// MoveArgs are its arguments.
type MoveArgs struct {
	Funnel uuid.UUID        `json:"funnel"`
	To     uuid.UUID        `json:"to"` // version
	Plan   []runs.Placement `json:"plan"`
	By     *uuid.UUID       `json:"by,omitempty"`
	Note   string           `json:"note,omitempty"` // of the version
}

// MoveReport is its result and its checkpoint.
type MoveReport struct {
	Moved int       `json:"moved"`
	Ended int       `json:"ended"`
	Left  int       `json:"left"` // they await an answer, or had gone on: they finish on their version
	After uuid.UUID `json:"after"`
}

const (
	moveChunk = 300
	laneBulk  = 2
)

// MoveTask is the kind for tasks.Register. A run is moved once however often the task runs: after that it is on the new version.
// Contacts are locked first, so a run that advances meanwhile is seen where it is then, and left alone where the plan says nothing.
func (r *Runner) MoveTask(nudge func(string)) tasks.Kind {
	return tasks.Kind{Name: MoveKind, Label: "Moving people to the new version", Work: func(ctx context.Context, task *tasks.Run) (any, error) {
		var args MoveArgs
		if err := task.Args(&args); err != nil {
			return nil, err
		}
		return tasks.Chunks[MoveReport]{
			Next: func(ctx context.Context, tx store.Tx, done MoveReport) (MoveReport, bool, error) {
				after, end, err := r.moveChunk(ctx, tx, task.Task.WorkspaceID, args, done)
				if err == nil {
					failpoint.Hit("move.before_commit")
				}
				return after, end, err
			},
			Progress: func(done MoveReport) int64 { return int64(done.Moved + done.Ended + done.Left) },
			Committed: func() {
				failpoint.Hit("move.after_commit")
				if nudge != nil {
					nudge("wake")
				}
			},
		}.Work(ctx, task)
	}}
}

// findMovable are the next runs of the versions and steps the plan speaks of.
const findMovable = `SELECT r.id, r.contact_id FROM runs r JOIN unnest($4::uuid[], $5::text[]) AS p (version, node) ON r.version_id = p.version AND r.node = p.node
	WHERE r.workspace_id = $1 AND r.funnel_id = $2 AND r.id > $3 AND r.status IN ('active', 'paused', 'parked') ORDER BY r.id LIMIT $6`

type stepOf struct {
	version uuid.UUID
	node    string
}

func (r *Runner) moveChunk(ctx context.Context, tx store.Tx, workspace uuid.UUID, args MoveArgs, done MoveReport) (MoveReport, bool, error) {
	plan := map[stepOf]runs.Placement{}
	var versions [][16]byte
	var nodes []string
	for _, p := range args.Plan {
		if p.Do != runs.DoKeep {
			plan[stepOf{p.Version, p.Node}] = p
			versions, nodes = append(versions, p.Version), append(nodes, p.Node)
		}
	}
	rows, err := tx.Query(ctx, findMovable, workspace, args.Funnel, done.After, versions, nodes, moveChunk)
	if err != nil {
		return done, false, fmt.Errorf("find who is to move: %w", err)
	}
	var ids []uuid.UUID
	var keys []facts.Key
	var id, contact [16]byte
	_, err = pgx.ForEachRow(rows, []any{&id, &contact}, func() error {
		ids, keys = append(ids, id), append(keys, facts.Key{Workspace: workspace, Contact: contact})
		return nil
	})
	if err != nil || len(ids) == 0 {
		return done, true, err
	}
	w := &wake{runner: r, tx: tx, lane: laneBulk, due: tx.Now}
	if w.people, err = facts.Contacts(ctx, tx, keys, facts.Block); err != nil {
		return done, false, err
	}
	if w.rows, err = lockRuns(ctx, tx, workspace, ids); err != nil {
		return done, false, err
	}
	if err := w.move(ctx, workspace, plan, args, &done); err != nil {
		return done, false, err
	}
	done.After = ids[len(ids)-1]
	return done, len(ids) < moveChunk, nil
}

// move decides about the locked runs and writes it.
func (w *wake) move(ctx context.Context, workspace uuid.UUID, plan map[stepOf]runs.Placement, args MoveArgs, done *MoveReport) error {
	target := plans.Key{Workspace: workspace, Version: args.To}
	for _, load := range []func(context.Context) error{w.loadHouses, w.loadPlans, w.loadSignals} {
		if err := load(ctx); err != nil {
			return err
		}
	}
	found, err := w.runner.Plans.Get(ctx, w.tx, []plans.Key{target})
	if err != nil {
		return err
	}
	to := found[target]
	if to == nil || to.Plan == nil {
		return fault.New(fault.Conflict, "This program cannot run the new version, so nobody is moved to it. Everybody finishes on their version.")
	}
	if err := facts.Fill(ctx, w.tx, w.people, to.Needs); err != nil {
		return err
	}
	past, err := w.pastEvents(ctx, workspace, to.Plan.GoalEvents())
	if err != nil {
		return err
	}
	var ends []uuid.UUID
	var movers []*row
	for _, r := range w.rows {
		p, planned := plan[stepOf{r.version, r.run.Node}]
		person := w.people[r.person()]
		switch {
		case !planned || r.over() || person == nil || person.Gone || r.err != nil:
			done.Left++
			continue
		case p.Do == runs.DoEnd:
			ends = append(ends, r.id)
			continue
		}
		if w.carry(r, to, p, args, past[r.contact]) {
			movers = append(movers, r)
		} else {
			done.Left++
		}
	}
	w.rows = movers
	ended, err := runs.End(ctx, w.tx, workspace, w.tx.Now, ends, runs.ReasonPublished)
	if err != nil {
		return err
	}
	done.Ended += ended
	done.Moved += len(movers)
	if len(movers) == 0 {
		return nil
	}
	moved := make([]uuid.UUID, len(movers))
	for i, r := range movers {
		moved[i] = r.id
	}
	if _, err := w.tx.Exec(ctx, `UPDATE runs SET version_id = $3, resume_at = NULL WHERE workspace_id = $1 AND id = ANY($2)`, workspace, moved, args.To); err != nil {
		return fmt.Errorf("give runs their new version: %w", err)
	}
	return w.write(ctx)
}

// carry moves one run in memory; false leaves it where it is.
func (w *wake) carry(r *row, to *plans.Version, p runs.Placement, args MoveArgs, past []engine.Event) bool {
	from := w.version(r)
	if from == nil || from.Plan == nil || !to.Plan.Has(p.To) || from.Key == to.Key ||
		engine.Carries(from.Plan, r.run.Node, to.Plan, p.To, !r.run.Deadline.IsZero()) == engine.StaysNever {
		return false
	}
	detail := map[string]any{"from": r.run.Node, "from_version": from.N, "to_version": to.N}
	if args.By != nil {
		detail["by"] = args.By.String()
	}
	if args.Note != "" {
		detail["note"] = args.Note
	}
	since := past[:0:0]
	for _, event := range past {
		if !event.At.Before(r.run.StartedAt) {
			since = append(since, event)
		}
	}
	person := w.people[r.person()]
	out, err := engine.Move(from.Plan, to.Plan, r.run, p.To, since, detail, engine.Input{Now: w.tx.Now, Contact: person.Contact, Zone: w.houses[r.workspace].zone})
	if err != nil {
		return false
	}
	r.out, r.fate = out, advances
	if out.Run.Status == engine.Active {
		r.signals = nil // they are heard on the new version
	}
	return true
}

// over tells a run that has ended.
func (r *row) over() bool { return r.run.Status == engine.Done || r.run.Status == engine.Exited }

// pastEvents are the events of given names that the people of the batch had since their runs began, oldest first.
func (w *wake) pastEvents(ctx context.Context, workspace uuid.UUID, names []string) (map[uuid.UUID][]engine.Event, error) {
	if len(names) == 0 || len(w.rows) == 0 {
		return nil, nil //nolint:nilnil // nothing is asked
	}
	contacts := make([][16]byte, 0, len(w.rows))
	var since time.Time
	for _, r := range w.rows {
		contacts = append(contacts, r.contact)
		if since.IsZero() || r.run.StartedAt.Before(since) {
			since = r.run.StartedAt
		}
	}
	rows, err := w.tx.Query(ctx, `SELECT contact_id, id, name, received_at, props FROM events
		WHERE workspace_id = $1 AND contact_id = ANY($2) AND name = ANY($3) AND at >= $4::timestamptz - interval '1 day' AND received_at >= $4 AND NOT imported
		ORDER BY received_at, id`,
		workspace, contacts, names, since)
	if err != nil {
		return nil, fmt.Errorf("read what people did since: %w", err)
	}
	past := map[uuid.UUID][]engine.Event{}
	var contact [16]byte
	var e engine.Event
	var props []byte
	_, err = pgx.ForEachRow(rows, []any{&contact, &e.ID, &e.Name, &e.At, &props}, func() error {
		e.Props = nil
		if err := decode(props, &e.Props); err != nil {
			return fmt.Errorf("event %d: %w", e.ID, err)
		}
		past[contact] = append(past[contact], e)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what people did since: %w", err)
	}
	return past, nil
}

// lockRuns locks runs whose people are locked already, as they are now.
func lockRuns(ctx context.Context, tx store.Tx, workspace uuid.UUID, ids []uuid.UUID) ([]*row, error) {
	rows, err := tx.Query(ctx, readRuns+` AND id = ANY($2) ORDER BY id FOR UPDATE`, workspace, ids)
	if err != nil {
		return nil, fmt.Errorf("lock runs: %w", err)
	}
	locked, err := pgx.CollectRows(rows, scanRow)
	if err != nil {
		return nil, fmt.Errorf("lock runs: %w", err)
	}
	return locked, nil
}
