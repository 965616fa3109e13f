package api

import (
	"context"
	"encoding/json"
	"fmt"
	"html"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/forms"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/visitors"
)

// ListForms lists the forms of the workspace with what was sent.
func (h *handlers) ListForms(ctx context.Context, _ ListFormsRequestObject) (ListFormsResponseObject, error) {
	rows, err := h.Inbound.Forms.List(ctx, workspace(ctx))
	if err != nil {
		return nil, err
	}
	answer := ListForms200JSONResponse{Items: make([]Form, len(rows))}
	for i, row := range rows {
		if answer.Items[i], err = h.toForm(ctx, row); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

// GetForm is one form.
func (h *handlers) GetForm(ctx context.Context, request GetFormRequestObject) (GetFormResponseObject, error) {
	row, err := h.Inbound.Forms.Get(ctx, h.DB, workspace(ctx), request.Slug)
	if err != nil {
		return nil, err
	}
	form, err := h.toForm(ctx, row)
	return GetForm200JSONResponse(form), err
}

// CreateForm makes a form.
func (h *handlers) CreateForm(ctx context.Context, request CreateFormRequestObject) (CreateFormResponseObject, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Form, error) {
		return h.Inbound.Forms.Create(ctx, tx, workspace(ctx), fromFormInput(*request.Body))
	})
	if err != nil {
		return nil, err
	}
	form, err := h.toForm(ctx, row)
	return CreateForm201JSONResponse(form), err
}

// UpdateForm replaces all but the slug.
func (h *handlers) UpdateForm(ctx context.Context, request UpdateFormRequestObject) (UpdateFormResponseObject, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Form, error) {
		return h.Inbound.Forms.Change(ctx, tx, workspace(ctx), request.Slug, fromFormInput(*request.Body))
	})
	if err != nil {
		return nil, err
	}
	form, err := h.toForm(ctx, row)
	return UpdateForm200JSONResponse(form), err
}

// DeleteForm lets a form take no more answers.
func (h *handlers) DeleteForm(ctx context.Context, request DeleteFormRequestObject) (DeleteFormResponseObject, error) {
	return DeleteForm204Response{}, h.inTx(ctx, func(tx store.Tx) error {
		return h.Inbound.Forms.Archive(ctx, tx, workspace(ctx), request.Slug)
	})
}

// ListSubmissions lists what was sent, the newest first.
func (h *handlers) ListSubmissions(ctx context.Context, request ListSubmissionsRequestObject) (ListSubmissionsResponseObject, error) {
	form, err := h.Inbound.Forms.Get(ctx, h.DB, workspace(ctx), request.Slug)
	if err != nil {
		return nil, err
	}
	before, limit, err := beforeID(request.Params.Cursor, request.Params.Limit)
	if err != nil {
		return nil, err
	}
	rows, err := store.Q.Submissions(ctx, h.DB, store.SubmissionsParams{WorkspaceID: workspace(ctx), FormID: form.ID, Before: before, MaxRows: int32(limit) + 1})
	if err != nil {
		return nil, fault.Wrap(err, "list submissions")
	}
	rows, next := pageOf(rows, limit, func(row store.FormSubmission) uuid.UUID { return row.ID })
	answer := ListSubmissions200JSONResponse{Items: make([]Submission, len(rows)), Next: next}
	for i, row := range rows {
		item := Submission{
			Id: row.ID, At: row.At, State: SubmissionState(row.State), Reason: optional(row.Reason), Consented: row.Consented, ContactId: row.ContactID,
			Origin: optional(row.Origin), ConfirmedAt: row.ConfirmedAt,
		}
		if err := json.Unmarshal(row.Answers, &item.Answers); err != nil {
			return nil, fault.Wrap(err, "read answers")
		}
		answer.Items[i] = item
	}
	return answer, nil
}

// beforeID reads the cursor of lists that go back from the newest id.
func beforeID(cursor *string, limit *int) (*uuid.UUID, int, error) {
	most := 50
	if limit != nil {
		most = *limit
	}
	if cursor == nil || *cursor == "" {
		return nil, most, nil
	}
	id, err := uuid.Parse(*cursor)
	if err != nil {
		return nil, most, fault.InvalidField("cursor", "This is not a cursor of ours. Hand in `next` of the page before.")
	}
	return &id, most, nil
}

// pageOf cuts a list with one row too many, and says where the next page begins.
func pageOf[T any](rows []T, limit int, id func(T) uuid.UUID) (page []T, next *string) {
	if len(rows) <= limit {
		return rows, nil
	}
	text := id(rows[limit-1]).String()
	return rows[:limit], &text
}

// CreateIdentityToken makes the token with which a page says who its visitor is.
func (h *handlers) CreateIdentityToken(ctx context.Context, request CreateIdentityTokenRequestObject) (CreateIdentityTokenResponseObject, error) {
	contact, err := h.People.Get(ctx, workspace(ctx), request.Id)
	if err != nil {
		return nil, err
	}
	if contact.ErasedAt != nil {
		return nil, fault.New(fault.NotFound, "This contact was erased.")
	}
	until := h.Clock.Now().Add(visitors.TokenLife)
	return CreateIdentityToken201JSONResponse{Token: h.Inbound.Visitors.Token(workspace(ctx), contact.ID, until), ExpiresAt: until}, nil
}

func fromFormInput(in FormInput) forms.Input {
	return forms.Input{
		Slug: orZero(in.Slug), Name: in.Name, Title: orZero(in.Title), ConsentText: orZero(in.ConsentText), ConsentTopic: orZero(in.ConsentTopic),
		ConsentRequired: orZero(in.ConsentRequired), DoubleOptIn: orZero(in.DoubleOptIn), List: orZero(in.List), AllowedOrigins: orZero(in.AllowedOrigins),
		Redirect: orZero(in.Redirect), Thanks: orZero(in.Thanks),
		Fields: each(in.Fields, func(f FormField) forms.Field {
			return forms.Field{
				Key: f.Key, Type: string(f.Type), Label: f.Label, Required: orZero(f.Required), Options: orZero(f.Options), MapsTo: orZero(f.MapsTo),
			}
		}),
	}
}

func (h *handlers) toForm(ctx context.Context, row store.Form) (Form, error) {
	fields, err := forms.FieldsOf(row)
	if err != nil {
		return Form{}, err
	}
	form := Form{
		Id: row.ID, Slug: row.Slug, Name: row.Name, Title: row.Title, ConsentText: row.ConsentText, ConsentTopic: row.ConsentTopic,
		ConsentRequired: row.ConsentRequired, DoubleOptIn: row.DoubleOptIn, List: row.List, AllowedOrigins: row.AllowedOrigins, Redirect: row.Redirect,
		Thanks: row.Thanks, Url: h.Inbound.Forms.URL(row.ID), CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		Snippet: fmt.Sprintf(`<script src="%s/lejek-form.js" data-form="%s" async></script>`, html.EscapeString(h.BaseURL), row.ID),
		Fields: each(fields, func(f forms.Field) FormField {
			return FormField{
				Key: f.Key, Type: FormFieldType(f.Type), Label: f.Label, Required: optional(f.Required), Options: optionalList(f.Options), MapsTo: optional(f.MapsTo),
			}
		}),
	}
	counts, err := store.Q.FormCounts(ctx, h.DB, row.WorkspaceID)
	for _, count := range counts {
		if count.FormID == row.ID {
			form.Submissions, form.Waiting, form.LastAt = int(count.Submissions), int(count.Waiting), &count.LastAt
		}
	}
	return form, fault.Wrap(err, "count submissions")
}

// optionalList is a pointer to a list that is not empty.
func optionalList[T any](list []T) *[]T {
	if len(list) == 0 {
		return nil
	}
	return &list
}
