package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
)

// sourceAPI is the source of contacts that come by the API.
const sourceAPI = "api"

// ListContacts lists contacts, newest first.
func (h *handlers) ListContacts(ctx context.Context, request ListContactsRequestObject) (ListContactsResponseObject, error) {
	in := request.Params
	filter := people.Filter{Query: orZero(in.Q), Tag: orZero(in.Tag), List: orZero(in.List), Cursor: orZero(in.Cursor), Limit: orZero(in.Limit)}
	page, err := h.People.List(ctx, workspace(ctx), filter)
	if err != nil {
		return nil, err
	}
	answer := ListContacts200JSONResponse{Next: optional(page.Next)}
	if answer.Items, err = h.toContacts(ctx, page.Items); err != nil {
		return nil, err
	}
	if filter.Cursor == "" {
		total, err := h.People.Count(ctx, workspace(ctx), filter)
		if err != nil {
			return nil, err
		}
		answer.Total = new(int(total))
	}
	return answer, nil
}

// CreateContact creates a contact or updates the one with the same identity.
func (h *handlers) CreateContact(ctx context.Context, request CreateContactRequestObject) (CreateContactResponseObject, error) {
	if err := onlyFacts("fields", orZero(request.Body.Fields)); err != nil {
		return nil, err
	}
	outcome, err := h.People.Upsert(ctx, workspace(ctx), toInput(*request.Body), sourceAPI)
	if err != nil {
		return nil, err
	}
	contact, err := h.toContact(ctx, outcome.Contact)
	if outcome.Created {
		return CreateContact201JSONResponse(contact), err
	}
	return CreateContact200JSONResponse(contact), err
}

// GetContact answers one contact.
func (h *handlers) GetContact(ctx context.Context, request GetContactRequestObject) (GetContactResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.Get(ctx, workspace(ctx), request.Id))
	return GetContact200JSONResponse(contact), err
}

// UpdateContact changes the given members.
func (h *handlers) UpdateContact(ctx context.Context, request UpdateContactRequestObject) (UpdateContactResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.Patch(ctx, workspace(ctx), request.Id, *request.Body))
	return UpdateContact200JSONResponse(contact), err
}

// EraseContact erases a person for good.
func (h *handlers) EraseContact(ctx context.Context, request EraseContactRequestObject) (EraseContactResponseObject, error) {
	return EraseContact204Response{}, h.People.Erase(ctx, workspace(ctx), request.Id)
}

// MergeContacts makes two contacts one.
func (h *handlers) MergeContacts(ctx context.Context, request MergeContactsRequestObject) (MergeContactsResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.Merge(ctx, workspace(ctx), request.Body.WinnerId, request.Body.LoserId))
	return MergeContacts200JSONResponse(contact), err
}

// AddContactTag puts a tag on.
func (h *handlers) AddContactTag(ctx context.Context, request AddContactTagRequestObject) (AddContactTagResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.AddTag(ctx, workspace(ctx), request.Id, request.Body.Tag))
	return AddContactTag200JSONResponse(contact), err
}

// RemoveContactTag takes a tag off.
func (h *handlers) RemoveContactTag(ctx context.Context, request RemoveContactTagRequestObject) (RemoveContactTagResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.RemoveTag(ctx, workspace(ctx), request.Id, request.Slug))
	return RemoveContactTag200JSONResponse(contact), err
}

// AddContactToList puts a person on a list.
func (h *handlers) AddContactToList(ctx context.Context, request AddContactToListRequestObject) (AddContactToListResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.JoinList(ctx, workspace(ctx), request.Id, request.Body.List))
	return AddContactToList200JSONResponse(contact), err
}

// RemoveContactFromList takes a person off a list.
func (h *handlers) RemoveContactFromList(ctx context.Context, request RemoveContactFromListRequestObject) (RemoveContactFromListResponseObject, error) {
	contact, err := h.contact(ctx)(h.People.LeaveList(ctx, workspace(ctx), request.Id, request.Slug))
	return RemoveContactFromList200JSONResponse(contact), err
}

// GetConsents answers what a person agreed to.
func (h *handlers) GetConsents(ctx context.Context, request GetConsentsRequestObject) (GetConsentsResponseObject, error) {
	if _, err := h.People.Get(ctx, workspace(ctx), request.Id); err != nil {
		return nil, err
	}
	rows, err := h.People.Consents(ctx, workspace(ctx), request.Id)
	return GetConsents200JSONResponse{Items: each(rows, toConsent)}, err
}

// PutConsents records what a person said.
func (h *handlers) PutConsents(ctx context.Context, request PutConsentsRequestObject) (PutConsentsResponseObject, error) {
	rows, err := h.People.SetConsents(ctx, workspace(ctx), request.Id, each(request.Body.Items, toConsentInput))
	return PutConsents200JSONResponse{Items: each(rows, toConsent)}, err
}

// contact maps what a call of people answers.
func (h *handlers) contact(ctx context.Context) func(store.Contact, error) (Contact, error) {
	return func(row store.Contact, err error) (Contact, error) {
		if err != nil {
			return Contact{}, err
		}
		return h.toContact(ctx, row)
	}
}

func (h *handlers) toContact(ctx context.Context, row store.Contact) (Contact, error) {
	all, err := h.toContacts(ctx, []store.Contact{row})
	if err != nil {
		return Contact{}, err
	}
	return all[0], nil
}

// toContacts adds what stands against their addresses.
func (h *handlers) toContacts(ctx context.Context, rows []store.Contact) ([]Contact, error) {
	asks := make([]people.Ask, len(rows))
	for i, row := range rows {
		asks[i] = people.Ask{Contact: row.ID, Channel: "email", Class: "marketing"}
	}
	answers, err := h.People.Gate(ctx, h.DB, workspace(ctx), asks)
	if err != nil {
		return nil, err
	}
	all := make([]Contact, len(rows))
	for i, row := range rows {
		if all[i], err = toContact(row); err != nil {
			return nil, err
		}
		all[i].EmailConsent = new(ContactEmailConsentUnknown)
		if said := answers[i].Consent; said != "" {
			all[i].EmailConsent = new(ContactEmailConsent(said))
		}
		if reason := answers[i].Reason; reason == people.NoSuppress || reason == people.NoUnsub {
			all[i].Suppressed = &reason
		}
	}
	return all, nil
}

func toContact(row store.Contact) (Contact, error) {
	contact := Contact{
		Id: row.ID, ExternalId: row.ExternalID, Email: row.Email, Phone: row.Phone, FirstName: optional(row.FirstName), LastName: optional(row.LastName),
		Zone: optional(row.Zone), Language: optional(row.Language), Fields: Properties{}, Tags: orEmpty(row.Tags), Lists: orEmpty(row.Lists),
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if len(row.Fields) == 0 {
		return contact, nil
	}
	return contact, fault.Wrap(json.Unmarshal(row.Fields, &contact.Fields), "read a contact's fields")
}

func toInput(in ContactInput) people.Input {
	return people.Input{
		ExternalID: orZero(in.ExternalId), Email: orZero(in.Email), Phone: orZero(in.Phone), FirstName: in.FirstName, LastName: in.LastName,
		Zone: in.Zone, Language: in.Language, Fields: orZero(in.Fields), Tags: orZero(in.Tags), Lists: orZero(in.Lists),
		Consents: each(orZero(in.Consents), toConsentInput),
	}
}

func toConsentInput(in ConsentInput) people.ConsentInput {
	return people.ConsentInput{
		Channel: string(in.Channel), Topic: orZero(in.Topic), State: string(in.State), Source: or(in.Source, sourceAPI), At: or(in.At, time.Time{}),
	}
}

func toConsent(row store.Consent) Consent {
	return Consent{Channel: row.Channel, Topic: row.Topic, State: ConsentState(row.State), Source: row.Source, At: row.At}
}

func orEmpty[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
