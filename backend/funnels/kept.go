package funnels

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Kept is a draft that something else replaced.
type Kept struct {
	store.FunnelDraft

	Document Document
}

// KeptDrafts are the drafts of a funnel that something replaced, the newest first.
func (f *Funnels) KeptDrafts(ctx context.Context, workspace, id uuid.UUID) ([]store.KeptDraftsRow, error) {
	if _, err := store.Q.Funnel(ctx, f.db, store.FunnelParams{WorkspaceID: workspace, ID: id}); err != nil {
		return nil, orNotFound(err, id)
	}
	rows, err := store.Q.KeptDrafts(ctx, f.db, store.KeptDraftsParams{WorkspaceID: workspace, FunnelID: id})
	return rows, fault.Wrap(err, "list kept drafts")
}

// KeptDraft is one of them with its document.
func (f *Funnels) KeptDraft(ctx context.Context, workspace, id, kept uuid.UUID) (Kept, error) {
	row, err := store.Q.KeptDraft(ctx, f.db, store.KeptDraftParams{WorkspaceID: workspace, FunnelID: id, ID: kept})
	if err != nil {
		return Kept{}, orNotFound(err, kept)
	}
	document, err := decodeDocument(row.Draft, row.Layout)
	return Kept{row, document}, err
}

// Keep puts a document beside the draft.
func (f *Funnels) Keep(ctx context.Context, workspace, id uuid.UUID, document Document, by *uuid.UUID) (Kept, error) {
	draft, layout, hash, err := document.encode()
	if err != nil {
		return Kept{}, err
	}
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Kept, error) {
		if _, err := lock(ctx, tx, workspace, id); err != nil {
			return Kept{}, err
		}
		row, err := store.Q.KeepDraft(ctx, tx, store.KeepDraftParams{
			WorkspaceID: workspace, ID: store.NewID(), FunnelID: id, Draft: draft, Layout: layout, Hash: hash, By: by, Now: tx.Now,
		})
		return Kept{row, document}, fault.Wrap(err, "keep a draft")
	})
}

// Restore is a wish to have an earlier document as the draft again: that of a version, or a kept one.
type Restore struct {
	Revision int64 // of the draft it replaces
	Version  int
	Kept     uuid.UUID
	By       *uuid.UUID
}

// Restore makes an earlier document the draft. The draft it replaces is kept, unless a version holds the same.
func (f *Funnels) Restore(ctx context.Context, workspace, id uuid.UUID, wish Restore) (Current, error) {
	document, err := f.earlier(ctx, workspace, id, wish)
	if err != nil {
		return Current{}, err
	}
	draft, layout, hash, err := document.encode()
	if err != nil {
		return Current{}, err
	}
	return f.change(ctx, workspace, id, func(tx store.Tx, row store.Funnel) (store.Funnel, error) {
		if row.State == Archived {
			return row, fault.New(fault.Conflict, "The funnel %q is archived and cannot be changed. Duplicate it to go on from it.", row.Name)
		}
		if row.Revision != wish.Revision {
			return row, stale(ctx, tx, row)
		}
		if row.DraftHash == hash {
			return row, nil
		}
		held, err := store.Q.VersionOfHash(ctx, tx, store.VersionOfHashParams{WorkspaceID: workspace, FunnelID: id, Hash: row.DraftHash})
		if err != nil {
			return row, fmt.Errorf("look for the draft among the versions: %w", err)
		}
		if held == 0 {
			_, err := store.Q.KeepDraft(ctx, tx, store.KeepDraftParams{
				WorkspaceID: workspace, ID: store.NewID(), FunnelID: id, Draft: row.Draft, Layout: row.Layout, Hash: row.DraftHash, By: wish.By, Now: tx.Now,
			})
			if err != nil {
				return row, fmt.Errorf("keep the draft: %w", err)
			}
		}
		return store.Q.SaveDraft(ctx, tx, store.SaveDraftParams{
			WorkspaceID: workspace, ID: id, Name: row.Name, Draft: draft, DraftHash: hash, Layout: layout, By: wish.By, Now: tx.Now,
		})
	})
}

func (f *Funnels) earlier(ctx context.Context, workspace, id uuid.UUID, wish Restore) (Document, error) {
	switch {
	case wish.Version > 0 && wish.Kept == uuid.Nil:
		_, document, err := f.Version(ctx, workspace, id, wish.Version)
		return document, err
	case wish.Version == 0 && wish.Kept != uuid.Nil:
		kept, err := f.KeptDraft(ctx, workspace, id, wish.Kept)
		return kept.Document, err
	default:
		if _, err := f.Get(ctx, workspace, id); err != nil {
			return Document{}, err
		}
		return Document{}, fault.New(fault.Invalid, "Name either a version or a kept draft.")
	}
}
