// Package proof shows a message before it is sent: as a real person would get it, or as an invented one, with what is missing marked rather than
// refused.
package proof

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Request is what to show. Contact uuid.Nil is an invented person.
type Request struct {
	Workspace store.Workspace
	Creative  engine.Creative
	Contact   uuid.UUID
	Event     map[string]any
	BaseURL   string // of the links that would unsubscribe and show the message in a browser
}

// Shown is the message, and what is wrong with it.
type Shown struct {
	creative.Rendered

	Problems []engine.Problem
}

// maxMissing bounds how many variables are filled in one by one.
const maxMissing = 50

// Show compiles and fills a creative.
func Show(ctx context.Context, db store.DB, request Request) (Shown, error) {
	artifact, problems, err := creative.Compile(ctx, request.Creative, creative.Options{Language: request.Workspace.Language})
	if err != nil {
		return Shown{}, fault.Wrap(err, "compile a creative")
	}
	scope, err := scopeOf(ctx, db, request)
	if err != nil {
		return Shown{}, err
	}
	for range maxMissing {
		rendered, err := artifact.Render(scope, nil)
		var missing *engine.MergeError
		switch {
		case err == nil:
			return Shown{Rendered: rendered, Problems: problems}, nil
		case errors.As(err, &missing) && missing.Fault == engine.MergeMissing && fill(scope, missing.Variable):
			problems = append(problems, warning(missing.Variable))
		case errors.As(err, &missing):
			problems = append(problems, engine.Problem{Code: "MERGE_INVALID", Severity: engine.Error, Field: "blocks", Message: missing.Message})
			return Shown{Problems: problems}, nil
		default:
			return Shown{}, fault.Wrap(err, "fill a creative")
		}
	}
	return Shown{Problems: problems}, nil
}

func warning(variable string) engine.Problem {
	return engine.Problem{
		Code: "VAR_NO_FALLBACK", Severity: engine.Warning, Field: "blocks", Params: engine.Params{"variable": variable},
		Message: fmt.Sprintf("This person has no %s, so the message would not leave. Give it a fallback, such as {{ %s | default(\"there\") }}.", variable, variable),
	}
}

// fill puts a visible mark where a value is missing; false when there is no such place.
func fill(scope *engine.MergeScope, variable string) bool {
	root, rest, nested := strings.Cut(variable, ".")
	into := scope.Fields
	switch {
	case !nested:
		rest = root
	case root == "event":
		into = scope.Event
	case root == "vars":
		into = scope.Vars
	case root == "workspace":
		into = scope.Workspace
	default:
		return false
	}
	for {
		part, deeper, more := strings.Cut(rest, ".")
		if !more {
			if _, there := into[part]; there && into[part] != nil {
				return false
			}
			into[part] = "[" + variable + "]"
			return true
		}
		next, ok := into[part].(map[string]any)
		if !ok {
			next = map[string]any{}
			into[part] = next
		}
		into, rest = next, deeper
	}
}

func scopeOf(ctx context.Context, db store.DB, request Request) (*engine.MergeScope, error) {
	event := request.Event
	if event == nil {
		event = map[string]any{}
	}
	w := request.Workspace
	scope := &engine.MergeScope{
		Fields: invented(), Event: event, Vars: map[string]any{}, Workspace: map[string]any{"name": w.Name, "address": w.PostalAddress},
		UnsubscribeURL: request.BaseURL + "/u/preview", ViewURL: request.BaseURL + "/v/preview", Zone: engine.ZoneOf(w.Zone), Language: w.Language,
		Currency: w.Currency,
	}
	if request.Contact == uuid.Nil {
		return scope, nil
	}
	key := facts.Key{Workspace: w.ID, Contact: request.Contact}
	found, err := facts.Contacts(ctx, db, []facts.Key{key}, facts.NoLock)
	if err != nil {
		return nil, err
	}
	person := found[key]
	if person == nil || person.Gone {
		return nil, fault.New(fault.NotFound, "There is no such contact.")
	}
	scope.Fields = maps.Clone(person.Fields)
	scope.Zone = engine.ZoneOf(person.Zone, w.Zone)
	if person.Language != "" {
		scope.Language = person.Language
	}
	return scope, nil
}

func invented() map[string]any {
	return map[string]any{"first_name": "Anna", "last_name": "Nowak", "email": "anna@example.com"}
}
