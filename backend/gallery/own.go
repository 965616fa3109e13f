package gallery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// ownPrefix begins the slugs of the templates that a workspace made itself; none of the gallery begins so.
const ownPrefix = "own-"

// content is a template as it is stored.
type content struct {
	Graph     engine.Graph               `json:"graph"`
	Creatives map[string]engine.Creative `json:"creatives"`
}

// Own is a wish to have a funnel, or a part of one, to begin others from.
type Own struct {
	Name, Does string
	Graph      engine.Graph
	Creatives  map[string]engine.Creative
	By         *uuid.UUID
}

// Keep makes a template of the workspace's own. What it sends is copied: a later change of the funnel it was taken from does not reach it.
func (b Bench) Keep(ctx context.Context, workspace uuid.UUID, own Own) (Template, error) {
	own.Name = strings.TrimSpace(own.Name)
	if own.Name == "" {
		return Template{}, fault.InvalidField("name", "A template needs a name. Write one.")
	}
	if len(own.Graph.Nodes) == 0 {
		return Template{}, fault.InvalidField("graph", "A template needs a step. Send the graph with at least one.")
	}
	if own.Creatives == nil {
		own.Creatives = map[string]engine.Creative{}
	}
	draft, err := json.Marshal(content{own.Graph, own.Creatives})
	if err != nil {
		return Template{}, fault.New(fault.Invalid, "The template is not valid JSON inside a step's config. Reload the page and try again.").WithErr(err)
	}
	row, err := store.Q.InsertTemplate(ctx, b.DB, store.InsertTemplateParams{
		WorkspaceID: workspace, ID: store.NewID(), Name: own.Name, Does: strings.TrimSpace(own.Does), Draft: draft, By: own.By, Now: b.Clock.Now(),
	})
	if err != nil {
		return Template{}, fmt.Errorf("keep a template: %w", err)
	}
	return ownOf(row)
}

// Own are the templates the workspace made, the newest first.
func (b Bench) Own(ctx context.Context, workspace uuid.UUID) ([]Template, error) {
	rows, err := store.Q.Templates(ctx, b.DB, workspace)
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	out := make([]Template, len(rows))
	for i, row := range rows {
		if out[i], err = ownOf(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Drop deletes a template of the workspace's own. Funnels made of it stay.
func (b Bench) Drop(ctx context.Context, workspace uuid.UUID, slug string) error {
	id, err := ownID(slug)
	if err != nil {
		return err
	}
	n, err := store.Q.DeleteTemplate(ctx, b.DB, store.DeleteTemplateParams{WorkspaceID: workspace, ID: id})
	if err == nil && n == 0 {
		return unknown(slug)
	}
	return fault.Wrap(err, "delete a template")
}

// find is a template by its slug, of the workspace's own or of the gallery.
func (b Bench) find(ctx context.Context, workspace uuid.UUID, slug, language string) (Template, error) {
	if !strings.HasPrefix(slug, ownPrefix) {
		return Get(slug, language)
	}
	id, err := ownID(slug)
	if err != nil {
		return Template{}, fault.InvalidField("template", noTemplate, slug)
	}
	row, err := store.Q.Template(ctx, b.DB, store.TemplateParams{WorkspaceID: workspace, ID: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return Template{}, fault.InvalidField("template", noTemplate, slug)
	}
	if err != nil {
		return Template{}, fmt.Errorf("read a template: %w", err)
	}
	return ownOf(row)
}

func ownOf(row store.FunnelTemplate) (Template, error) {
	var kept content
	if err := json.Unmarshal(row.Draft, &kept); err != nil {
		return Template{}, fmt.Errorf("read the template %s: %w", row.ID, err)
	}
	template := Template{Slug: ownPrefix + row.ID.String(), Name: row.Name, Does: row.Does, Own: true, Bundle: engine.Bundle{Graph: kept.Graph, Creatives: kept.Creatives}}
	template.describe()
	return template, nil
}

// ownID is the id in a slug; the fault says that there is no such template, as for one that is gone.
func ownID(slug string) (uuid.UUID, error) {
	rest, own := strings.CutPrefix(slug, ownPrefix)
	id, err := uuid.Parse(rest)
	if !own || err != nil {
		return uuid.UUID{}, unknown(slug)
	}
	return id, nil
}

func unknown(slug string) error {
	return fault.New(fault.NotFound, "There is no template %q made here. Those of the gallery stay.", slug)
}
