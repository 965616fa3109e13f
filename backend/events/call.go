package events

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// eventCalled is the event by which a funnel starts because another one entered it. Being called is being started by hand.
const eventCalled = "funnel_called"

// Why a funnel that was called lets nobody in, besides the reasons of a trigger.
const (
	refusedUnknown  = "no_funnel"    // it is gone, or not live
	refusedUncalled = "not_callable" // it cannot be started by hand
)

// endless is how long a caller waits for a run that does not end.
const endless = 5 * 366 * 24 * time.Hour

// Enter answers a call of enter_funnel: it starts the funnel in its newest version for the person of the caller, who is locked, and
// tells whether they were let in. A caller that waits is answered again when the run has ended.
func (r *Reactor) Enter(ctx context.Context, tx store.Tx, call calls.Request) (calls.Answer, error) {
	var wish engine.EnterFunnel
	if err := call.Read(&wish); err != nil {
		return calls.Answer{}, err
	}
	refused := func(why string) (calls.Answer, error) {
		return calls.Answer{Port: engine.PortRefused, Why: map[string]any{"funnel": wish.Funnel, "refused": why}}, nil
	}
	var funnel uuid.UUID
	var state string
	err := tx.QueryRow(ctx, `SELECT id, state FROM funnels WHERE workspace_id = $1 AND slug = $2`, call.Workspace, wish.Funnel).Scan(&funnel, &state)
	switch {
	case errors.Is(err, pgx.ErrNoRows), err == nil && state != "live" && state != "paused":
		return refused(refusedUnknown)
	case err != nil:
		return calls.Answer{}, fmt.Errorf("look for the funnel to enter: %w", err)
	}
	h, err := r.called(ctx, tx, call, funnel)
	switch {
	case err != nil:
		return calls.Answer{}, err
	case len(h.done.Refused) > 0:
		return refused(h.done.Refused[0].Why)
	case len(h.done.Started) == 0:
		return refused(refusedUncalled)
	}
	started := h.done.Started[0].Run
	vars, err := json.Marshal(wish.Vars)
	if err != nil {
		return calls.Answer{}, fmt.Errorf("pass variables on: %w", err)
	}
	var caller *uuid.UUID
	if wish.Wait {
		caller = &call.Run
	}
	if _, err := tx.Exec(ctx, `UPDATE runs SET vars = $3, caller_run = $4, caller_seq = CASE WHEN $4::uuid IS NOT NULL THEN $5::int END
		WHERE workspace_id = $1 AND id = $2`, call.Workspace, started, vars, caller, call.Seq); err != nil {
		return calls.Answer{}, fmt.Errorf("pass variables on: %w", err)
	}
	answer := calls.Answer{Port: engine.PortEntered, Why: map[string]any{"funnel": wish.Funnel, "run": started.String()}}
	if wish.Wait {
		answer.Until = tx.Now.Add(endless)
	}
	return answer, nil
}

// called lets the call meet the funnel, as an event of its own.
func (r *Reactor) called(ctx context.Context, tx store.Tx, call calls.Request, funnel uuid.UUID) (*happening, error) {
	ids, err := nextIDs(ctx, tx, 1)
	if err != nil {
		return nil, err
	}
	h := &happening{
		id: ids[0], who: facts.Key{Workspace: call.Workspace, Contact: call.Contact}, name: eventCalled, at: tx.Now, arrived: tx.Now,
		source: SourceInternal, chain: int(call.Chain) + 1, only: funnel,
		props: map[string]any{"funnel": funnel.String(), "from": call.Funnel.String(), engine.PropRun: call.Run.String()},
	}
	h.encode()
	if err := ensureMonths(ctx, tx, []time.Time{h.at}); err != nil {
		return nil, err
	}
	if err := r.react(ctx, tx, call.Workspace, []*happening{h}); err != nil {
		return nil, err
	}
	return h, record(ctx, tx, call.Workspace, []*happening{h})
}
