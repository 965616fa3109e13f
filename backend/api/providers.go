package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/providers"
	"github.com/lejek/lejek/backend/store"
)

// ListProviders lists providers, kinds and presets.
func (h *handlers) ListProviders(ctx context.Context, _ ListProvidersRequestObject) (ListProvidersResponseObject, error) {
	found, err := h.Delivery.Providers(ctx, workspace(ctx))
	list := ListProviders200JSONResponse{Items: each(found, toProvider)}
	list.Kinds = each(providers.Kinds(), func(k providers.Kind) ProviderKind {
		return ProviderKind{Name: k.Name, Channels: k.Channels, Fields: each(k.Fields, func(f providers.Field) ProviderField {
			return ProviderField{Name: f.Name, Secret: f.Secret, Required: f.Required, Example: f.Example}
		})}
	})
	list.Presets = each(delivery.Presets, func(p delivery.Preset) ProviderPreset {
		return ProviderPreset{Name: p.Name, PerSecond: p.PerSecond, PerHour: p.PerHour, PerDay: p.PerDay}
	})
	return list, err
}

// CreateProvider saves a new provider.
func (h *handlers) CreateProvider(ctx context.Context, request CreateProviderRequestObject) (CreateProviderResponseObject, error) {
	saved, err := h.saveProvider(ctx, uuid.Nil, *request.Body)
	return CreateProvider201JSONResponse(saved), err
}

// UpdateProvider changes a provider.
func (h *handlers) UpdateProvider(ctx context.Context, request UpdateProviderRequestObject) (UpdateProviderResponseObject, error) {
	saved, err := h.saveProvider(ctx, request.Id, *request.Body)
	return UpdateProvider200JSONResponse(saved), err
}

func (h *handlers) saveProvider(ctx context.Context, id uuid.UUID, in ProviderInput) (Provider, error) {
	input := delivery.ProviderInput{
		ID: id, Kind: orZero(in.Kind), Channel: orZero(in.Channel), Name: orZero(in.Name), Config: in.Config, Secrets: orZero(in.Secrets), Role: string(in.Role),
		Preset: orZero(in.Preset), PerSecond: or(in.PerSecond, defaultRate), PerHour: in.PerHour, PerDay: in.PerDay, WarmUp: orZero(in.WarmUp),
	}
	saved, err := change(ctx, h, func(tx store.Tx) (uuid.UUID, error) { return h.Delivery.SaveProvider(ctx, tx, workspace(ctx), input) })
	if err != nil {
		return Provider{}, err
	}
	h.nudge("deliver")
	return h.provider(ctx, saved)
}

func (h *handlers) provider(ctx context.Context, id uuid.UUID) (Provider, error) {
	found, err := h.Delivery.Providers(ctx, workspace(ctx))
	for _, one := range found {
		if one.ID == id {
			return toProvider(one), err
		}
	}
	if err == nil {
		err = fault.New(fault.NotFound, "There is no such provider.")
	}
	return Provider{}, err
}

// DeleteProvider removes a provider.
func (h *handlers) DeleteProvider(ctx context.Context, request DeleteProviderRequestObject) (DeleteProviderResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error { return h.Delivery.DeleteProvider(ctx, tx, workspace(ctx), request.Id) })
	return DeleteProvider204Response{}, err
}

// CheckProvider signs in at a provider.
func (h *handlers) CheckProvider(ctx context.Context, request CheckProviderRequestObject) (CheckProviderResponseObject, error) {
	said, err := h.Delivery.CheckProvider(ctx, workspace(ctx), request.Id)
	return CheckProvider200JSONResponse{Ok: said == "", Detail: said}, err
}

func toProvider(p delivery.Provider) Provider {
	out := Provider{
		Id: p.ID, Kind: p.Kind, Channel: p.Channel, Name: p.Name, Role: ProviderRole(p.Role), Config: p.Config, Secrets: p.Secrets, Preset: p.Preset,
		PerSecond: p.PerSecond, PerHour: p.PerHour, PerDay: p.PerDay, WarmUp: p.WarmingAt != nil, WarmingAt: p.WarmingAt, UsedToday: p.UsedToday,
		Outage: p.Outage, PausedUntil: p.PausedTo, CheckedAt: p.CheckedAt, CheckSaid: p.CheckSaid,
	}
	if len(p.ClosedTo) > 0 {
		out.ClosedTo = &p.ClosedTo
	}
	if out.Secrets == nil {
		out.Secrets = []string{}
	}
	return out
}

// ListDomains lists the domains of senders.
func (h *handlers) ListDomains(ctx context.Context, _ ListDomainsRequestObject) (ListDomainsResponseObject, error) {
	found, err := h.Delivery.Domains(ctx, workspace(ctx))
	return ListDomains200JSONResponse{Items: each(found, toDomain)}, err
}

// CheckDomain looks at the DNS of a domain.
func (h *handlers) CheckDomain(ctx context.Context, request CheckDomainRequestObject) (CheckDomainResponseObject, error) {
	found, err := h.Delivery.CheckDomain(ctx, workspace(ctx), request.Name)
	return CheckDomain200JSONResponse(toDomain(found)), err
}

func toDomain(d delivery.Domain) Domain {
	out := Domain{Name: d.Name, Signing: d.Signing, CheckedAt: d.CheckedAt}
	out.Checks = make([]DomainCheck, len(d.Checks))
	for i, c := range d.Checks {
		out.Checks[i] = DomainCheck{Kind: DomainCheckKind(c.Kind), Host: c.Host, Want: c.Want, Found: c.Found, State: DomainCheckState(c.State)}
	}
	return out
}

// GetSendingEstimate says how long messages take to leave.
func (h *handlers) GetSendingEstimate(ctx context.Context, request GetSendingEstimateRequestObject) (GetSendingEstimateResponseObject, error) {
	channel := "email"
	if request.Params.Channel != nil {
		channel = string(*request.Params.Channel)
	}
	e, err := delivery.EstimateSending(ctx, h.DB, h.Clock.Now(), workspace(ctx), channel, request.Params.Count)
	return GetSendingEstimate200JSONResponse{
		Messages: e.Messages, Waiting: e.Waiting, Seconds: int(e.Seconds), Days: e.Days, PerDay: e.PerDay, PerHour: e.PerHour, Provider: e.Provider, Warming: e.Warming,
	}, err
}
