package api

import (
	"context"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/views"
)

// ListLists lists the lists people can be on.
func (h *handlers) ListLists(ctx context.Context, _ ListListsRequestObject) (ListListsResponseObject, error) {
	rows, err := h.People.Lists(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	counts, err := views.CountLists(ctx, h.DB, workspace(ctx))
	names := each(rows, func(r store.List) Name { return Name{Slug: r.Slug, Name: r.Name, Count: counts[r.Slug]} })
	return ListLists200JSONResponse{NamesAnswerJSONResponse{Items: names}}, err
}

// CreateList makes or renames a list.
func (h *handlers) CreateList(ctx context.Context, request CreateListRequestObject) (CreateListResponseObject, error) {
	name, err := newName(*request.Body, "list")
	if err != nil {
		return nil, err
	}
	err = h.People.PutList(ctx, workspace(ctx), name.Slug, name.Name, "")
	return CreateList201JSONResponse{NameAnswerJSONResponse(name)}, err
}

// ListTags lists the registered tags.
func (h *handlers) ListTags(ctx context.Context, _ ListTagsRequestObject) (ListTagsResponseObject, error) {
	rows, err := h.People.Tags(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	counts, err := views.CountTags(ctx, h.DB, workspace(ctx))
	names := each(rows, func(r store.Tag) Name { return Name{Slug: r.Slug, Name: r.Name, Count: counts[r.Slug]} })
	return ListTags200JSONResponse{NamesAnswerJSONResponse{Items: names}}, err
}

// CreateTag makes or renames a tag.
func (h *handlers) CreateTag(ctx context.Context, request CreateTagRequestObject) (CreateTagResponseObject, error) {
	name, err := newName(*request.Body, "tag")
	if err != nil {
		return nil, err
	}
	err = h.People.PutTag(ctx, workspace(ctx), name.Slug, name.Name)
	return CreateTag201JSONResponse{NameAnswerJSONResponse(name)}, err
}

// ListTopics lists what people can subscribe to one by one.
func (h *handlers) ListTopics(ctx context.Context, _ ListTopicsRequestObject) (ListTopicsResponseObject, error) {
	rows, err := h.People.Topics(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	counts, err := views.CountTopics(ctx, h.DB, workspace(ctx))
	names := each(rows, func(r store.Topic) Name { return Name{Slug: r.Slug, Name: r.Name, Count: counts[r.Slug]} })
	return ListTopics200JSONResponse{NamesAnswerJSONResponse{Items: names}}, err
}

// CreateTopic makes or renames a topic.
func (h *handlers) CreateTopic(ctx context.Context, request CreateTopicRequestObject) (CreateTopicResponseObject, error) {
	name, err := newName(*request.Body, "topic")
	if err != nil {
		return nil, err
	}
	err = h.People.PutTopic(ctx, workspace(ctx), name.Slug, name.Name, "")
	return CreateTopic201JSONResponse{NameAnswerJSONResponse(name)}, err
}

// ListFields lists the custom fields of contacts.
func (h *handlers) ListFields(ctx context.Context, _ ListFieldsRequestObject) (ListFieldsResponseObject, error) {
	rows, err := h.People.Fields(ctx, workspace(ctx))
	return ListFields200JSONResponse{Items: each(rows, func(r store.FieldDef) ContactField {
		return ContactField{Key: r.Key, Type: ContactFieldType(r.Type), Label: optional(r.Label)}
	})}, err
}

// CreateField makes a custom field, or gives it another label.
func (h *handlers) CreateField(ctx context.Context, request CreateFieldRequestObject) (CreateFieldResponseObject, error) {
	in := *request.Body
	label := or(in.Label, in.Key)
	err := h.People.PutField(ctx, workspace(ctx), in.Key, string(in.Type), label)
	return CreateField201JSONResponse{Key: in.Key, Type: in.Type, Label: &label}, err
}

func newName(in NameInput, fallback string) (Name, error) {
	name := strings.TrimSpace(in.Name)
	if name == "" {
		return Name{}, fault.InvalidField("name", "The name is empty. Enter one.")
	}
	return Name{Slug: or(in.Slug, slug.Of(name, fallback)), Name: name}, nil
}
