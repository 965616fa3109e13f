package runner

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/engine"
)

// quietJSON is how quiet hours are stored; nil is none.
func quietJSON(quiet *engine.QuietHours) []byte {
	if quiet == nil {
		return nil
	}
	raw, err := json.Marshal(quiet)
	if err != nil {
		panic(fmt.Errorf("quiet hours cannot be written down: %w", err)) // the run alone fails
	}
	return raw
}

// exit is a run's wish that the person leaves another funnel, or all others.
type exit struct {
	by     *row
	funnel string // slug; "" is all
}

// writeExits ends the runs that steps of this batch take people out of, and those that have ended and not sent all. The people are locked, and runs that moved in this batch are
// written already.
func (w *wake) writeExits(ctx context.Context) error {
	n := len(w.exits)
	if n == 0 {
		return nil
	}
	workspaces, contacts, except, funnels := make([][16]byte, n), make([][16]byte, n), make([][16]byte, n), make([]string, n)
	for i, e := range w.exits {
		workspaces[i], contacts[i], except[i], funnels[i] = e.by.workspace, e.by.contact, e.by.id, e.funnel
	}
	rows, err := w.tx.Query(ctx, `SELECT DISTINCT r.workspace_id, r.id FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[]) AS x (w, contact, besides, funnel)
		JOIN runs r ON r.workspace_id = x.w AND r.contact_id = x.contact AND r.id <> x.besides
			AND (r.status IN ('active', 'paused', 'parked') OR r.id IN (SELECT m.run_id FROM messages m
				WHERE m.workspace_id = x.w AND m.contact_id = x.contact AND `+runs.Unsent+`))
		JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
		WHERE x.funnel IN ('', f.slug)`, workspaces, contacts, except, funnels)
	if err != nil {
		return fmt.Errorf("look for runs to leave: %w", err)
	}
	ends := map[uuid.UUID][]uuid.UUID{}
	var workspace, id [16]byte
	if _, err := pgx.ForEachRow(rows, []any{&workspace, &id}, func() error {
		ends[workspace] = append(ends[workspace], id)
		return nil
	}); err != nil {
		return fmt.Errorf("look for runs to leave: %w", err)
	}
	for workspace, ids := range ends {
		if _, err := runs.End(ctx, w.tx, workspace, w.tx.Now, ids, runs.ReasonLeft); err != nil {
			return err
		}
		w.posted = true
	}
	return nil
}

// answerCallers tells the runs that wait for runs of this batch to end that they have.
func (w *wake) answerCallers(ctx context.Context) error {
	var ended runs.Ended
	for _, r := range w.with(advances) {
		if run := &r.out.Run; r.caller != nil && run.Status != engine.Active && run.Status != engine.Parked {
			ended.Add(r.workspace, *r.caller, r.call, run.Reason, run.At)
		}
	}
	return ended.Tell(ctx, w.tx, w.tx.Now)
}
