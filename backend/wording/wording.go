package wording

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Why fallbacks stand, beside ai.Reason.
const (
	ReasonNoKey = "no_key"
	ReasonQuota = "quota" // the workspace's texts of the day are used up
	ReasonGone  = "gone"

	ReasonResting = "resting" // nobody could write it a moment ago
	ReasonUnfit   = "unfit"   // what came may not stand in a message
)

const (
	usualLease = 30 * time.Second
	rest       = 5 * time.Minute // after an answer that asking again would not better
	comeBack   = time.Second
	portNext   = "next"
)

// Wording answers the calls of ai_generate. It is safe for use by many goroutines.
type Wording struct {
	DB      store.DB
	Clock   clock.Clock // business time: the day of the quota
	Machine clock.Clock // leases
	Writer  *ai.Writer  // one that is not ready leaves everything to the fallbacks
	Secret  []byte
	Daily   int           // how many answers a workspace may have written on a day
	Lease   time.Duration // how long one writer keeps others off; 0 is half a minute

	known recent
}

// wish is one call as the cache knows it.
type wish struct {
	workspace, contact uuid.UUID
	hash, about        []byte
	ask                ai.Wish
}

// Write is the calls.Outside of ai_generate.
func (w *Wording) Write(ctx context.Context, call calls.Request) (calls.Answer, error) {
	var request engine.WriteRequest
	if err := call.Read(&request); err != nil {
		return calls.Answer{}, err
	}
	if !w.Writer.Ready() {
		return fallback(ReasonNoKey), nil
	}
	wanted, err := w.wish(ctx, call, request)
	if err != nil || wanted == nil {
		return fallback(ReasonGone), err
	}
	if texts := w.known.get(wanted.key()); texts != nil {
		return answer(texts, map[string]any{"cached": true}), nil
	}
	known, begun, reason, err := w.look(ctx, wanted)
	if err == nil && known == nil && reason == "" {
		known, begun, reason, err = w.begin(ctx, wanted)
	}
	switch {
	case err != nil:
		return calls.Answer{}, err
	case reason != "":
		return fallback(reason), nil
	case known != nil:
		w.known.put(wanted.key(), known)
		return answer(known, map[string]any{"cached": true}), nil
	case !begun:
		return calls.Answer{}, calls.After(errors.New("the same text is being written for somebody else"), comeBack)
	}
	texts, err := w.Writer.Write(ctx, wanted.ask)
	if err != nil {
		reason, lasting := ai.Reason(ctx, err)
		if err := w.release(context.WithoutCancel(ctx), wanted, lasting); err != nil {
			return calls.Answer{}, err
		}
		if lasting {
			return fallback(reason), nil
		}
		return calls.Answer{}, fmt.Errorf("the model gave no answer: %s", reason)
	}
	if err := w.end(context.WithoutCancel(ctx), wanted, texts); err != nil {
		return calls.Answer{}, err
	}
	why := map[string]any{"written": len(texts.Usable)}
	if len(texts.Refused) > 0 {
		why["fallback"], why["refused"] = ReasonUnfit, texts.Refused
	}
	return answer(texts.Usable, why), nil
}

// fallback leaves every text to the engine, which knows what stands in its place.
func fallback(reason string) calls.Answer {
	return calls.Answer{Port: portNext, Why: map[string]any{"fallback": reason}}
}

func answer(texts map[string]string, why map[string]any) calls.Answer {
	vars := make(map[string]any, len(texts))
	for name, text := range texts {
		vars[name] = text
	}
	return calls.Answer{Port: portNext, Vars: vars, Why: why}
}

// wish reads what may be told of the person; nil when the person is gone.
func (w *Wording) wish(ctx context.Context, call calls.Request, request engine.WriteRequest) (*wish, error) {
	key := facts.Key{Workspace: call.Workspace, Contact: call.Contact}
	found, err := facts.Contacts(ctx, w.DB, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return nil, err
	}
	person := found[key]
	if person == nil || person.Gone {
		return nil, nil
	}
	workspace, err := store.Q.Workspace(ctx, w.DB, call.Workspace)
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	language := person.Language
	if language == "" {
		language = workspace.Language
	}
	known := map[string]any{}
	for _, field := range request.Attributes {
		if value := person.Fields[field]; value != nil {
			known[field] = ai.NormValue(value)
		}
	}
	hash, err := digest(sha256.New(), request.Variables, language)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, w.Secret)
	mac.Write([]byte("lejek wording"))
	about, err := digest(hmac.New(sha256.New, mac.Sum(nil)), known)
	if err != nil {
		return nil, err
	}
	return &wish{
		workspace: call.Workspace, contact: call.Contact, hash: hash, about: about,
		ask: ai.Wish{Variables: request.Variables, Attributes: known, Language: language},
	}, nil
}

// digest is the sum over values as JSON, whose members are sorted.
func digest(sum hash.Hash, values ...any) ([]byte, error) {
	encoder := json.NewEncoder(sum)
	for _, value := range values {
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("name a wish: %w", err)
		}
	}
	return sum.Sum(nil), nil
}

func (w *wish) key() string { return string(w.workspace[:]) + string(w.hash) + string(w.about) }

// look answers what stands there without any lock: most wishes were written before.
func (w *Wording) look(ctx context.Context, wanted *wish) (known map[string]string, begun bool, reason string, err error) {
	var raw []byte
	var resting *time.Time
	err = w.DB.QueryRow(ctx, "SELECT vars, rest_until FROM ai_texts WHERE workspace_id = $1 AND wish = $2 AND about = $3", wanted.workspace, wanted.hash, wanted.about).Scan(&raw, &resting)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, false, "", nil
	case err != nil:
		return nil, false, "", fmt.Errorf("look a text up: %w", err)
	case raw != nil:
		err := unmarshalInto(raw, &known)
		return known, false, "", err
	case resting != nil && resting.After(w.Machine.Now()):
		return nil, false, ReasonResting, nil
	}
	return nil, false, "", nil
}

func unmarshalInto(raw []byte, into *map[string]string) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("read a text: %w", err)
	}
	return nil
}

// begin looks the wish up and, when nobody has written it nor is at it, takes it for itself under the lock of its row.
func (w *Wording) begin(ctx context.Context, wanted *wish) (known map[string]string, begun bool, reason string, err error) {
	now := w.Machine.Now()
	err = store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		known, begun, reason = nil, false, ""
		_, err := tx.Exec(ctx, `INSERT INTO ai_texts (workspace_id, wish, about, contact_id, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (workspace_id, wish, about) DO NOTHING`, wanted.workspace, wanted.hash, wanted.about, wanted.contact, tx.Now)
		if err != nil {
			return fmt.Errorf("look a text up: %w", err)
		}
		var raw []byte
		var taken *time.Time
		err = tx.QueryRow(ctx, "SELECT vars, lease_until FROM ai_texts WHERE workspace_id = $1 AND wish = $2 AND about = $3 FOR UPDATE",
			wanted.workspace, wanted.hash, wanted.about).Scan(&raw, &taken)
		switch {
		case err != nil:
			return fmt.Errorf("look a text up: %w", err)
		case raw != nil:
			return json.Unmarshal(raw, &known)
		case taken != nil && taken.After(now):
			return nil
		}
		left, err := w.left(ctx, tx, wanted.workspace, now)
		if err != nil {
			return err
		}
		if left <= 0 {
			reason = ReasonQuota
			return nil
		}
		begun = true
		return w.hold(ctx, tx, wanted, new(now.Add(cmp.Or(w.Lease, usualLease))))
	})
	return known, begun, reason, err
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
		_, err = tx.Exec(ctx, "UPDATE ai_texts SET vars = $4, lease_until = NULL WHERE workspace_id = $1 AND wish = $2 AND about = $3",
			wanted.workspace, wanted.hash, wanted.about, raw)
		if err != nil {
			return fmt.Errorf("keep a text: %w", err)
		}
		return nil
	})
}
