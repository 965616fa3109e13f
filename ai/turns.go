package ai

import (
	"context"
	"time"
)

// Time something small may take, such as the words of one message: somebody waits for it before a form.
const (
	quickTime    = 25 * time.Second
	quickPrimary = 15 * time.Second
)

// turns are what asking the endpoints one after another came to.
type turns[T any] struct {
	got   T
	by    *endpoint // who answered, or said no; nil when nobody did
	first *failure  // of the first endpoint, if it failed
	no    *failure  // a model declined: nobody else is asked
}

// inTurn asks the endpoints until one answers. The first one has only its part of the time when there is a reserve.
func inTurn[T any](ctx context.Context, endpoints []*endpoint, primary time.Duration, ask func(context.Context, *endpoint) (T, *failure)) turns[T] {
	var out turns[T]
	for i, e := range endpoints {
		within, cancel := ctx, context.CancelFunc(func() {})
		if i == 0 && len(endpoints) > 1 {
			within, cancel = context.WithTimeout(ctx, primary)
		}
		got, f := ask(within, e)
		cancel()
		switch {
		case f == nil:
			out.got, out.by = got, e
			return out
		case f.final():
			out.by, out.no = e, f
			return out
		case out.first == nil:
			out.first = f
		}
	}
	return out
}
