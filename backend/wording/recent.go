package wording

import (
	"sync"
	"time"
)

// maxRecent is how many texts a process remembers, and recently for how long: by then it has heard of a text that a human changed.
const (
	maxRecent = 10_000
	recently  = time.Minute
)

// recent are the texts this process used last, so that most wishes ask nobody. When it is full it forgets all and learns anew: what it
// forgets is still in the database.
type recent struct {
	mu  sync.Mutex
	all map[string]remembered
}

type remembered struct {
	texts map[string]string
	until time.Time
}

func (r *recent) get(key string, now time.Time) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if one := r.all[key]; now.Before(one.until) {
		return one.texts
	}
	return nil
}

func (r *recent) put(key string, texts map[string]string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil || len(r.all) >= maxRecent {
		r.all = map[string]remembered{}
	}
	r.all[key] = remembered{texts, now.Add(recently)}
}
