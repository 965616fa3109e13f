package webhooks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/failpoint"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/store"
)

// pauses are the times between attempts; after the last one a delivery is dead.
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

const (
	atOnce      = 32 // deliveries of one drain
	perEndpoint = 4  // of one endpoint at once: one that hangs leaves room for the rest
	lease       = time.Minute
	maxAnswer   = 500
	longest     = 24 * time.Hour // that an endpoint may ask us to wait
	keepDone    = 14 * 24 * time.Hour
	keepDead    = 30 * 24 * time.Hour
)

// Job is the pump's job that tells endpoints.
func (w *Webhooks) Job() pump.Job {
	return pump.Job{Kind: "webhook", Label: "Tell other systems what happened", Slots: 1, Lanes: 1, Poll: time.Second, Drain: w.Drain, Peek: w.peek}
}

func (w *Webhooks) peek(ctx context.Context) ([]int, error) {
	var due bool
	err := w.DB.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM webhook_endpoints e JOIN webhook_deliveries d ON d.workspace_id = e.workspace_id AND d.endpoint_id = e.id
		WHERE e.enabled AND (d.status = 'queued' AND d.next_attempt_at <= $1 OR d.status = 'sending' AND d.lease_until < $1))`, w.Machine.Now()).Scan(&due)
	if err != nil {
		return nil, fmt.Errorf("look for due deliveries: %w", err)
	}
	if due {
		return []int{0}, nil
	}
	return nil, nil
}

// delivery is one leased row.
type delivery struct {
	workspace, id, endpoint uuid.UUID
	name, body, url         string
	attempts                int16 // with this one
	secret, old             []byte
	oldUntil                *time.Time
}

// result is what an attempt came to.
type result struct {
	status int // 0 when there was no answer
	answer string
	wait   time.Duration // that the endpoint asks for
	lasts  bool          // another attempt would meet the same
}

func (r result) ok() bool { return r.status >= 200 && r.status < 300 }

// Drain makes a batch of attempts at once and stores what each came to.
func (w *Webhooks) Drain(ctx context.Context, _ pump.Batch) (pump.Drained, error) {
	due, err := w.lease(ctx)
	if err != nil || len(due) == 0 {
		return pump.Drained{}, err
	}
	errs := make([]error, len(due))
	var running sync.WaitGroup
	for i, d := range due {
		running.Go(func() {
			answer := w.post(ctx, d)
			failpoint.Hit("webhooks.after_post")
			errs[i] = w.store(context.WithoutCancel(ctx), d, answer)
		})
	}
	running.Wait()
	return pump.Drained{Rows: len(due)}, errors.Join(errs...)
}

const leaseDue = `WITH due AS (
		SELECT d.workspace_id, d.id, e.url, e.secret, e.old_secret, e.old_until FROM webhook_endpoints e
		CROSS JOIN LATERAL (SELECT * FROM webhook_deliveries d WHERE d.workspace_id = e.workspace_id AND d.endpoint_id = e.id AND d.status = 'queued'
			AND d.next_attempt_at <= $1 ORDER BY d.next_attempt_at LIMIT $2 FOR UPDATE SKIP LOCKED) AS d
		WHERE e.enabled LIMIT $3)
	UPDATE webhook_deliveries d SET status = 'sending', lease_until = $4, attempts = d.attempts + 1 FROM due
	WHERE d.workspace_id = due.workspace_id AND d.id = due.id
	RETURNING d.workspace_id, d.id, d.endpoint_id, d.name, d.body, due.url, d.attempts, due.secret, due.old_secret, due.old_until`

func (w *Webhooks) lease(ctx context.Context) (due []delivery, err error) {
	now := w.Machine.Now()
	err = store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		// A process that died while it told somebody has perhaps told it: the id lets the receiver see that.
		_, err := tx.Exec(ctx, `UPDATE webhook_deliveries SET status = 'queued', lease_until = NULL, next_attempt_at = $1, answer = 'the program ended while it was being told'
			WHERE status = 'sending' AND lease_until < $1`, now)
		if err != nil {
			return fmt.Errorf("take up deliveries that were cut off: %w", err)
		}
		rows, err := tx.Query(ctx, leaseDue, now, perEndpoint, atOnce, now.Add(lease))
		if err != nil {
			return fmt.Errorf("lease deliveries: %w", err)
		}
		due, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (delivery, error) {
			var d delivery
			err := r.Scan(&d.workspace, &d.id, &d.endpoint, &d.name, &d.body, &d.url, &d.attempts, &d.secret, &d.old, &d.oldUntil)
			return d, err
		})
		if err != nil {
			return fmt.Errorf("lease deliveries: %w", err)
		}
		return nil
	})
	return due, err
}

// post makes one attempt.
func (w *Webhooks) post(ctx context.Context, d delivery) result {
	now := w.Machine.Now()
	id, signatures, err := w.sign(d, now)
	if err != nil {
		return result{answer: err.Error()}
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "Lejek-Webhooks")
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("Webhook-Signature", signatures)
	answer, err := w.Client.Do(ctx, outgoing.Request{Method: http.MethodPost, URL: d.url, Header: header, Body: []byte(d.body)})
	if err != nil {
		return result{answer: store.Text(said(err), maxAnswer), lasts: outgoing.Lasting(err)}
	}
	r := result{status: answer.Status, answer: store.Text(string(answer.Body), maxAnswer)}
	if seconds, err := strconv.Atoi(answer.Header.Get("Retry-After")); err == nil && seconds > 0 && (answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable) {
		r.wait = min(time.Duration(seconds)*time.Second, longest)
	}
	return r
}

// said is why there was no answer, as a sentence of its own.
func said(err error) string {
	text := []rune(err.Error())
	if len(text) == 0 {
		return ""
	}
	text[0] = unicode.ToUpper(text[0])
	return strings.TrimSuffix(string(text), ".") + "."
}

// sign makes the headers' id and signatures, the old secret's too while it counts.
func (w *Webhooks) sign(d delivery, now time.Time) (id, signatures string, err error) {
	id = "msg_" + d.id.String()
	boxes := [][]byte{d.secret}
	if d.old != nil && d.oldUntil != nil && now.Before(*d.oldUntil) {
		boxes = append(boxes, d.old)
	}
	for i, box := range boxes {
		secret, err := seal.New(w.Keys.Or(w.Secret), sealed).Open(d.endpoint[:], box)
		if err != nil {
			return "", "", err
		}
		signature, err := Sign(secret, id, now, []byte(d.body))
		if err != nil {
			return "", "", err
		}
		if i > 0 {
			signatures += " "
		}
		signatures += signature
	}
	return id, signatures, nil
}

// store keeps what an attempt came to.
func (w *Webhooks) store(ctx context.Context, d delivery, r result) error {
	now := w.Machine.Now()
	status, next, ended := "delivered", now, &now
	if !r.ok() {
		status = "dead"
		if tried := int(d.attempts) - 1; tried < len(pauses) && r.status != http.StatusGone && !r.lasts {
			status, ended = "queued", nil
			next = now.Add(max(r.wait, pauses[tried]+w.jitter(pauses[tried]/5)))
		}
	}
	ctx, cancel := context.WithTimeout(ctx, lease/2)
	defer cancel()
	return store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE webhook_deliveries SET status = $3, next_attempt_at = $4, ended_at = $5, answer_status = nullif($6, 0), answer = $7, lease_until = NULL
			WHERE workspace_id = $1 AND id = $2 AND status = 'sending' AND attempts = $8`, d.workspace, d.id, status, next, ended, r.status, r.answer, d.attempts)
		if err != nil {
			return fmt.Errorf("store what a system answered: %w", err)
		}
		if r.status != http.StatusGone {
			return nil
		}
		_, err = tx.Exec(ctx, "UPDATE webhook_endpoints SET enabled = false, reason = 'gone', updated_at = $3 WHERE workspace_id = $1 AND id = $2", d.workspace, d.endpoint, tx.Now)
		if err != nil {
			return fmt.Errorf("switch an endpoint off: %w", err)
		}
		return nil
	})
}

func (w *Webhooks) jitter(most time.Duration) time.Duration {
	if w.Jitter != nil {
		return w.Jitter(most)
	}
	return time.Duration(rand.Int64N(int64(most) + 1)) //nolint:gosec // spreads load, guards nothing
}

// Forget drops what was told long ago.
func (w *Webhooks) Forget(ctx context.Context) error {
	now := w.Machine.Now()
	_, err := w.DB.Exec(ctx, "DELETE FROM webhook_deliveries WHERE status = 'delivered' AND ended_at < $1 OR status = 'dead' AND ended_at < $2", now.Add(-keepDone), now.Add(-keepDead))
	if err != nil {
		return fmt.Errorf("forget old deliveries: %w", err)
	}
	return nil
}
