// Package providertest has providers for tests: real servers on loopback that check what a provider checks (signature, required fields, keys),
// refuse what it refuses, keep a ledger, and fail as they are told.
package providertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/outgoing"
)

// Entry is one message a fake took.
type Entry struct {
	ID, To, Key, Text string
	At                time.Time // of a text
	Header            http.Header
}

// Fault is how a fake fails at one request. The zero value does not fail.
type Fault struct {
	Status     int           // answered before anything is taken; 0 is none
	RetryAfter string        // with it
	Delay      time.Duration // before anything happens
	Drop       bool          // it takes the message and then cuts the connection
	Late       int           // it takes the message and then answers this status
}

// Refusal is what a fake says to a request it does not take.
type Refusal struct {
	Status int
	Body   any
	Header http.Header
}

// Fake is a running provider.
type Fake struct {
	URL string

	// Faults, if set, says how the n-th request to send fails, counted from 1. Set it before anything is sent.
	Faults func(n int) Fault

	// Keys says that the provider knows a key again: a second request with it and the same body is answered as the first.
	Keys bool

	check  func(r *http.Request, body []byte) (Entry, *Refusal) // nil Refusal takes it
	answer func(w http.ResponseWriter, e Entry)
	sends  func(r *http.Request) bool // else it only looks whether somebody may

	list func(w http.ResponseWriter, r *http.Request, ledger []Entry) bool // answers a look into what it took; nil has no list

	mu       sync.Mutex
	requests int
	ledger   []Entry
	known    map[string]known
}

type known struct {
	body  []byte
	entry Entry
}

// start runs a fake and ends it with the test.
func start(t testing.TB, f *Fake) *Fake {
	t.Helper()
	f.known = map[string]known{}
	server := httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(server.Close)
	f.URL = server.URL
	return f
}

// Client reaches fakes.
func Client() *outgoing.Client {
	return outgoing.New(outgoing.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
}

// Ledger is what was taken, in order.
func (f *Fake) Ledger() []Entry {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]Entry(nil), f.ledger...)
}

// Requests is how often somebody asked to send.
func (f *Fake) Requests() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.requests
}

func (f *Fake) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if !f.sends(r) {
		if _, refusal := f.check(r, nil); refusal != nil {
			refuse(w, refusal)
			return
		}
		if f.list != nil && f.list(w, r, f.Ledger()) {
			return
		}
		_, _ = w.Write([]byte("{}"))
		return
	}
	f.mu.Lock()
	f.requests++
	n := f.requests
	f.mu.Unlock()
	var fault Fault
	if f.Faults != nil {
		fault = f.Faults(n)
	}
	if fault.Delay > 0 {
		timer := time.NewTimer(fault.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-r.Context().Done():
		}
	}
	if fault.Status != 0 {
		if fault.RetryAfter != "" {
			w.Header().Set("Retry-After", fault.RetryAfter)
		}
		refuse(w, &Refusal{Status: fault.Status, Body: map[string]string{"message": "as the test says"}})
		return
	}
	entry, refusal := f.check(r, body)
	if refusal == nil {
		entry, refusal = f.take(r, entry, body)
	}
	switch {
	case refusal != nil:
		refuse(w, refusal)
	case fault.Drop:
		panic(http.ErrAbortHandler)
	case fault.Late != 0:
		refuse(w, &Refusal{Status: fault.Late, Body: map[string]string{"message": "too late"}})
	default:
		f.answer(w, entry)
	}
}

// take puts a message into the ledger, once by key.
func (f *Fake) take(r *http.Request, entry Entry, body []byte) (Entry, *Refusal) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entry.Header, entry.Key = r.Header.Clone(), r.Header.Get("Idempotency-Key")
	if f.Keys && entry.Key != "" {
		if before, again := f.known[entry.Key]; again {
			if !bytes.Equal(before.body, body) {
				return entry, &Refusal{Status: http.StatusConflict, Body: map[string]string{"name": "invalid_idempotent_request", "message": "the key was used with another body"}}
			}
			return before.entry, nil
		}
	}
	entry.ID = uuid.NewString()
	f.ledger = append(f.ledger, entry)
	if f.Keys {
		f.known[entry.Key] = known{body, entry}
	}
	return entry, nil
}

func refuse(w http.ResponseWriter, r *Refusal) {
	for name, values := range r.Header {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(r.Status)
	_ = json.NewEncoder(w).Encode(r.Body)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func unauthorized() *Refusal {
	return &Refusal{Status: http.StatusUnauthorized, Body: map[string]string{"message": "the key is not known"}}
}

func invalid(what string) *Refusal {
	return &Refusal{Status: http.StatusUnprocessableEntity, Body: map[string]string{"message": what}}
}
