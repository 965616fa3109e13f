package events

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Ingest takes up to MaxBatch events of one workspace in the caller's transaction: it finds or creates their people, keeps and counts
// the events, and lets them meet funnels. It answers per event, in order; a rejected one stops no other. An error means that
// nothing was taken.
func (r *Reactor) Ingest(ctx context.Context, tx store.Tx, workspace uuid.UUID, incoming []Incoming) ([]Outcome, error) {
	if len(incoming) > MaxBatch {
		return nil, fault.New(fault.TooLarge, "A batch has at most %d events; this one has %d. Send them in several batches.", MaxBatch, len(incoming))
	}
	outcomes := make([]Outcome, len(incoming))
	batch := make([]*happening, 0, len(incoming))
	place := map[*happening]int{}
	at := make([]time.Time, 0, len(incoming))
	for i, in := range incoming {
		h, code, reason := admit(in, tx.Now)
		if code != "" {
			outcomes[i] = Outcome{Status: Rejected, Code: code, Reason: reason}
			continue
		}
		batch, place[h], at = append(batch, h), i, append(at, h.at)
	}
	if len(batch) == 0 {
		return outcomes, nil
	}
	if err := ensureMonths(ctx, tx, at); err != nil {
		return nil, err
	}
	ids, err := nextIDs(ctx, tx, len(batch))
	if err != nil {
		return nil, err
	}
	for i, h := range batch {
		h.id = ids[i]
	}
	batch, err = dedupe(ctx, tx, workspace, batch, func(h *happening, first int64) {
		outcomes[place[h]] = Outcome{Status: Duplicate, ID: first, Reason: "An event with this id was here before."}
	})
	if err != nil {
		return nil, err
	}
	batch, err = r.identify(ctx, tx, workspace, batch, func(h *happening) people.Input { return incoming[place[h]].Who }, func(h *happening, err *fault.Error) {
		outcomes[place[h]] = Outcome{Status: Rejected, Code: string(err.Code), Reason: err.Message}
	})
	if err != nil {
		return nil, err
	}
	if err := r.react(ctx, tx, workspace, batch); err != nil {
		return nil, err
	}
	if err := record(ctx, tx, workspace, batch); err != nil {
		return nil, err
	}
	if err := remember(ctx, tx, workspace, batch); err != nil {
		return nil, err
	}
	for _, h := range batch {
		outcomes[place[h]] = Outcome{Status: Accepted, ID: h.id, Contact: h.who.Contact, Reaction: h.done, Reason: h.why()}
	}
	return outcomes, nil
}

// why says in words why an event that was taken did nothing.
func (h *happening) why() string {
	switch {
	case h.quiet == "imported":
		return "Imported events count in rules and segments but start nothing."
	case h.quiet == "late":
		return "It happened more than 24 hours ago: it counts in rules and segments but starts nothing."
	case len(h.done.Started)+len(h.done.Woke)+len(h.done.Ended) > 0:
		return ""
	case len(h.done.Refused) > 0:
		return "A funnel starts on this event, but did not let the person in."
	default:
		return "No live funnel starts on this event or waits for it."
	}
}

// dedupe takes the keys of the events and leaves out those that were taken before, in the tables or earlier in the batch. Keys are
// taken in sorted order, before any contact is locked, so that two equal batches wait for each other and not in a circle.
func dedupe(ctx context.Context, tx store.Tx, workspace uuid.UUID, batch []*happening, duplicate func(h *happening, first int64)) ([]*happening, error) {
	type key struct{ source, id string }
	first := map[key]*happening{}
	for _, h := range batch {
		if h.key == nil {
			continue
		}
		if k := (key{h.source, *h.key}); first[k] == nil {
			first[k] = h
		}
	}
	if len(first) == 0 {
		return batch, nil
	}
	sorted := make([]key, 0, len(first))
	for k := range first {
		sorted = append(sorted, k)
	}
	slices.SortFunc(sorted, func(a, b key) int { return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.id, b.id)) })
	sources, external, ids := make([]string, len(sorted)), make([]string, len(sorted)), make([]int64, len(sorted))
	for i, k := range sorted {
		sources[i], external[i], ids[i] = k.source, k.id, first[k].id
	}
	rows, err := tx.Query(ctx, `INSERT INTO event_keys (workspace_id, source, external_id, event_id)
		SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bigint[]) ON CONFLICT DO NOTHING RETURNING event_id`, workspace, sources, external, ids)
	if err != nil {
		return nil, fmt.Errorf("take the ids of events: %w", err)
	}
	inserted, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, fmt.Errorf("take the ids of events: %w", err)
	}
	known := map[key]int64{}
	for k, h := range first {
		known[k] = h.id
	}
	if len(inserted) < len(sorted) {
		rows, err := tx.Query(ctx, `SELECT k.source, k.external_id, k.event_id FROM event_keys k
			JOIN unnest($2::text[], $3::text[]) AS x (source, external_id) ON k.source = x.source AND k.external_id = x.external_id
			WHERE k.workspace_id = $1`, workspace, sources, external)
		if err != nil {
			return nil, fmt.Errorf("look for earlier events: %w", err)
		}
		var k key
		var id int64
		if _, err := pgx.ForEachRow(rows, []any{&k.source, &k.id, &id}, func() error { known[k] = id; return nil }); err != nil {
			return nil, fmt.Errorf("look for earlier events: %w", err)
		}
	}
	kept := batch[:0:0]
	for _, h := range batch {
		if h.key != nil {
			if id := known[key{h.source, *h.key}]; id != h.id {
				duplicate(h, id)
				continue
			}
		}
		kept = append(kept, h)
	}
	return kept, nil
}

// identify finds or creates the people of the events, and locks them. An event whose person cannot be made out is left out, and its
// id may be used again.
func (r *Reactor) identify(ctx context.Context, tx store.Tx, workspace uuid.UUID, batch []*happening,
	who func(*happening) people.Input, reject func(*happening, *fault.Error),
) ([]*happening, error) {
	if len(batch) == 0 {
		return batch, nil
	}
	inputs := make([]people.Input, len(batch))
	for i, h := range batch {
		inputs[i] = who(h)
	}
	found, err := r.People.UpsertMany(ctx, tx, workspace, inputs, people.Options{Source: batch[0].source, Quiet: batch[0].quiet == "imported"})
	if err != nil {
		return nil, err
	}
	kept := batch[:0:0]
	var freed []int64
	for i, h := range batch {
		if err := found[i].Err; err != nil {
			var public *fault.Error
			if !errors.As(err, &public) {
				return nil, err
			}
			reject(h, public)
			freed = append(freed, h.id)
			continue
		}
		h.who = facts.Key{Workspace: workspace, Contact: found[i].Contact.ID}
		kept = append(kept, h)
	}
	if len(freed) > 0 {
		if _, err := tx.Exec(ctx, "DELETE FROM event_keys WHERE workspace_id = $1 AND event_id = ANY($2)", workspace, freed); err != nil {
			return nil, fmt.Errorf("free the ids of rejected events: %w", err)
		}
	}
	return kept, nil
}

// Start starts a funnel with a manual trigger for one person, as somebody pressed the button. The answer says what became of it.
func (r *Reactor) Start(ctx context.Context, tx store.Tx, workspace, contact, funnel uuid.UUID) (Outcome, error) {
	ids, err := nextIDs(ctx, tx, 1)
	if err != nil {
		return Outcome{}, err
	}
	h := &happening{
		id: ids[0], who: facts.Key{Workspace: workspace, Contact: contact}, name: engine.EventManualStart, at: tx.Now, arrived: tx.Now,
		source: SourceInternal, props: map[string]any{"funnel": funnel.String()}, only: funnel,
	}
	h.encode()
	if err := ensureMonths(ctx, tx, []time.Time{h.at}); err != nil {
		return Outcome{}, err
	}
	if err := r.react(ctx, tx, workspace, []*happening{h}); err != nil {
		return Outcome{}, err
	}
	if err := record(ctx, tx, workspace, []*happening{h}); err != nil {
		return Outcome{}, err
	}
	return Outcome{Status: Accepted, ID: h.id, Contact: contact, Reaction: h.done, Reason: h.why()}, nil
}
