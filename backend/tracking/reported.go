package tracking

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// Seen is an open or click that a provider saw on its own links.
type Seen struct {
	Workspace, Message uuid.UUID

	Click   bool
	URL     string // of a click
	Agent   string
	Machine bool // the provider knows that nobody looked
	At      time.Time
}

// Reported keeps what a provider saw, to be judged like what we saw ourselves.
func Reported(ctx context.Context, tx store.Tx, seen Seen) error {
	kind := "open"
	if seen.Click {
		kind = "click"
	}
	_, err := tx.Exec(ctx, insertHit, seen.Workspace, seen.Message, kind, 0, seen.URL, false, http.MethodGet, agentOf(seen.Agent), seen.Machine, seen.At, tx.Now, maxHits)
	if err != nil {
		return fmt.Errorf("keep what a provider saw: %w", err)
	}
	return nil
}
