package delivery

import (
	"context"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
)

// drainSandbox delivers one batch to the Test inbox. It is one transaction from lease to sent, so it is never ambiguous.
func (d *Deliverer) drainSandbox(ctx context.Context, batch pump.Batch) (drained pump.Drained, err error) {
	sent := 0
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		letters, busy, err := lease(ctx, tx, provider{id: Sandbox}, batch.Lane, batch.Limit)
		if err != nil || len(letters) == 0 {
			drained = pump.Drained{Busy: busy}
			return err
		}
		drained = pump.Drained{Rows: len(letters), Busy: busy}
		going, err := d.prepare(ctx, tx, letters)
		if err != nil {
			return err
		}
		sent = len(going)
		if err := writeBodies(ctx, tx, going); err != nil {
			return err
		}
		for _, l := range going {
			l.result = result{} // accepted
		}
		if err := writeResults(ctx, tx, going); err != nil {
			return err
		}
		failpoint.Hit("delivery.before_commit")
		return nil
	})
	if err == nil && sent > 0 {
		d.nudge()
	}
	return drained, err
}

// prepare takes letters through the gate, fills those that may leave, and writes what became of the others. It returns those to hand over.
func (d *Deliverer) prepare(ctx context.Context, tx store.Tx, letters []*letter) ([]*letter, error) {
	r, err := d.gate(ctx, tx, letters)
	if err != nil {
		return nil, err
	}
	if err := d.write(ctx, tx, r, with(letters, leaves)); err != nil {
		return nil, err
	}
	if err := loadDevices(ctx, tx, with(letters, leaves)); err != nil {
		return nil, err
	}
	return with(letters, leaves), writeStopped(ctx, tx, letters)
}
