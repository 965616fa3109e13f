package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

func (c *Calls) peekInside(ctx context.Context) ([]int, error) {
	return c.anyQueued(ctx, slices.Collect(maps.Keys(c.inside)), "")
}

// DrainInside answers a batch of calls in one transaction, in the order in which they became due. Whoever fails takes back their own work
// alone.
func (c *Calls) DrainInside(ctx context.Context, batch pump.Batch) (pump.Drained, error) {
	if !c.config.Clock.Settled() || len(c.inside) == 0 {
		return pump.Drained{}, nil
	}
	var drained pump.Drained
	err := store.InTx(ctx, c.config.DB, c.config.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		lines, busy, err := c.lockInside(ctx, tx, batch.Limit)
		if err != nil {
			return err
		}
		drained = pump.Drained{Rows: len(lines), Busy: busy}
		var void keys
		var rest []*line
		var done results
		for _, l := range lines {
			switch {
			case !l.wanted():
				void.add(l)
			case !l.due():
				rest = append(rest, l)
			default:
				if err := c.answer(ctx, tx, l); err != nil {
					return err
				}
				done.add(c, tx.Now, l)
			}
		}
		if err := c.setVoid(ctx, tx, void); err != nil {
			return err
		}
		if err := c.setResting(ctx, tx, rest); err != nil {
			return err
		}
		return done.write(ctx, tx)
	})
	if err == nil && drained.Rows > 0 {
		c.nudge("wake")
		c.nudge("inbox")
	}
	return drained, err
}

// lockInside locks the people of due calls who are free, then their runs and calls.
func (c *Calls) lockInside(ctx context.Context, tx store.Tx, limit int) (lines []*line, busy int, err error) {
	rows, err := tx.Query(ctx, `SELECT c.workspace_id, r.contact_id FROM unnest($1::text[]) AS k (kind)
		CROSS JOIN LATERAL (SELECT * FROM calls WHERE status = 'queued' AND calls.kind = k.kind AND next_attempt_at <= $2 ORDER BY next_attempt_at LIMIT $3) AS c
		JOIN runs r ON r.workspace_id = c.workspace_id AND r.id = c.run_id ORDER BY c.next_attempt_at LIMIT $3`,
		slices.Collect(maps.Keys(c.inside)), tx.Now, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("look for due calls: %w", err)
	}
	people, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (facts.Key, error) {
		var workspace, contact [16]byte
		err := row.Scan(&workspace, &contact)
		return facts.Key{Workspace: workspace, Contact: contact}, err
	})
	if err != nil || len(people) == 0 {
		return nil, 0, err
	}
	free, err := facts.Contacts(ctx, tx, people, facts.Skip)
	if err != nil {
		return nil, 0, err
	}
	var workspaces, contacts [][16]byte
	for key := range free {
		workspaces, contacts = append(workspaces, key.Workspace), append(contacts, key.Contact)
	}
	busy = len(people) - len(free)
	rows, err = tx.Query(ctx, `SELECT `+lineColumns+` FROM unnest($1::uuid[], $2::uuid[]) AS p (workspace_id, id)
		JOIN runs r ON r.workspace_id = p.workspace_id AND r.contact_id = p.id
		JOIN calls c ON c.workspace_id = r.workspace_id AND c.run_id = r.id
		JOIN funnels f ON f.workspace_id = r.workspace_id AND f.id = r.funnel_id
		WHERE c.status = 'queued' AND c.kind = ANY($3) AND c.next_attempt_at <= $4
		ORDER BY c.next_attempt_at, c.workspace_id, c.run_id, c.seq FOR UPDATE OF r, c SKIP LOCKED`, workspaces, contacts, slices.Collect(maps.Keys(c.inside)), tx.Now)
	if err != nil {
		return nil, 0, fmt.Errorf("lock due calls: %w", err)
	}
	lines, err = pgx.CollectRows(rows, scanLine)
	if err != nil {
		return nil, 0, fmt.Errorf("lock due calls: %w", err)
	}
	return lines, max(busy, 0), nil
}

// answer asks one caller in a savepoint. Only what concerns the whole transaction is an error here.
func (c *Calls) answer(ctx context.Context, tx store.Tx, l *line) error {
	if l.err = l.usedUp(tx.Now); l.err != nil {
		return nil //nolint:nilerr // kept with the call: it is this call that failed, not its batch
	}
	l.Attempt++
	l.err = c.inSavepoint(ctx, tx, l)
	if ctx.Err() != nil || store.IsCode(l.err, pgerrcode.SerializationFailure) || store.IsCode(l.err, pgerrcode.DeadlockDetected) {
		return l.err
	}
	return nil
}

func (c *Calls) inSavepoint(ctx context.Context, tx store.Tx, l *line) (err error) {
	defer contain(&err)
	l.answer, err = store.InTxV(ctx, tx, c.config.Clock, func(tx store.Tx) (Answer, error) { return c.inside[l.Kind](ctx, tx, l.Request) })
	return err
}
