package reviews

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// States of an approval.
const (
	Open      = "open"
	Approved  = "approved"
	Declined  = "declined"
	Withdrawn = "withdrawn"
	Published = "published"
)

// Approval is a request to publish a draft, and what came of it.
type Approval struct {
	store.FunnelApproval

	Lapsed bool // the draft is no longer the one that was asked about
}

// Latest is the last request for a funnel; nil where nobody ever asked.
func Latest(ctx context.Context, db store.DB, workspace, funnel uuid.UUID) (*Approval, error) {
	row, err := store.Q.Funnel(ctx, db, store.FunnelParams{WorkspaceID: workspace, ID: funnel})
	if err != nil {
		return nil, orNotFound(err, "funnel", funnel)
	}
	return latest(ctx, db, row)
}

func latest(ctx context.Context, db store.DB, row store.Funnel) (*Approval, error) {
	found, err := store.Q.LatestApproval(ctx, db, store.LatestApprovalParams{WorkspaceID: row.WorkspaceID, FunnelID: row.ID})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // nobody asked: that is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("read an approval: %w", err)
	}
	return &Approval{found, found.DraftHash != row.DraftHash}, nil
}

// Ask asks for the draft of the given revision; what was asked before ends.
func Ask(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID, revision int64, note string, by *uuid.UUID) (*Approval, error) {
	row, err := lockAt(ctx, tx, workspace, funnel, revision)
	if err != nil {
		return nil, err
	}
	if err := End(ctx, tx, workspace, funnel, Withdrawn); err != nil {
		return nil, err
	}
	made, err := store.Q.InsertApproval(ctx, tx, store.InsertApprovalParams{
		WorkspaceID: workspace, ID: store.NewID(), FunnelID: funnel, DraftHash: row.DraftHash, Revision: row.Revision, Note: strings.TrimSpace(note),
		By: by, Now: tx.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("insert an approval: %w", err)
	}
	return &Approval{FunnelApproval: made}, nil
}

// Decision is an approver's answer to what is asked.
type Decision struct {
	Revision int64 // of the draft that was looked at
	Approve  bool
	Answer   string
	By       *uuid.UUID
}

// Decide approves the draft that was looked at, or sends it back. Nobody decides on what they asked for themselves.
func Decide(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID, d Decision) (*Approval, error) {
	row, err := lockAt(ctx, tx, workspace, funnel, d.Revision)
	if err != nil {
		return nil, err
	}
	asked, err := latest(ctx, tx, row)
	if err != nil {
		return nil, err
	}
	if asked == nil || asked.State != Open {
		return nil, fault.New(fault.Conflict, "Nothing is waiting for approval here: it was decided, withdrawn or published meanwhile. Reload the page.")
	}
	if asked.AskedBy != nil && d.By != nil && *asked.AskedBy == *d.By {
		return nil, fault.New(fault.Forbidden, "You asked for this approval yourself. Somebody else has to decide, or withdraw it and publish on your own.")
	}
	answer := strings.TrimSpace(d.Answer)
	if !d.Approve && answer == "" {
		return nil, fault.InvalidField("answer", "Say what has to change, so that it can be mended.")
	}
	state := Declined
	if d.Approve {
		state = Approved
	}
	made, err := store.Q.DecideApproval(ctx, tx, store.DecideApprovalParams{
		WorkspaceID: workspace, ID: asked.ID, State: state, DraftHash: row.DraftHash, Revision: row.Revision, Answer: answer, By: d.By, Now: &tx.Now,
	})
	if err != nil {
		return nil, fmt.Errorf("decide on an approval: %w", err)
	}
	return &Approval{FunnelApproval: made}, nil
}

// Withdraw ends what is asked or approved.
func Withdraw(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID) (*Approval, error) {
	row, err := store.Q.LockFunnel(ctx, tx, store.LockFunnelParams{WorkspaceID: workspace, ID: funnel})
	if err != nil {
		return nil, orNotFound(err, "funnel", funnel)
	}
	if err := End(ctx, tx, workspace, funnel, Withdrawn); err != nil {
		return nil, err
	}
	return latest(ctx, tx, row)
}

// End gives what is open or approved its last state.
func End(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID, state string) error {
	if err := store.Q.EndApprovals(ctx, tx, store.EndApprovalsParams{WorkspaceID: workspace, FunnelID: funnel, State: state}); err != nil {
		return fmt.Errorf("end an approval: %w", err)
	}
	return nil
}

// NeedApproved refuses unless the draft as it is now was approved.
func NeedApproved(ctx context.Context, db store.DB, workspace, funnel uuid.UUID) error {
	found, err := Latest(ctx, db, workspace, funnel)
	switch {
	case err != nil:
		return err
	case found == nil || found.State != Approved:
		return fault.New(fault.Conflict, "This draft is not approved. Ask somebody who may publish to approve it.")
	case found.Lapsed:
		return fault.New(fault.Conflict, "The draft has changed since it was approved. Ask again.")
	}
	return nil
}

// Waiting are the open requests that somebody else than me made, the oldest first.
func Waiting(ctx context.Context, db store.DB, workspace uuid.UUID, me *uuid.UUID) ([]store.OpenApprovalsRow, error) {
	rows, err := store.Q.OpenApprovals(ctx, db, store.OpenApprovalsParams{WorkspaceID: workspace, Me: me})
	return rows, fault.Wrap(err, "list approvals")
}

// lockAt locks the funnel and refuses when its draft is not of the revision that was looked at.
func lockAt(ctx context.Context, tx store.Tx, workspace, funnel uuid.UUID, revision int64) (store.Funnel, error) {
	row, err := store.Q.LockFunnel(ctx, tx, store.LockFunnelParams{WorkspaceID: workspace, ID: funnel})
	if err != nil {
		return store.Funnel{}, orNotFound(err, "funnel", funnel)
	}
	if row.Revision != revision {
		return store.Funnel{}, fault.New(fault.Conflict, "The draft has changed since you looked at it. Look at it as it is now, then decide.")
	}
	return row, nil
}

func orNotFound(err error, what string, id uuid.UUID) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no %s %s.", what, id)
	}
	return fmt.Errorf("read %s %s: %w", what, id, err)
}
