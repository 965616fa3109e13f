package funnels

import (
	"sync"
	"time"

	"github.com/lejek/lejek/backend/clock"
)

const (
	slowCount = 250 * time.Millisecond
	// keepCount is how many times as long as it took a slow count is answered again, so that counting takes a twentieth of one
	// connection at most, however many people look.
	keepCount     = 20
	keepAtLongest = 30 * time.Second
)

// tally answers counts over very many runs again for a while. Quick ones, of everybody else, are always fresh.
type tally[V any] struct {
	mu   sync.Mutex
	kept map[string]counted[V]
}

type counted[V any] struct {
	value V
	until time.Time // machine
}

// get answers what count answers now, or what it answered a while ago if that was slow. Nobody may change the answer.
func (t *tally[V]) get(key string, machine clock.Clock, count func() (V, error)) (V, error) {
	began := machine.Now()
	t.mu.Lock()
	known, ok := t.kept[key]
	t.mu.Unlock()
	if ok && began.Before(known.until) {
		return known.value, nil
	}
	value, err := count()
	took := machine.Now().Sub(began)
	if err != nil {
		return value, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept == nil {
		t.kept = map[string]counted[V]{}
	}
	for k, c := range t.kept {
		if !began.Before(c.until) {
			delete(t.kept, k)
		}
	}
	if took >= slowCount {
		t.kept[key] = counted[V]{value, began.Add(took + min(keepCount*took, keepAtLongest))}
	}
	return value, nil
}
