package reviews

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// silence is after how long without a word a page counts as closed: three beats of the interface.
const silence = 20 * time.Second

// Page is one open page of a funnel.
type Page struct {
	ID   uuid.UUID
	User uuid.UUID
	Node string // the step being edited, "" for none
}

// Beat notes that a page is open, or was left, and answers the other pages and the draft's revision. now is machine time.
func Beat(ctx context.Context, db store.DB, workspace, funnel uuid.UUID, page *Page, leave bool, now time.Time) ([]store.PresentRow, int64, error) {
	row, err := store.Q.Funnel(ctx, db, store.FunnelParams{WorkspaceID: workspace, ID: funnel})
	if err != nil {
		return nil, 0, orNotFound(err, "funnel", funnel)
	}
	self := uuid.Nil
	if page != nil {
		self = page.ID
		if leave {
			err = store.Q.LeavePage(ctx, db, store.LeavePageParams{WorkspaceID: workspace, FunnelID: funnel, Page: self, Before: now.Add(-silence)})
		} else {
			err = store.Q.BePresent(ctx, db, store.BePresentParams{WorkspaceID: workspace, FunnelID: funnel, Page: self, UserID: page.User, Node: page.Node, Now: now})
		}
		if err != nil {
			return nil, 0, fault.Wrap(err, "note who is present")
		}
	}
	others, err := store.Q.Present(ctx, db, store.PresentParams{WorkspaceID: workspace, FunnelID: funnel, Page: self, After: now.Add(-silence)})
	return others, row.Revision, fault.Wrap(err, "list who is present")
}
