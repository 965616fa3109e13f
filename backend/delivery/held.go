package delivery

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// leaseHeld takes some of what is held, in the order of the index, after one of them.
const leaseHeld = selectLetters + ` FROM messages m WHERE m.status = 'held' AND (m.workspace_id, m.id) > ($1, $2)
	ORDER BY m.workspace_id, m.id LIMIT $3 FOR UPDATE SKIP LOCKED`

// heldEvery is how often a process looks at what is held; it costs a transaction.
const heldEvery = 2 * time.Second

// heldBatch is how much of what is held is looked at in one look.
const heldBatch = 500

// reconsiderHeld takes out of what people and paused campaigns hold what cannot leave any more: its person unsubscribed or was erased, its run met
// the goal or its funnel was stopped, its time is over. Whoever holds it would let it go in vain. Each look goes on where the last one ended.
func (d *Deliverer) reconsiderHeld(ctx context.Context, batch pump.Batch) error {
	d.mu.Lock()
	workspace, after := d.heldWorkspace, d.heldAfter
	rests := batch.Paced && d.Machine.Now().Before(d.heldAgain)
	d.mu.Unlock()
	if rests {
		return nil
	}
	for {
		looked, err := d.reconsiderSome(ctx, &workspace, &after)
		if err != nil {
			return err
		}
		more := looked == heldBatch
		if !more {
			workspace, after = uuid.Nil, uuid.Nil
		}
		d.mu.Lock()
		d.heldWorkspace, d.heldAfter = workspace, after
		d.heldAgain = d.Machine.Now().Add(heldEvery)
		d.mu.Unlock()
		if batch.Paced || !more {
			return nil // the rest is looked at in the next look
		}
	}
}

func (d *Deliverer) reconsiderSome(ctx context.Context, workspace, after *uuid.UUID) (looked int, err error) {
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		held, err := leaseBy(ctx, tx, provider{}, leaseHeld, *workspace, *after, heldBatch)
		if err != nil || len(held) == 0 {
			return err
		}
		looked = len(held)
		last := held[looked-1]
		letters, err := withPersons(ctx, tx, held)
		if err != nil || len(letters) == 0 {
			*workspace, *after = last.workspace, last.id
			return err
		}
		if _, err := d.gate(ctx, tx, letters); err != nil {
			return err
		}
		over := slices.DeleteFunc(letters, func(l *letter) bool { return l.state != skipped && l.state != expired })
		if err := writeStopped(ctx, tx, over); err != nil {
			return err
		}
		*workspace, *after = last.workspace, last.id
		return nil
	})
	return looked, err
}
