package wording

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Why fallbacks stand, beside ai.Reason.
const (
	ReasonNoKey = "no_key"
	ReasonOff   = "off"   // nothing of the workspace goes to a model
	ReasonQuota = "quota" // the workspace's texts of the day are used up
	ReasonGone  = "gone"

	ReasonResting    = "resting"    // nobody could write it a moment ago
	ReasonUnfit      = "unfit"      // what came may not stand in a message
	ReasonRefused    = "refused"    // a human said no to it
	ReasonUnapproved = "unapproved" // the step sends approved texts only, and nobody has approved one
)

const (
	usualLease = 30 * time.Second
	rest       = 5 * time.Minute // after an answer that asking again would not better
	comeBack   = time.Second
	portNext   = "next"
)

// Wording answers the calls of ai_generate. It is safe for use by many goroutines.
type Wording struct {
	DB      store.DB
	Clock   clock.Clock // business time: the day of the quota
	Machine clock.Clock // leases
	Writer  *ai.Writer  // of the installation; one that is not ready leaves everything to the fallbacks
	Secret  []byte
	Daily   int           // how many answers a workspace may have written on a day
	Lease   time.Duration // how long one writer keeps others off; 0 is half a minute

	// Own is the writer of a workspace with endpoints of its own, nil for one without; off tells that nothing of it goes to a model. Watch
	// keeps an account of calls. Both may be nil.
	Own   func(ctx context.Context, workspace uuid.UUID) (writer *ai.Writer, off bool, err error)
	Watch func(ctx context.Context, workspace uuid.UUID) ai.Watcher

	known recent
}

// wish is one call as the cache knows it.
type wish struct {
	workspace   uuid.UUID
	contact     *uuid.UUID // for whom it is written; nil for many alike
	hash, about []byte
	ask         ai.Wish
	review      string // what state a text written now is in: "" or waiting
}

// Write is the calls.Outside of ai_generate.
func (w *Wording) Write(ctx context.Context, call calls.Request) (calls.Answer, error) {
	var request engine.WriteRequest
	if err := call.Read(&request); err != nil {
		return calls.Answer{}, err
	}
	wanted, err := w.wishOf(ctx, call, request)
	if err != nil || wanted == nil {
		return fallback(ReasonGone), err
	}
	if request.Approved {
		return w.approved(ctx, wanted)
	}
	texts, why, err := w.texts(ctx, wanted)
	switch reason, _ := why["fallback"].(string); {
	case errors.Is(err, errBusy):
		return calls.Answer{}, calls.After(err, comeBack)
	case err != nil:
		return calls.Answer{}, err
	case texts == nil && reason != "":
		return fallback(reason), nil
	}
	return answer(texts, why), nil
}

// Prepare is the calls.Outside of engine.Prepare: afterwards the texts are there, or somebody is writing them, or they cannot be had.
func (w *Wording) Prepare(ctx context.Context, call calls.Request) (calls.Answer, error) {
	var requests []engine.WriteRequest
	if err := call.Read(&requests); err != nil {
		return calls.Answer{}, err
	}
	failed := make([]error, len(requests))
	var writing sync.WaitGroup
	for i, request := range requests {
		writing.Go(func() {
			wanted, err := w.wishOf(ctx, call, request)
			if err == nil && wanted != nil && !request.Approved {
				_, _, err = w.texts(ctx, wanted)
			}
			if !errors.Is(err, errBusy) {
				failed[i] = err
			}
		})
	}
	writing.Wait()
	return calls.Answer{}, errors.Join(failed...)
}

var errBusy = errors.New("the same text is being written for somebody else")

// texts are what stands there, or what a model writes now. Without texts, why tells under fallback what they lack; errBusy tells that
// somebody else is writing them.
func (w *Wording) texts(ctx context.Context, wanted *wish) (texts map[string]string, why map[string]any, err error) {
	now := w.Machine.Now()
	if texts := w.known.get(wanted.key(), now); texts != nil {
		return texts, map[string]any{"cached": true}, nil
	}
	found, err := w.look(ctx, wanted)
	if err != nil {
		return nil, nil, err
	}
	if found.texts == nil && found.lacks == "" {
		writer, reason, err := w.writer(ctx, wanted.workspace)
		if err != nil || reason != "" {
			return nil, map[string]any{"fallback": reason}, err
		}
		if found, err = w.begin(ctx, wanted); err != nil {
			return nil, nil, err
		}
		if found.begun {
			return w.ask(ctx, writer, wanted)
		}
	}
	switch {
	case found.lacks != "":
		return nil, map[string]any{"fallback": found.lacks}, nil
	case found.texts == nil:
		return nil, nil, errBusy
	}
	w.known.put(wanted.key(), found.texts, now)
	return found.texts, map[string]any{"cached": true}, nil
}

// ask has a text written that was begun.
func (w *Wording) ask(ctx context.Context, writer *ai.Writer, wanted *wish) (map[string]string, map[string]any, error) {
	asking := ctx
	if w.Watch != nil {
		asking = ai.Watched(ctx, w.Watch(context.WithoutCancel(ctx), wanted.workspace))
	}
	texts, err := writer.Write(asking, wanted.ask)
	if err != nil {
		reason, lasting := ai.Reason(ctx, err)
		if err := w.release(context.WithoutCancel(ctx), wanted, lasting); err != nil {
			return nil, nil, err
		}
		if lasting {
			return nil, map[string]any{"fallback": reason}, nil
		}
		return nil, nil, fmt.Errorf("the model gave no answer: %s", reason)
	}
	if err := w.end(context.WithoutCancel(ctx), wanted, texts); err != nil {
		return nil, nil, err
	}
	why := map[string]any{"written": len(texts.Usable)}
	if len(texts.Refused) > 0 {
		why["fallback"], why["refused"] = ReasonUnfit, texts.Refused
	}
	return texts.Usable, why, nil
}

// writer is who may be asked for a workspace; reason says why nobody may.
func (w *Wording) writer(ctx context.Context, workspace uuid.UUID) (writer *ai.Writer, reason string, err error) {
	writer = w.Writer
	if w.Own != nil {
		own, off, err := w.Own(ctx, workspace)
		switch {
		case err != nil:
			return nil, "", err
		case off:
			return nil, ReasonOff, nil
		case own != nil:
			writer = own
		}
	}
	if !writer.Ready() {
		return nil, ReasonNoKey, nil
	}
	return writer, "", nil
}

// approved answers with what a human approved, and asks nobody. It is not remembered: what was approved can be taken back.
func (w *Wording) approved(ctx context.Context, wanted *wish) (calls.Answer, error) {
	found, err := w.look(ctx, wanted)
	switch {
	case err != nil:
		return calls.Answer{}, err
	case found.texts == nil || found.review != Approved:
		return fallback(ReasonUnapproved), nil
	}
	return answer(found.texts, map[string]any{"approved": true}), nil
}

// fallback leaves every text to the engine, which knows what stands in its place.
func fallback(reason string) calls.Answer {
	return calls.Answer{Port: portNext, Why: map[string]any{"fallback": reason}}
}

func answer(texts map[string]string, why map[string]any) calls.Answer {
	vars := make(map[string]any, len(texts))
	for name, text := range texts {
		vars[name] = text
	}
	return calls.Answer{Port: portNext, Vars: vars, Why: why}
}

// wishOf reads what may be told of the person; nil when the person is gone.
func (w *Wording) wishOf(ctx context.Context, call calls.Request, request engine.WriteRequest) (*wish, error) {
	key := facts.Key{Workspace: call.Workspace, Contact: call.Contact}
	found, err := facts.Contacts(ctx, w.DB, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return nil, err
	}
	person := found[key]
	if person == nil || person.Gone {
		return nil, nil
	}
	workspace, err := store.Q.Workspace(ctx, w.DB, call.Workspace)
	if err != nil {
		return nil, fmt.Errorf("read the workspace: %w", err)
	}
	language := person.Language
	if language == "" {
		language = workspace.Language
	}
	wanted, err := w.wish(call.Workspace, request, language, person.Fields)
	if err == nil {
		wanted.contact = &call.Contact
	}
	return wanted, err
}

// wish is what is wanted of the texts for people with these values in their fields.
func (w *Wording) wish(workspace uuid.UUID, request engine.WriteRequest, language string, fields map[string]any) (*wish, error) {
	known := map[string]any{}
	for _, field := range request.Attributes {
		if value := fields[field]; value != nil && !engine.Singular(field) {
			known[field] = ai.NormValue(value)
		}
	}
	hash, err := digest(sha256.New(), request.Variables, language)
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, w.Secret)
	mac.Write([]byte("lejek wording"))
	about, err := digest(hmac.New(sha256.New, mac.Sum(nil)), known)
	if err != nil {
		return nil, err
	}
	return &wish{
		workspace: workspace, hash: hash, about: about,
		ask: ai.Wish{Variables: request.Variables, Attributes: known, Language: language},
	}, nil
}

// digest is the sum over values as JSON, whose members are sorted.
func digest(sum hash.Hash, values ...any) ([]byte, error) {
	encoder := json.NewEncoder(sum)
	for _, value := range values {
		if err := encoder.Encode(value); err != nil {
			return nil, fmt.Errorf("name a wish: %w", err)
		}
	}
	return sum.Sum(nil), nil
}

func (w *wish) key() string { return string(w.workspace[:]) + string(w.hash) + string(w.about) }
