package events

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/store"
)

// Posting is one event of Lejek's own about a person.
type Posting struct {
	Contact uuid.UUID
	Name    string
	Props   map[string]any
}

// Post puts events of Lejek's own into the inbox, in order, as of the transaction's instant: they meet funnels after the commit. Nudge the
// pump "inbox" then. chain is how many runs stand between the events and the outside world.
func Post(ctx context.Context, tx store.Tx, workspace uuid.UUID, chain int16, postings ...Posting) error {
	type row struct {
		N         int            `json:"n"`
		ContactID uuid.UUID      `json:"contact_id"`
		Name      string         `json:"name"`
		Props     map[string]any `json:"props"`
	}
	if len(postings) == 0 {
		return nil
	}
	rows := make([]row, len(postings))
	for i, p := range postings {
		rows[i] = row{i, p.Contact, p.Name, p.Props}
	}
	raw, err := json.Marshal(rows)
	if err != nil {
		return fmt.Errorf("post events: %w", err)
	}
	err = store.Q.PostInbox(ctx, tx, store.PostInboxParams{WorkspaceID: workspace, Now: tx.Now, Chain: chain, Rows: raw})
	if err != nil {
		return fmt.Errorf("post events: %w", err)
	}
	return nil
}
