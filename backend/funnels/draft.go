package funnels

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Save is one save of a draft.
type Save struct {
	Revision int64  // the revision the edit started from
	Name     string // "" keeps it
	Document Document
	By       *uuid.UUID
}

// Saved is what a save made.
type Saved struct {
	Revision int64
	SavedAt  time.Time
}

// SaveDraft replaces the draft. When somebody saved meanwhile it answers a fault.Conflict with Current in its Details, and
// nothing changes. A document that is stored already, such as a save repeated because its answer got lost, succeeds
// without a new revision.
func (f *Funnels) SaveDraft(ctx context.Context, workspace, id uuid.UUID, save Save) (Saved, error) {
	draft, layout, hash, err := save.Document.encode()
	if err != nil {
		return Saved{}, err
	}
	if save.Name != "" {
		if save.Name, err = checkName(save.Name); err != nil {
			return Saved{}, err
		}
	}
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Saved, error) {
		row, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return Saved{}, err
		}
		if row.State == Archived {
			return Saved{}, fault.New(fault.Conflict, "The funnel %q is archived and cannot be changed. Duplicate it to go on from it.", row.Name)
		}
		if save.Name == "" {
			save.Name = row.Name
		}
		stored, err := canonical(row.Layout)
		if err != nil {
			return Saved{}, err
		}
		if row.DraftHash == hash && row.Name == save.Name && string(stored) == string(layout) {
			return Saved{row.Revision, row.UpdatedAt}, nil
		}
		if row.Revision != save.Revision {
			return Saved{}, stale(ctx, tx, row)
		}
		row, err = store.Q.SaveDraft(ctx, tx, store.SaveDraftParams{
			WorkspaceID: workspace, ID: id, Name: save.Name, Draft: draft, DraftHash: hash, Layout: layout, By: save.By, Now: tx.Now,
		})
		if err != nil {
			return Saved{}, fmt.Errorf("save a draft: %w", err)
		}
		return Saved{row.Revision, row.UpdatedAt}, nil
	})
}

// Rename gives the funnel another name; its slug stays.
func (f *Funnels) Rename(ctx context.Context, workspace, id uuid.UUID, name string, by *uuid.UUID) (Current, error) {
	name, err := checkName(name)
	if err != nil {
		return Current{}, err
	}
	return f.change(ctx, workspace, id, func(tx store.Tx, row store.Funnel) (store.Funnel, error) {
		if row.Name == name {
			return row, nil
		}
		return store.Q.RenameFunnel(ctx, tx, store.RenameFunnelParams{WorkspaceID: workspace, ID: id, Name: name, By: by, Now: tx.Now})
	})
}

// Duplicate makes a new funnel with the draft of this one. name "" is the old one with "copy".
func (f *Funnels) Duplicate(ctx context.Context, workspace, id uuid.UUID, name string, by *uuid.UUID) (Current, error) {
	from, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Current{}, err
	}
	if name == "" {
		name = from.Head.Name
		if runes := []rune(name); len(runes) > maxName-7 {
			name = string(runes[:maxName-7])
		}
		name += " (copy)"
	}
	tests, err := f.Tests(ctx, workspace, id)
	if err != nil {
		return Current{}, err
	}
	made, err := f.Create(ctx, workspace, name, from.Document, by)
	if err == nil && len(tests.Cases) > 0 {
		_, err = f.PutTests(ctx, workspace, made.Head.ID, tests.Cases, by)
	}
	return made, err
}

// stale is the conflict of a save or publish that looked at an older revision.
func stale(ctx context.Context, tx store.Tx, row store.Funnel) error {
	now, err := current(ctx, tx, row)
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "The funnel was changed meanwhile: it is at revision %d. Look at the newer version, then save again.", row.Revision).
		WithDetails(now)
}

func lock(ctx context.Context, tx store.Tx, workspace, id uuid.UUID) (store.Funnel, error) {
	row, err := store.Q.LockFunnel(ctx, tx, store.LockFunnelParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return store.Funnel{}, orNotFound(err, id)
	}
	return row, nil
}

// change locks the funnel's row, changes it and answers the funnel as it is then.
func (f *Funnels) change(ctx context.Context, workspace, id uuid.UUID, body func(store.Tx, store.Funnel) (store.Funnel, error)) (Current, error) {
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Current, error) {
		row, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return Current{}, err
		}
		if row, err = body(tx, row); err != nil {
			return Current{}, fault.Wrap(err, "change funnel %s", id)
		}
		return current(ctx, tx, row)
	})
}
