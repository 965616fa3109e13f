package runner

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/engine"
)

// throttleKey is one throttle, over all versions of its funnel.
type throttleKey struct {
	workspace, funnel uuid.UUID
	node              string
}

// ask is a run that has come to a throttle.
type ask struct {
	by     *row
	wanted engine.TakeTicket
}

// ask takes a wish for a ticket into the batch, unless the run has gone on already.
func (w *wake) ask(r *row, e engine.TakeTicket) {
	if r.out.Run.Status == engine.Active && e.Seq == r.out.Run.Seq {
		w.asks = append(w.asks, ask{r, e})
	}
}

// giveTickets gives the runs that came to throttles their slots, in order of arrival. Whoever holds the row of a throttle gives out its
// tickets, so that batches take turns; rows are taken in sorted order.
func (w *wake) giveTickets(ctx context.Context) error {
	lines := map[throttleKey][]ask{}
	for _, a := range w.asks {
		key := throttleKey{a.by.workspace, a.by.funnel, a.wanted.Node}
		lines[key] = append(lines[key], a)
	}
	keys := slices.SortedFunc(maps.Keys(lines), func(a, b throttleKey) int {
		return cmp.Or(slices.Compare(a.workspace[:], b.workspace[:]), slices.Compare(a.funnel[:], b.funnel[:]), cmp.Compare(a.node, b.node))
	})
	for _, key := range keys {
		asks := lines[key]
		slices.SortFunc(asks, func(a, b ask) int {
			return cmp.Or(a.wanted.At.Compare(b.wanted.At), slices.Compare(a.by.id[:], b.by.id[:]))
		})
		if err := w.giveOut(ctx, key, asks); err != nil {
			return fmt.Errorf("give out tickets: %w", err)
		}
	}
	return nil
}

// ticket is a number and the instant it is for.
type ticket struct {
	n    int64
	slot time.Time
}

// giveOut gives one throttle's tickets to a line of runs.
func (w *wake) giveOut(ctx context.Context, key throttleKey, asks []ask) error {
	var last int64
	err := w.tx.QueryRow(ctx, `INSERT INTO throttles AS t (workspace_id, funnel_id, node, last) VALUES ($1, $2, $3, 0)
		ON CONFLICT (workspace_id, funnel_id, node) DO UPDATE SET last = t.last RETURNING last`, key.workspace, key.funnel, key.node).Scan(&last)
	if err != nil {
		return err
	}
	slots, err := w.slotsBefore(ctx, key, last, asks)
	if err != nil {
		return err
	}
	free, err := w.freeSlots(ctx, key, asks)
	if err != nil {
		return err
	}
	home := engine.ZoneOf(w.houses[key.workspace].zone)
	var made, reused []ticket
	var makers, reusers [][16]byte
	for _, a := range asks {
		n := last + int64(len(made)) + 1
		given := ticket{n, a.wanted.Slot(slots[n-1], slots[n-int64(a.wanted.Count)], home)}
		for len(free) > 0 && free[0].slot.Before(a.wanted.At) {
			free = free[1:]
		}
		if len(free) > 0 && free[0].slot.Before(given.slot) {
			given, free = free[0], free[1:]
			reused, reusers = append(reused, given), append(reusers, a.by.id)
		} else {
			slots[n] = given.slot
			made, makers = append(made, given), append(makers, a.by.id)
		}
		a.by.out.Stay(given.slot)
		detail := a.by.out.Visits[len(a.by.out.Visits)-1].Detail
		detail["ticket"], detail["until"] = given.n, given.slot
	}
	return w.writeTickets(ctx, key, asks, last, made, makers, reused, reusers)
}

// slotsBefore reads the slots the next ones depend on: the last, and for each the one its count before.
func (w *wake) slotsBefore(ctx context.Context, key throttleKey, last int64, asks []ask) (map[int64]time.Time, error) {
	counts := map[int]bool{} // versions may differ in it
	for _, a := range asks {
		counts[a.wanted.Count] = true
	}
	numbers := []int64{last}
	for count := range counts {
		for i := range asks {
			if n := last + int64(i) + 1 - int64(count); n > 0 && n < last {
				numbers = append(numbers, n)
			}
		}
	}
	rows, err := w.tx.Query(ctx, `SELECT n, slot FROM tickets WHERE workspace_id = $1 AND funnel_id = $2 AND node = $3 AND n = ANY($4)`,
		key.workspace, key.funnel, key.node, numbers)
	if err != nil {
		return nil, err
	}
	slots := map[int64]time.Time{}
	var t ticket
	_, err = pgx.ForEachRow(rows, []any{&t.n, &t.slot}, func() error {
		slots[t.n] = t.slot
		return nil
	})
	return slots, err
}

// freeSlots reads, earliest first, the slots to come whose runs have gone.
func (w *wake) freeSlots(ctx context.Context, key throttleKey, asks []ask) ([]ticket, error) {
	rows, err := w.tx.Query(ctx, `SELECT n, slot FROM tickets WHERE workspace_id = $1 AND funnel_id = $2 AND node = $3 AND run_id IS NULL AND slot >= $4
		ORDER BY slot, n LIMIT $5 FOR UPDATE`, key.workspace, key.funnel, key.node, asks[0].wanted.At, len(asks))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (t ticket, err error) {
		err = row.Scan(&t.n, &t.slot)
		return t, err
	})
}

// writeTickets stores what was given out and removes what no later slot depends on any more.
func (w *wake) writeTickets(ctx context.Context, key throttleKey, asks []ask, last int64, made []ticket, makers [][16]byte, reused []ticket, reusers [][16]byte) error {
	numbers, slots := make([]int64, len(made)), make([]time.Time, len(made))
	for i, t := range made {
		numbers[i], slots[i] = t.n, t.slot
	}
	again := make([]int64, len(reused))
	for i, t := range reused {
		again[i] = t.n
	}
	most := 0
	for _, a := range asks {
		most = max(most, a.wanted.Count)
	}
	last += int64(len(made))
	for _, write := range []struct {
		sql  string
		args []any
	}{
		{`INSERT INTO tickets (workspace_id, funnel_id, node, n, slot, run_id) SELECT $1, $2, $3, * FROM unnest($4::bigint[], $5::timestamptz[], $6::uuid[])`,
			[]any{numbers, slots, makers}},
		{`UPDATE tickets t SET run_id = x.run FROM unnest($4::bigint[], $5::uuid[]) AS x (n, run)
			WHERE t.workspace_id = $1 AND t.funnel_id = $2 AND t.node = $3 AND t.n = x.n`, []any{again, reusers}},
		{`UPDATE throttles SET last = $4 WHERE workspace_id = $1 AND funnel_id = $2 AND node = $3`, []any{last}},
		{`DELETE FROM tickets WHERE workspace_id = $1 AND funnel_id = $2 AND node = $3 AND n <= $4 AND slot < $5`, []any{last - int64(most), w.due}},
	} {
		if _, err := w.tx.Exec(ctx, write.sql, append([]any{key.workspace, key.funnel, key.node}, write.args...)...); err != nil {
			return err
		}
	}
	return nil
}

// freeTickets gives back the slots of runs that have left a throttle before their turn.
func (w *wake) freeTickets(ctx context.Context) error {
	var workspaces, ids [][16]byte
	for _, r := range w.with(advances) {
		if version := w.version(r); version == nil || version.Plan == nil || version.Plan.KindOf(r.run.Node) != engine.KindThrottle {
			continue
		}
		if r.out.Run.Seq > r.run.Seq && r.run.Deadline.After(w.due) {
			workspaces, ids = append(workspaces, r.workspace), append(ids, r.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := w.tx.Exec(ctx, `UPDATE tickets t SET run_id = NULL FROM unnest($1::uuid[], $2::uuid[]) AS x (w, run)
		WHERE t.workspace_id = x.w AND t.run_id = x.run AND t.slot > $3`, workspaces, ids, w.due)
	if err != nil {
		return fmt.Errorf("give back tickets: %w", err)
	}
	return nil
}
