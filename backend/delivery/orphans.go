package delivery

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/handover"
	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
)

// afterDeath is how many open attempts are decided in one transaction.
const afterDeath = 500

// Inherit decides about the hand-overs that processes of this machine had in hand when they died, by the lists they left: what was answered
// counts, what was not begun is sent again, and of the rest nobody knows.
func (d *Deliverer) Inherit(ctx context.Context, dir string) error {
	orphans, err := handover.Orphans(dir)
	if err != nil {
		return err
	}
	for _, left := range orphans {
		if err := d.inherit(ctx, left); err != nil {
			return joined(err, left.Keep())
		}
		if err := left.Done(); err != nil {
			return fmt.Errorf("take a list of hand-overs away: %w", err)
		}
	}
	return nil
}

const leaseDead = `SELECT m.workspace_id, m.id, m.contact_id, m.run_id, m.node, m.channel, m.class, m.attempts, m.due_at, coalesce(m.to_address, ''), ` + campaignSlug + `,
		coalesce((SELECT p.kind FROM providers p WHERE p.workspace_id = m.workspace_id AND p.id = m.provider_id), ''), a.started_at
	FROM delivery_attempts a JOIN messages m ON m.workspace_id = a.workspace_id AND m.id = a.message_id
	WHERE a.state = 'open' AND a.worker = $1 AND m.status = 'sending' LIMIT $2 FOR UPDATE OF m`

func (d *Deliverer) inherit(ctx context.Context, left *handover.Left) error {
	for {
		var n int
		err := store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
			rows, err := tx.Query(ctx, leaseDead, left.Worker, afterDeath)
			if err != nil {
				return err
			}
			letters, err := pgx.CollectRows(rows, scanLost)
			if err != nil {
				return err
			}
			n = len(letters)
			for _, l := range letters {
				l.result = fromList(left, l.id)
			}
			d.judgeKeys(letters)
			closed, err := d.writeClosed(ctx, tx, left.Worker, letters)
			if err != nil {
				return err
			}
			if err := d.leaveAlone(ctx, tx, closed); err != nil {
				return err
			}
			return writeResults(ctx, tx, closed)
		})
		if err != nil {
			return fmt.Errorf("decide about what a dead process had in hand: %w", err)
		}
		if n > 0 {
			d.Logger.WarnContext(ctx, "a process died with messages in hand; its list of hand-overs says what became of them", "worker", left.Worker, "messages", n)
		}
		if n < afterDeath {
			return nil
		}
	}
}

// fromList is what a list says of a message.
func fromList(left *handover.Left, id uuid.UUID) result {
	answer, begun := left.Begun[id]
	switch {
	case answer != nil:
		return result{providers.Outcome{Answer: mailwire.Answer{Verdict: mailwire.Verdict(answer.Verdict), Code: answer.Code, ID: answer.ID}}}
	case !begun && left.Certain:
		return result{providers.Outcome{Answer: mailwire.Answer{Verdict: mailwire.Unbegun, Code: "not_begun"}}}
	}
	return result{providers.Outcome{Answer: mailwire.Answer{Verdict: mailwire.Uncertain, Code: "no_result"}}}
}

// scanLost reads a letter whose result never came.
func scanLost(r pgx.CollectableRow) (*letter, error) {
	l := letter{result: result{providers.Outcome{Answer: mailwire.Answer{Verdict: mailwire.Uncertain, Code: "no_result"}}}}
	var kind string
	err := r.Scan(&l.workspace, &l.id, &l.contact, &l.run, &l.node, &l.channel, &l.class, &l.attempts, &l.due, &l.to, &l.campaignSlug, &kind, &l.firstAt)
	if known, ok := providers.KindOf(kind); ok {
		l.keyed = known.Idempotent
	}
	return &l, err
}
