// Package pauses tells for how long to leave alone what a pause holds back: a run, a message, a call.
//
// Whoever finds the pause has read it without a lock, and it may be ended at the same moment: the resumption then looks for what was held
// before that is written down, and misses it. So the pause is locked against its end first. One that is locked and still stands is sure:
// its end comes after our commit and finds what we held. One that is not is looked at again soon.
//
// Whoever ends a pause therefore writes the state first, and then lets go what it held, in one transaction.
package pauses

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
)

// How long to rest: Soon while a pause may just be ending, Long under one whose end lets go what it holds.
const (
	Soon = time.Second
	Long = time.Hour
)

// Kind is what is paused.
type Kind string

// What can be paused.
const (
	Workspace Kind = "SELECT id, id FROM workspaces WHERE id = ANY($2) AND id = ANY($1) AND paused_at IS NOT NULL FOR SHARE SKIP LOCKED"
	Funnel    Kind = "SELECT workspace_id, id FROM funnels WHERE workspace_id = ANY($1) AND id = ANY($2) AND state = 'paused' FOR SHARE SKIP LOCKED"
	Campaign  Kind = "SELECT workspace_id, id FROM campaigns WHERE workspace_id = ANY($1) AND id = ANY($2) AND state = 'paused' FOR SHARE SKIP LOCKED"
)

// Key names something that is paused; a workspace is in itself.
type Key struct{ Workspace, ID uuid.UUID }

// Rests answers for each key how long to rest. A key may be given twice.
func Rests(ctx context.Context, tx store.Tx, kind Kind, keys []Key) (map[Key]time.Duration, error) {
	rests := make(map[Key]time.Duration, len(keys))
	var workspaces, ids [][16]byte
	for _, key := range keys {
		if _, seen := rests[key]; !seen {
			rests[key] = Soon
			workspaces, ids = append(workspaces, key.Workspace), append(ids, key.ID)
		}
	}
	if len(ids) == 0 {
		return rests, nil
	}
	rows, err := tx.Query(ctx, string(kind), workspaces, ids)
	if err != nil {
		return nil, fmt.Errorf("lock a pause: %w", err)
	}
	var workspace, id [16]byte
	_, err = pgx.ForEachRow(rows, []any{&workspace, &id}, func() error {
		rests[Key{workspace, id}] = Long
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lock a pause: %w", err)
	}
	return rests, nil
}
