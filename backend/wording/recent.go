package wording

import "sync"

// maxRecent is how many texts a process remembers.
const maxRecent = 10_000

// recent are the texts this process used last, so that most wishes ask nobody. When it is full it forgets all and learns anew: what it
// forgets is still in the database.
type recent struct {
	mu  sync.Mutex
	all map[string]map[string]string
}

func (r *recent) get(key string) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[key]
}

func (r *recent) put(key string, texts map[string]string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all == nil || len(r.all) >= maxRecent {
		r.all = map[string]map[string]string{}
	}
	r.all[key] = texts
}
