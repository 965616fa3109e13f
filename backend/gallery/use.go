package gallery

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Bench is where funnels are made of templates.
type Bench struct {
	DB      store.DB
	Clock   clock.Clock
	People  *people.People
	Funnels *funnels.Funnels
}

// Make makes a funnel of a template, with its tests, and the tags, lists and fields it names where the workspace lacks them: all of it or
// nothing. Without a name the funnel has the template's. by is the person, nil for a program.
func (b Bench) Make(ctx context.Context, workspace uuid.UUID, slug, language, name string, by *uuid.UUID) (funnels.Current, error) {
	template, err := b.find(ctx, workspace, slug, language)
	if err != nil {
		return funnels.Current{}, err
	}
	if name == "" {
		name = template.Name
	}
	cases, err := engine.DecodeTests(template.Bundle.Tests)
	if err != nil {
		return funnels.Current{}, fmt.Errorf("tests of the template %s: %w", slug, err)
	}
	return store.InTxV(ctx, b.DB, b.Clock, func(tx store.Tx) (funnels.Current, error) {
		if err := furnish(ctx, tx, b.People.In(tx), workspace, template.Bundle.Workspace); err != nil {
			return funnels.Current{}, err
		}
		made, err := b.Funnels.In(tx).Create(ctx, workspace, name, funnels.Document{Graph: template.Bundle.Graph, Creatives: template.Bundle.Creatives}, by)
		if err != nil {
			return funnels.Current{}, err
		}
		_, err = b.Funnels.In(tx).PutTests(ctx, workspace, made.Head.ID, cases, by)
		return made, err
	})
}

// furnish makes what a template names and the workspace does not have; what is there keeps its name.
func furnish(ctx context.Context, tx store.Tx, registry *people.People, workspace uuid.UUID, needs *engine.Workspace) error {
	has, err := funnels.References(ctx, tx, workspace)
	if err != nil || needs == nil {
		return err
	}
	for _, tag := range needs.Tags {
		if !slices.Contains(has.Tags, tag) {
			err = errors.Join(err, registry.PutTag(ctx, workspace, tag, tag))
		}
	}
	for _, list := range needs.Lists {
		if !slices.Contains(has.Lists, list) {
			err = errors.Join(err, registry.PutList(ctx, workspace, list, list, ""))
		}
	}
	for _, field := range needs.Fields {
		if !slices.ContainsFunc(has.Fields, func(f engine.ContactField) bool { return f.Key == field.Key }) {
			err = errors.Join(err, registry.PutField(ctx, workspace, field.Key, field.Type, field.Label))
		}
	}
	return err
}
