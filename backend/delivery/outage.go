package delivery

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// outage is what all workers know of an account that is out of order. Machine time.
type outage struct {
	since, until time.Time
	settings     bool
	reason       string
}

// The breaker of an account: it opens when of so many calls within so long half or more failed, and closes when one that was tried alone went
// well. What is wrong with a recipient or a message never counts.
const (
	breakerWindow = 30 * time.Second
	breakerCalls  = 10
)

// closures are for how long an account is left alone, the first time it opens, the second, and from then on.
var closures = []time.Duration{30 * time.Second, 2 * time.Minute, 5 * time.Minute}

// window counts the calls of one process. Its zero value is empty.
type window struct {
	mu    sync.Mutex
	calls []call // in order
}

type call struct {
	at     time.Time
	failed bool
}

// note takes a result in and tells whether the account is to be left alone.
func (w *window) note(now time.Time, r result) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Verdict == mailwire.Unbegun {
		return false
	}
	failed := r.Verdict == mailwire.Uncertain || r.Verdict == mailwire.Postponed && r.Account
	w.calls = append(w.calls, call{now, failed})
	first := 0
	for first < len(w.calls) && now.Sub(w.calls[first].at) > breakerWindow {
		first++
	}
	w.calls = append(w.calls[:0], w.calls[first:]...)
	if !failed || len(w.calls) < breakerCalls {
		if len(w.calls) > 20*breakerCalls { // enough to judge by
			w.calls = append(w.calls[:0], w.calls[len(w.calls)/2:]...)
		}
		return false
	}
	bad := 0
	for _, c := range w.calls {
		if c.failed {
			bad++
		}
	}
	return 2*bad >= len(w.calls)
}

func (w *window) clear() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls = nil
}

// shut tells all workers to leave an account alone: each time in a row for longer. With settings only a change of them opens it again.
func (d *Deliverer) shut(ctx context.Context, p provider, reason string, settings bool) error {
	now := d.Machine.Now()
	_, err := d.DB.Exec(ctx, `INSERT INTO provider_outages (workspace_id, provider_id, since, until, trips, reason, settings)
		SELECT $1, $2, $3, $3::timestamptz + $4::bigint * interval '1 microsecond', 1, $5, $6
			FROM providers WHERE workspace_id = $1 AND id = $2 AND revision = $7
		ON CONFLICT (workspace_id, provider_id) DO UPDATE SET until = greatest(provider_outages.until, $3::timestamptz +
				($8::bigint[])[least(provider_outages.trips + 1, 3)] * interval '1 microsecond'),
			trips = least(provider_outages.trips + 1, 100), reason = excluded.reason, settings = excluded.settings, probe = '', probe_until = NULL
		WHERE provider_outages.until <= $3`,
		p.workspace, p.id, now, closures[0].Microseconds(), clip(reason), settings, p.revision,
		[]int64{closures[0].Microseconds(), closures[1].Microseconds(), closures[2].Microseconds()})
	if err != nil {
		return fmt.Errorf("note that a provider is out of order: %w", err)
	}
	return nil
}

// probe asks to be the one who tries an account that is out of order.
func (d *Deliverer) probe(ctx context.Context, p provider) (bool, error) {
	now := d.Machine.Now()
	var mine bool
	err := d.DB.QueryRow(ctx, `UPDATE provider_outages SET probe = $3, probe_until = $4 WHERE workspace_id = $1 AND provider_id = $2 AND NOT settings
			AND until <= $5 AND (probe_until IS NULL OR probe_until <= $5) RETURNING true`,
		p.workspace, p.id, d.Worker, now.Add(d.Lease), now).Scan(&mine)
	if errors.Is(err, pgx.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("try a provider that is out of order: %w", err)
	}
	return mine, nil
}

// recover notes that an account is in order again.
func (d *Deliverer) recovered(ctx context.Context, p provider) error {
	_, err := d.DB.Exec(ctx, "DELETE FROM provider_outages WHERE workspace_id = $1 AND provider_id = $2", p.workspace, p.id)
	if err != nil {
		return fmt.Errorf("note that a provider is in order: %w", err)
	}
	return nil
}

// unprobed gives the right to try back.
func (d *Deliverer) unprobed(ctx context.Context, p provider) error {
	_, err := d.DB.Exec(ctx, "UPDATE provider_outages SET probe = '', probe_until = NULL WHERE workspace_id = $1 AND provider_id = $2 AND probe = $3",
		p.workspace, p.id, d.Worker)
	if err != nil {
		return fmt.Errorf("give back the right to try a provider: %w", err)
	}
	return nil
}

// When messages move to the reserve: somebody waits for those of the first lane.
const (
	failoverUrgent = 30 * time.Second
	failoverBulk   = 30 * time.Minute
	failoverBatch  = 500
)

// failOver moves messages of an account that is out of order to the reserve of its channel, if there is one that is in order: those that were
// never begun. Whoever may have been sent already stays, and so does what the reserve may not send in its domain's name. It tells how many it moved.
func (d *Deliverer) failOver(ctx context.Context, p provider, lane int) (int64, error) {
	after := failoverBulk
	if lane == laneTransactional {
		after = failoverUrgent
	}
	if d.Machine.Now().Sub(p.outage.since) < after {
		return 0, nil
	}
	var reserve uuid.UUID
	err := d.DB.QueryRow(ctx, `SELECT q.id FROM providers q WHERE q.workspace_id = $1 AND q.channel = $2 AND q.reserve AND q.id <> $3
		AND NOT EXISTS (SELECT 1 FROM provider_outages o WHERE o.workspace_id = q.workspace_id AND o.provider_id = q.id)`, p.workspace, p.channel, p.id).Scan(&reserve)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for the reserve: %w", err)
	}
	closed := []string{}
	if p.channel == engine.ChannelEmail {
		if closed, err = d.closedTo(ctx, p.workspace, reserve); err != nil {
			return 0, err
		}
	}
	tag, err := d.DB.Exec(ctx, `UPDATE messages m SET provider_id = $2, reason = NULL, next_attempt_at = least(m.next_attempt_at, $4)
		WHERE m.workspace_id = $1 AND m.id IN (SELECT x.id FROM messages x WHERE x.provider_id = $3 AND x.lane = $5 AND x.status = 'queued' AND x.attempts = 0
			AND (x.next_attempt_at <= $4 OR x.reason LIKE 'account: %')
			AND NOT EXISTS (SELECT 1 FROM delivery_attempts a WHERE a.workspace_id = x.workspace_id AND a.message_id = x.id AND a.state IN ('open', 'unknown', 'accepted'))
			AND NOT EXISTS (SELECT 1 FROM senders s WHERE s.workspace_id = $1 AND split_part(s.email, '@', 2) = ANY($7) AND (s.slug = x.sender OR s.is_default
				AND NOT EXISTS (SELECT 1 FROM senders t WHERE t.workspace_id = $1 AND t.slug = x.sender)))
			LIMIT $6 FOR UPDATE SKIP LOCKED)`,
		p.workspace, reserve, p.id, d.Clock.Now(), lane, failoverBatch, closed)
	if err != nil {
		return 0, fmt.Errorf("move messages to the reserve: %w", err)
	}
	return tag.RowsAffected(), nil
}

// reopen forgets what was wrong with an account under its former settings. What waited for it becomes due.
func reopen(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, "DELETE FROM provider_outages WHERE workspace_id = $1 AND provider_id = $2", workspace, id); err != nil {
		return fmt.Errorf("try a provider anew: %w", err)
	}
	if _, err := tx.Exec(ctx, "UPDATE rate_buckets SET paused_until = NULL, reason = NULL, slow = 1 WHERE key = $1", provider{id: id}.bucket()); err != nil {
		return fmt.Errorf("try a provider anew: %w", err)
	}
	_, err := tx.Exec(ctx, `UPDATE messages SET next_attempt_at = least(next_attempt_at, $3) WHERE workspace_id = $1 AND provider_id = $2 AND status = 'queued'
		AND reason LIKE 'account: %'`, workspace, id, tx.Now)
	if err != nil {
		return fmt.Errorf("try a provider anew: %w", err)
	}
	return nil
}
