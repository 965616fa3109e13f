package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lejek/lejek/engine"
)

// callColumns are the new calls, by column.
type callColumns struct {
	workspaces, runs   [][16]byte
	seqs               []int32
	nodes, kinds, lost []string
	requests           [][]byte
	detached           []bool
	due, deadlines     []time.Time
}

// call takes a call into the batch, unless the run has gone on already or its answer would be void.
func (w *wake) call(r *row, e engine.Call) {
	if r.out.Void && e.Seq < r.out.VoidBefore || !e.Detached && e.Seq != r.out.Run.Seq {
		return
	}
	request, err := json.Marshal(e.Request)
	if err != nil {
		panic(fmt.Errorf("what step %s asks cannot be written down: %w", e.Node, err)) // the run alone fails
	}
	c := &w.calls
	c.workspaces, c.runs, c.seqs = append(c.workspaces, r.workspace), append(c.runs, r.id), append(c.seqs, int32(e.Seq))
	c.nodes, c.kinds, c.lost = append(c.nodes, e.Node), append(c.kinds, e.Kind), append(c.lost, e.Lost)
	c.requests, c.detached = append(c.requests, request), append(c.detached, e.Detached)
	c.due, c.deadlines = append(c.due, e.Due), append(c.deadlines, e.Deadline)
}

// prepare takes a wish for texts ahead of time into the batch, as a call nobody waits for.
func (w *wake) prepare(r *row, e engine.Prepare) {
	w.call(r, engine.Call{Seq: e.Seq, Node: e.Node, Kind: engine.KindPrepare, Request: e.Requests, Due: e.Due, Deadline: e.Until, Detached: true})
}

const insertCalls = `INSERT INTO calls (workspace_id, run_id, seq, node, kind, request, lost, detached, status, due_at, next_attempt_at, deadline, created_at)
	SELECT w, run, seq, node, kind, request, lost, detached, 'queued', due, due, deadline, $1
	FROM unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::text[], $7::jsonb[], $8::text[], $9::bool[], $10::timestamptz[], $11::timestamptz[])
		AS x (w, run, seq, node, kind, request, lost, detached, due, deadline)`

func (w *wake) writeCalls(ctx context.Context) error {
	c := &w.calls
	if len(c.runs) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, insertCalls, w.tx.Now, c.workspaces, c.runs, c.seqs, c.nodes, c.kinds, c.requests, c.lost, c.detached, c.due, c.deadlines)
	if err != nil {
		return fmt.Errorf("queue calls: %w", err)
	}
	return nil
}

// voidCalls takes back the calls nobody waits for any more: those of visits a goal made pointless, and those of a stay that ended without an
// answer.
func (w *wake) voidCalls(ctx context.Context) error {
	var workspaces, ids [][16]byte
	var before []int32
	var all []bool
	for _, r := range w.with(advances) {
		switch {
		case r.out.Void:
			before, all = append(before, int32(r.out.VoidBefore)), append(all, true)
		case r.lostAnAnswer():
			before, all = append(before, int32(r.out.Run.Seq)), append(all, false)
		default:
			continue
		}
		workspaces, ids = append(workspaces, r.workspace), append(ids, r.id)
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, `UPDATE calls c SET status = 'void', ended_at = $5 FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::bool[]) AS x (w, run, before, every)
		WHERE c.workspace_id = x.w AND c.run_id = x.run AND c.seq < x.before AND c.status = 'queued' AND (x.every OR NOT c.detached)`,
		workspaces, ids, before, all, w.tx.Now)
	if err != nil {
		return fmt.Errorf("void calls: %w", err)
	}
	return nil
}

// lostAnAnswer tells that the run has left a step whose call nobody answered in time, or was taken out of one.
func (r *row) lostAnAnswer() bool {
	for _, visit := range r.out.Visits {
		if lost, _ := visit.Detail["lost"].(bool); lost {
			return true
		}
	}
	return false
}
