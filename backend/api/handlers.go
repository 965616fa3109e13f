package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/store"
)

// handlers are the operations of the contract: each decodes nothing, calls a domain package and maps its answer.
type handlers struct {
	Deps

	draining chan struct{} // closed when the process stops: streams end
}

// workspace is the workspace of the request; its guard has seen to it that there is one.
func workspace(ctx context.Context) uuid.UUID { return auth.From(ctx).Workspace }

// inTx runs body in a transaction of business time.
func (h *handlers) inTx(ctx context.Context, body func(tx store.Tx) error) error {
	return store.InTx(ctx, h.DB, h.Clock, body)
}

// change runs body in a transaction and answers what it answers.
func change[T any](ctx context.Context, h *handlers, body func(tx store.Tx) (T, error)) (T, error) {
	return store.InTxV(ctx, h.DB, h.Clock, body)
}

// optional is a pointer to a value that is not zero.
func optional[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

// orZero is what a pointer points to, or nothing.
func orZero[T any](value *T) T {
	if value == nil {
		var zero T
		return zero
	}
	return *value
}

// each maps a list; it is never null in JSON.
func each[From, To any](all []From, to func(From) To) []To {
	out := make([]To, len(all))
	for i, one := range all {
		out[i] = to(one)
	}
	return out
}
