package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/failpoint"
	held "github.com/lejek/lejek/backend/pauses"
	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// write stores the whole batch. Only what its rows need is touched.
func (w *wake) write(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		w.writePeople, w.writeVoid, w.voidCalls, w.writeMessages, w.writeCalls, w.effectsWritten, w.freeTickets, w.giveTickets, w.writeJournal, w.writeRuns, w.writeHeard,
		w.answerCallers, w.writeExits, w.writeNews, w.writePauses, w.writeStops, w.writeFailures,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// effectsWritten is where crash tests break a batch in the middle.
func (w *wake) effectsWritten(context.Context) error {
	failpoint.Hit("runner.after_effects")
	return nil
}

// with are the rows of one fate.
func (w *wake) with(f fate) []*row {
	var rows []*row
	for _, r := range w.rows {
		if r.fate == f {
			rows = append(rows, r)
		}
	}
	return rows
}

const insertJournal = `INSERT INTO journal (workspace_id, run_id, seq, node, kind, at, port, detail)
	SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::text[], $8::jsonb[])`

func (w *wake) writeJournal(ctx context.Context) error {
	n := 0
	for _, r := range w.rows {
		n += len(r.out.Visits)
	}
	if n == 0 {
		return nil
	}
	workspaces, ids := make([][16]byte, 0, n), make([][16]byte, 0, n)
	seqs, nodes, kinds, ports := make([]int32, 0, n), make([]string, 0, n), make([]string, 0, n), make([]string, 0, n)
	at, details := make([]time.Time, 0, n), make([][]byte, 0, n)
	for _, r := range w.rows {
		for _, v := range r.out.Visits {
			var detail []byte
			if len(v.Detail) > 0 {
				var err error
				if detail, err = json.Marshal(v.Detail); err != nil {
					return fmt.Errorf("journal of run %s: %w", r.id, err)
				}
			}
			workspaces, ids, seqs = append(workspaces, r.workspace), append(ids, r.id), append(seqs, int32(v.Seq))
			nodes, kinds, ports = append(nodes, v.Node), append(kinds, v.Kind), append(ports, v.Port)
			at, details = append(at, v.At), append(details, detail)
		}
	}
	if _, err := w.tx.Exec(ctx, insertJournal, workspaces, ids, seqs, nodes, kinds, at, ports, details); err != nil {
		return fmt.Errorf("write the journal: %w", err)
	}
	return nil
}

// updateRuns compares the seq each run was read with: the fence.
const updateRuns = `UPDATE runs r SET node = x.node, seq = x.seq, status = x.status, lane = x.lane, wake_at = x.wake, at = x.at, deadline = x.deadline, resume_at = NULL,
		void_before = greatest(r.void_before, x.void), goal = x.goal, vars = coalesce(x.vars, r.vars), quiet = coalesce(x.quiet, r.quiet),
		end_reason = nullif(x.reason, ''), attempts = 0, last_error = NULL,
		ended_at = CASE WHEN x.status IN ('done', 'exited') THEN CASE WHEN x.seq = x.was THEN r.ended_at ELSE $1::timestamptz END END,
		slot = CASE WHEN x.status IN ('done', 'exited') AND r.slot = 'active' THEN NULL ELSE r.slot END
	FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::int[], $7::text[], $8::smallint[], $9::timestamptz[], $10::timestamptz[],
		$11::timestamptz[], $12::int[], $13::text[], $14::text[], $15::jsonb[], $16::jsonb[])
		AS x (w, id, was, node, seq, status, lane, wake, at, deadline, void, goal, reason, vars, quiet)
	WHERE r.workspace_id = x.w AND r.id = x.id AND r.seq = x.was`

func (w *wake) writeRuns(ctx context.Context) error {
	rows := w.with(advances)
	n := len(rows)
	if n == 0 {
		return nil
	}
	workspaces, ids, was, seqs, voids := make([][16]byte, n), make([][16]byte, n), make([]int32, n), make([]int32, n), make([]int32, n)
	nodes, statuses, goals, reasons := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	lanes, at := make([]int16, n), make([]time.Time, n)
	wakes, deadlines, vars, quiets := make([]*time.Time, n), make([]*time.Time, n), make([][]byte, n), make([][]byte, n)
	for i, r := range rows {
		run := &r.out.Run
		workspaces[i], ids[i], was[i], seqs[i] = r.workspace, r.id, int32(r.run.Seq), int32(run.Seq)
		nodes[i], statuses[i], goals[i], reasons[i] = run.Node, string(run.Status), run.Goal, run.Reason
		lanes[i], at[i], wakes[i], deadlines[i] = max(w.lane, laneNormal), run.At, given(run.WakeAt), given(run.Deadline)
		if r.out.Void {
			voids[i] = int32(r.out.VoidBefore)
		}
		quiets[i] = quietJSON(run.Quiet)
		if len(run.Vars) > 0 {
			var err error
			if vars[i], err = json.Marshal(run.Vars); err != nil {
				return fmt.Errorf("variables of run %s: %w", r.id, err)
			}
		}
	}
	tag, err := w.tx.Exec(ctx, updateRuns, w.tx.Now, workspaces, ids, was, nodes, seqs, statuses, lanes, wakes, at, deadlines, voids, goals, reasons, vars, quiets)
	if err != nil {
		return fmt.Errorf("advance runs: %w", err)
	}
	if int(tag.RowsAffected()) != n {
		return fmt.Errorf("the fence held: %d of %d runs had moved meanwhile; nothing of the batch is kept", n-int(tag.RowsAffected()), n)
	}
	return nil
}

func given(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// writeHeard removes the signals that were looked at, and those of runs that ended.
func (w *wake) writeHeard(ctx context.Context) error {
	var workspaces, ids [][16]byte
	var events []int64
	for _, r := range w.with(advances) {
		for _, signal := range r.signals {
			workspaces, ids, events = append(workspaces, r.workspace), append(ids, r.id), append(events, signal.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, `DELETE FROM signals s USING unnest($1::uuid[], $2::uuid[], $3::bigint[]) AS x (w, id, event)
		WHERE s.workspace_id = x.w AND s.run_id = x.id AND s.event_id = x.event`, workspaces, ids, events)
	if err != nil {
		return fmt.Errorf("remove signals: %w", err)
	}
	return nil
}

// writeVoid takes back what a goal made pointless: messages of earlier visits that have not left.
func (w *wake) writeVoid(ctx context.Context) error {
	var workspaces, ids [][16]byte
	var before []int32
	for _, r := range w.with(advances) {
		if r.out.Void {
			workspaces, ids, before = append(workspaces, r.workspace), append(ids, r.id), append(before, int32(r.out.VoidBefore))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, `UPDATE messages m SET status = 'skipped', reason = 'void' FROM unnest($1::uuid[], $2::uuid[], $3::int[]) AS x (w, id, before)
		WHERE m.workspace_id = x.w AND m.run_id = x.id AND m.seq < x.before AND m.status IN ('queued', 'held')`, workspaces, ids, before)
	if err != nil {
		return fmt.Errorf("void messages: %w", err)
	}
	return nil
}

// writeNews posts goals that were reached, and runs that ended where some live funnel or webhook of the workspace listens for that.
func (w *wake) writeNews(ctx context.Context) error {
	var news news
	for _, r := range w.with(advances) {
		props := map[string]string{"funnel": r.funnel.String(), engine.PropRun: r.id.String()}
		if r.out.Run.Goal != "" && r.run.Goal == "" {
			props["goal"] = r.out.Run.Goal
			if err := news.add(r, "goal_reached", w.due, props); err != nil {
				return err
			}
			delete(props, "goal")
		}
		if r.out.Run.Status == engine.Done && r.out.Run.Seq != r.run.Seq && w.heard(r.workspace, "run_ended") {
			props["reason"] = r.out.Run.Reason
			if err := news.add(r, "run_ended", w.due, props); err != nil {
				return err
			}
		}
	}
	if len(news.props) == 0 {
		return nil
	}
	w.posted = true
	_, err := w.tx.Exec(ctx, `INSERT INTO inbox (workspace_id, contact_id, name, at, due_at, props, chain)
		SELECT w, c, name, at, at, props, chain
		FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::jsonb[], $6::smallint[]) AS x (w, c, name, at, props, chain)`,
		news.workspaces, news.contacts, news.names, news.at, news.props, news.chains)
	if err != nil {
		return fmt.Errorf("post news of runs: %w", err)
	}
	return nil
}

// heard tells whether a funnel of the workspace that people may enter depends on events of a name, or a webhook hears of them.
func (w *wake) heard(workspace uuid.UUID, name string) bool {
	h := w.houses[workspace]
	if h == nil {
		return false // an operator moves one run: nobody was asked
	}
	if h.told {
		return true
	}
	for _, version := range h.live {
		if v := w.versions[plans.Key{Workspace: workspace, Version: version}]; v != nil && v.Hears(name) {
			return true
		}
	}
	return false
}

// news are internal events on their way into the inbox.
type news struct {
	workspaces, contacts [][16]byte
	names                []string
	at                   []time.Time
	props                [][]byte
	chains               []int16
}

func (n *news) add(r *row, name string, at time.Time, props map[string]string) error {
	raw, err := json.Marshal(props)
	if err != nil {
		return fmt.Errorf("describe what a run did: %w", err)
	}
	n.workspaces, n.contacts, n.names = append(n.workspaces, r.workspace), append(n.contacts, r.contact), append(n.names, name)
	n.at, n.props, n.chains = append(n.at, at), append(n.props, raw), append(n.chains, r.chain+1)
	return nil
}

// writePauses sets runs of paused funnels aside, with the wake time they had, and looks at them again where the pause may just be ending.
// One that is done hears what there is when its funnel goes on.
func (w *wake) writePauses(ctx context.Context) error {
	paused := w.with(pauses)
	if len(paused) == 0 {
		return nil
	}
	keys := make([]held.Key, len(paused))
	for i, r := range paused {
		keys[i] = held.Key{Workspace: r.workspace, ID: r.funnel}
	}
	rests, err := held.Rests(ctx, w.tx, held.Funnel, keys)
	if err != nil {
		return err
	}
	workspaces, ids, sure := make([][16]byte, len(paused)), make([][16]byte, len(paused)), make([]bool, len(paused))
	for i, r := range paused {
		workspaces[i], ids[i], sure[i] = r.workspace, r.id, rests[keys[i]] == held.Long
	}
	_, err = w.tx.Exec(ctx, `UPDATE runs r SET status = CASE WHEN x.sure AND r.status = 'active' THEN 'paused' ELSE r.status END,
			resume_at = CASE WHEN x.sure THEN r.wake_at END, wake_at = CASE WHEN x.sure THEN NULL ELSE $4::timestamptz END
		FROM unnest($1::uuid[], $2::uuid[], $3::bool[]) AS x (w, id, sure) WHERE r.workspace_id = x.w AND r.id = x.id`,
		workspaces, ids, sure, w.tx.Now.Add(held.Soon))
	if err != nil {
		return fmt.Errorf("pause runs: %w", err)
	}
	return nil
}

// writeStops ends runs that should have been ended when their funnel was stopped or their person went.
func (w *wake) writeStops(ctx context.Context) error {
	type kind struct {
		workspace uuid.UUID
		reason    string
	}
	ends := map[kind][]uuid.UUID{}
	for _, r := range w.with(stops) {
		k := kind{r.workspace, runs.ReasonStopped}
		if w.people[r.person()].Gone {
			k.reason = runs.ReasonErased
		}
		ends[k] = append(ends[k], r.id)
	}
	for k, ids := range ends {
		if _, err := runs.End(ctx, w.tx, k.workspace, w.tx.Now, ids, k.reason); err != nil {
			return err
		}
	}
	return nil
}

// writeFailures counts an attempt of each run that failed, and parks those that failed too often. One that is done stays so, and hears no more.
func (w *wake) writeFailures(ctx context.Context) error {
	for _, r := range w.with(fails) {
		text := store.Text(r.err.Error(), longText)
		attempts := r.attempts + 1
		retry := w.tx.Now.Add(retryAfter(int(r.attempts)))
		w.runner.Logger.WarnContext(ctx, "a run failed", "workspace", r.workspace, "run", r.id, "step", r.run.Node, "attempt", attempts, "error", text)
		_, err := w.tx.Exec(ctx, `UPDATE runs SET attempts = $3, last_error = $4,
				status = CASE WHEN $5 AND status = 'active' THEN 'parked' ELSE status END, wake_at = CASE WHEN $5 THEN NULL ELSE $6::timestamptz END,
				end_reason = CASE WHEN $5 AND status = 'active' THEN 'failed' ELSE end_reason END
			WHERE workspace_id = $1 AND id = $2 AND seq = $7 AND status IN ('active', 'done')`,
			r.workspace, r.id, attempts, text, attempts >= maxAttempts, retry, r.run.Seq)
		if err != nil {
			return fmt.Errorf("note a failed run: %w", err)
		}
		if r.over() && attempts >= maxAttempts {
			if _, err := w.tx.Exec(ctx, "DELETE FROM signals WHERE workspace_id = $1 AND run_id = $2", r.workspace, r.id); err != nil {
				return fmt.Errorf("drop what a failed run was to hear: %w", err)
			}
		}
	}
	return nil
}
