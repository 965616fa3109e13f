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
	if err != nil {
		return nil, err
	}
	own, err := h.bench().Own(ctx, workspace(ctx))
	return ListTemplates200JSONResponse{Items: each(append(own, all...), templateOf)}, err
}

// CreateTemplate keeps a funnel, or a part of one, as a template.
func (h *handlers) CreateTemplate(ctx context.Context, request CreateTemplateRequestObject) (CreateTemplateResponseObject, error) {
	in := request.Body
	made, err := h.bench().Keep(ctx, workspace(ctx), gallery.Own{
		Name: in.Name, Does: orZero(in.Does), Graph: in.Graph, Creatives: orZero(in.Creatives), By: by(ctx),
	})
	return CreateTemplate201JSONResponse(templateOf(made)), err
}

// DeleteTemplate deletes a template of the workspace's own.
func (h *handlers) DeleteTemplate(ctx context.Context, request DeleteTemplateRequestObject) (DeleteTemplateResponseObject, error) {
	return DeleteTemplate204Response{}, h.bench().Drop(ctx, workspace(ctx), request.Slug)
}

func templateOf(t gallery.Template) Template {
	return Template{
		Slug: t.Slug, Name: t.Name, Does: t.Does, Own: t.Own, Channels: orEmpty(t.Channels), Steps: t.Steps, Graph: whole(t.Bundle.Graph), Creatives: t.Bundle.Creatives,
	}
}

func (h *handlers) bench() gallery.Bench {
	return gallery.Bench{DB: h.DB, Clock: h.Clock, People: h.People, Funnels: h.Funnels}
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
	return h.document(ctx)(h.bench().Make(ctx, workspace(ctx), *in.Template, language, in.Name, by(ctx)))
}

func (h *handlers) templateLanguage(ctx context.Context, asked *Language) (string, error) {
	if asked != nil {
		return string(*asked), nil
	}
	row, err := store.Q.Workspace(ctx, h.DB, workspace(ctx))
	return row.Language, err
}
