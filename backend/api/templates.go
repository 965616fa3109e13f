package api

import (
	"context"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/gallery"
	"github.com/lejek/lejek/backend/store"
)

// ListTemplates lists the funnels to begin with.
func (h *handlers) ListTemplates(ctx context.Context, request ListTemplatesRequestObject) (ListTemplatesResponseObject, error) {
	language, err := h.templateLanguage(ctx, request.Params.Language)
	if err != nil {
		return nil, err
	}
	all, err := gallery.Templates(language)
	return ListTemplates200JSONResponse{Items: each(all, func(t gallery.Template) Template {
		return Template{
			Slug: t.Slug, Name: t.Name, Does: t.Does, Channels: orEmpty(t.Channels), Steps: t.Steps, Graph: whole(t.Bundle.Graph), Creatives: t.Bundle.Creatives,
		}
	})}, err
}

// fromTemplate makes a funnel of a template.
func (h *handlers) fromTemplate(ctx context.Context, in *FunnelInput) (FunnelDocument, error) {
	if in.Graph != nil || in.Creatives != nil {
		return FunnelDocument{}, fault.InvalidField("template", "A template brings its own steps and texts. Leave out `graph` and `creatives`.")
	}
	language, err := h.templateLanguage(ctx, in.Language)
	if err != nil {
		return FunnelDocument{}, err
	}
	bench := gallery.Bench{DB: h.DB, Clock: h.Clock, People: h.People, Funnels: h.Funnels}
	return h.document(ctx)(bench.Make(ctx, workspace(ctx), *in.Template, language, in.Name, by(ctx)))
}

func (h *handlers) templateLanguage(ctx context.Context, asked *Language) (string, error) {
	if asked != nil {
		return string(*asked), nil
	}
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	return row.Language, err
}
