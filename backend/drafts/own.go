package drafts

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/wording"
)

// ownDrafters keeps the drafters of workspaces with endpoints of their own, and so what they learnt of them.
type ownDrafters struct {
	mu  sync.Mutex
	all map[uuid.UUID]ownDrafter
}

type ownDrafter struct {
	updated time.Time
	drafter *ai.Drafter
	writer  *ai.Writer
}

func newOwnDrafters() *ownDrafters { return &ownDrafters{all: map[uuid.UUID]ownDrafter{}} }

// For is the drafter of a workspace: its own endpoints, else those of the installation. why is the reason when no model may be asked.
func (d *Drafts) For(ctx context.Context, workspace uuid.UUID) (drafter *ai.Drafter, why string, err error) {
	budget, err := d.Budget(ctx, workspace)
	if err != nil {
		return nil, "", err
	}
	if budget.ModelsOff {
		return ai.NewDrafter(Kinds(), nil), "off", nil
	}
	rows, err := d.endpoints(ctx, workspace)
	if err != nil {
		return nil, "", err
	}
	if len(rows) == 0 {
		if !d.Drafter.Online() {
			return d.Drafter, "no_key", nil
		}
		return d.Drafter, "", nil
	}
	own, ok := d.ownOf(workspace, rows)
	if !ok {
		return ai.NewDrafter(Kinds(), nil), "no_key", nil
	}
	return own.drafter, "", nil
}

// Writer is the writer of personal texts of a workspace with endpoints of its own, nil for one without; off tells that nothing of it may go to
// a model.
func (d *Drafts) Writer(ctx context.Context, workspace uuid.UUID) (writer *ai.Writer, off bool, err error) {
	budget, err := d.Budget(ctx, workspace)
	if err != nil || budget.ModelsOff {
		return nil, budget.ModelsOff, err
	}
	rows, err := d.endpoints(ctx, workspace)
	if err != nil || len(rows) == 0 {
		return nil, false, err
	}
	own, ok := d.ownOf(workspace, rows)
	if !ok {
		return ai.NewWriter(nil), false, nil // their key cannot be read: nobody else is asked in its place
	}
	return own.writer, false, nil
}

// ownOf are what asks the endpoints of a workspace. They are kept while nothing is changed, and so is what they learnt. It answers false when
// a key cannot be opened.
func (d *Drafts) ownOf(workspace uuid.UUID, rows []endpointRow) (ownDrafter, bool) {
	var newest time.Time
	var providers []ai.Provider
	for _, r := range rows {
		key, err := d.box().Open(owner(workspace, r.Slot), r.key)
		if err != nil {
			return ownDrafter{}, false
		}
		p := ai.Provider{BaseURL: r.BaseURL, Key: key, Model: r.Model}
		if r.Profile != nil {
			p.Mode = r.Profile.Mode
		}
		providers = append(providers, p)
		if r.updated.After(newest) {
			newest = r.updated
		}
		if r.TestedAt != nil && r.TestedAt.After(newest) {
			newest = *r.TestedAt
		}
	}
	d.own.mu.Lock()
	defer d.own.mu.Unlock()
	known, ok := d.own.all[workspace]
	if !ok || !known.updated.Equal(newest) {
		client := d.guarded()
		known = ownDrafter{newest, ai.NewDrafter(Kinds(), client, providers...), ai.NewWriter(client, providers...)}
		d.own.all[workspace] = known
	}
	return known, true
}

// Price is what the model costs that would be asked for a workspace.
func (d *Drafts) Price(ctx context.Context, workspace uuid.UUID) (wording.Price, error) {
	rows, err := d.endpoints(ctx, workspace)
	if err != nil {
		return wording.Price{}, err
	}
	if len(rows) == 0 {
		return d.Prices, nil
	}
	if rows[0].PriceIn == nil || rows[0].PriceOut == nil {
		return wording.Price{}, nil
	}
	return wording.Price{In: *rows[0].PriceIn, Out: *rows[0].PriceOut, Known: true}, nil
}
