package wording

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/store"
)

// found is what stands in the table for a wish.
type found struct {
	texts  map[string]string
	review string
	lacks  string // why there are no texts and nobody is to write them now
	begun  bool   // it was taken: it is to be written by whoever asked
}

// look answers what stands there without any lock: most wishes were written before.
func (w *Wording) look(ctx context.Context, wanted *wish) (found, error) {
	var raw []byte
	var resting *time.Time
	var f found
	err := w.DB.QueryRow(ctx, "SELECT vars, rest_until, coalesce(review, '') FROM ai_texts WHERE workspace_id = $1 AND wish = $2 AND about = $3",
		wanted.workspace, wanted.hash, wanted.about).Scan(&raw, &resting, &f.review)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return found{}, nil
	case err != nil:
		return found{}, fmt.Errorf("look a text up: %w", err)
	case f.review == Refused:
		f.lacks = ReasonRefused
	case raw != nil:
		if err := json.Unmarshal(raw, &f.texts); err != nil {
			return found{}, fmt.Errorf("read a text: %w", err)
		}
	case resting != nil && resting.After(w.Machine.Now()):
		f.lacks = ReasonResting
	}
	return f, nil
}

// begin looks the wish up and, when nobody has written it nor is at it, takes it for itself under the lock of its row.
func (w *Wording) begin(ctx context.Context, wanted *wish) (f found, err error) {
	now := w.Machine.Now()
	err = store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		f = found{}
		_, err := tx.Exec(ctx, `INSERT INTO ai_texts (workspace_id, wish, about, contact_id, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (workspace_id, wish, about) DO NOTHING`, wanted.workspace, wanted.hash, wanted.about, wanted.contact, tx.Now)
		if err != nil {
			return fmt.Errorf("look a text up: %w", err)
		}
		var raw []byte
		var taken *time.Time
		err = tx.QueryRow(ctx, "SELECT vars, lease_until, coalesce(review, '') FROM ai_texts WHERE workspace_id = $1 AND wish = $2 AND about = $3 FOR UPDATE",
			wanted.workspace, wanted.hash, wanted.about).Scan(&raw, &taken, &f.review)
		switch {
		case err != nil:
			return fmt.Errorf("look a text up: %w", err)
		case f.review == Refused:
			f.lacks = ReasonRefused
			return nil
		case raw != nil:
			return json.Unmarshal(raw, &f.texts)
		case taken != nil && taken.After(now):
			return nil
		}
		left, err := w.left(ctx, tx, wanted.workspace, now)
		if err != nil {
			return err
		}
		if left <= 0 {
			f.lacks = ReasonQuota
			return nil
		}
		f.begun = true
		return w.hold(ctx, tx, wanted, new(now.Add(cmp.Or(w.Lease, usualLease))))
	})
	return f, err
}

// left is how many texts the workspace may still have written today. Those being written count: the row of the day is locked meanwhile.
func (w *Wording) left(ctx context.Context, tx store.Tx, workspace uuid.UUID, now time.Time) (int, error) {
	day := tx.Now.UTC().Truncate(24 * time.Hour)
	_, err := tx.Exec(ctx, `INSERT INTO ai_usage AS u (workspace_id, day, written) VALUES ($1, $2, 0)
		ON CONFLICT (workspace_id, day) DO UPDATE SET written = u.written`, workspace, day)
	if err != nil {
		return 0, fmt.Errorf("lock the day's quota: %w", err)
	}
	// A statement of its own: it sees what others committed while this one waited for the row.
	var used int
	err = tx.QueryRow(ctx, `SELECT written + (SELECT count(*) FROM ai_texts WHERE workspace_id = $1 AND vars IS NULL AND lease_until > $3)
		FROM ai_usage WHERE workspace_id = $1 AND day = $2`, workspace, day, now).Scan(&used)
	if err != nil {
		return 0, fmt.Errorf("read the day's quota: %w", err)
	}
	return w.Daily - used, nil
}

func (w *Wording) hold(ctx context.Context, db store.DB, wanted *wish, until *time.Time) error {
	_, err := db.Exec(ctx, "UPDATE ai_texts SET lease_until = $4 WHERE workspace_id = $1 AND wish = $2 AND about = $3 AND vars IS NULL",
		wanted.workspace, wanted.hash, wanted.about, until)
	if err != nil {
		return fmt.Errorf("hold a text: %w", err)
	}
	return nil
}

// release lets others try; after an answer that would come again, only when it has rested.
func (w *Wording) release(ctx context.Context, wanted *wish, lasting bool) error {
	if !lasting {
		return w.hold(ctx, w.DB, wanted, nil)
	}
	_, err := w.DB.Exec(ctx, "UPDATE ai_texts SET lease_until = NULL, rest_until = $4 WHERE workspace_id = $1 AND wish = $2 AND about = $3 AND vars IS NULL",
		wanted.workspace, wanted.hash, wanted.about, w.Machine.Now().Add(rest))
	if err != nil {
		return fmt.Errorf("rest a text: %w", err)
	}
	return nil
}

// end keeps what was written, if all of it can be used, and counts it if any can.
func (w *Wording) end(ctx context.Context, wanted *wish, texts ai.Texts) error {
	return store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		if len(texts.Usable) > 0 {
			_, err := tx.Exec(ctx, `INSERT INTO ai_usage AS u (workspace_id, day, written) VALUES ($1, $2, 1)
				ON CONFLICT (workspace_id, day) DO UPDATE SET written = u.written + 1`, wanted.workspace, tx.Now.UTC().Truncate(24*time.Hour))
			if err != nil {
				return fmt.Errorf("count a text: %w", err)
			}
		}
		if len(texts.Refused) > 0 {
			return w.hold(ctx, tx, wanted, nil)
		}
		raw, err := json.Marshal(texts.Usable)
		if err != nil {
			return fmt.Errorf("keep a text: %w", err)
		}
		_, err = tx.Exec(ctx, "UPDATE ai_texts SET vars = $4, lease_until = NULL, rest_until = NULL, review = nullif($5, '') WHERE workspace_id = $1 AND wish = $2 AND about = $3 AND review IS NULL",
			wanted.workspace, wanted.hash, wanted.about, raw, wanted.review)
		if err != nil {
			return fmt.Errorf("keep a text: %w", err)
		}
		return nil
	})
}
