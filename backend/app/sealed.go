package app

import (
	"context"
	"slices"

	stored "github.com/lejek/lejek/backend/connections"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/seal"
	"github.com/lejek/lejek/backend/webhooks"
)

// sealed are all columns of sealed secrets.
var sealed = slices.Concat(delivery.Sealed, stored.Sealed, receipts.Sealed, replies.Sealed, webhooks.Sealed, drafts.Sealed)

// Reseal seals every stored secret with the newest secret of the installation.
func (a *App) Reseal(ctx context.Context) ([]seal.Count, error) {
	counts := make([]seal.Count, 0, len(sealed))
	for _, column := range sealed {
		count, err := seal.Reseal(ctx, a.Pool, a.Config.Keys, column)
		if err != nil {
			return counts, err
		}
		counts = append(counts, count)
	}
	return counts, nil
}
