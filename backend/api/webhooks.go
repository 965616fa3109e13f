package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/webhooks"
)

// ListWebhooks lists the addresses that hear what happens.
func (h *handlers) ListWebhooks(ctx context.Context, _ ListWebhooksRequestObject) (ListWebhooksResponseObject, error) {
	list, err := h.Webhooks.List(ctx, workspace(ctx))
	return ListWebhooks200JSONResponse{Items: each(list, toWebhook)}, err
}

func toWebhook(e webhooks.Endpoint) Webhook {
	return Webhook{
		Id: e.ID, Url: e.URL, Description: e.Description, Events: each(e.Events, func(name string) WebhookEvent { return WebhookEvent(name) }), Enabled: e.Enabled,
		Reason: e.Reason, CreatedAt: e.CreatedAt, Queued: e.Queued, Dead: e.Dead,
	}
}

func eventNames(events *[]WebhookEvent) *[]string {
	if events == nil {
		return nil
	}
	return new(each(*events, func(name WebhookEvent) string { return string(name) }))
}

// CreateWebhook adds an address.
func (h *handlers) CreateWebhook(ctx context.Context, request CreateWebhookRequestObject) (CreateWebhookResponseObject, error) {
	in, secret := request.Body, ""
	made, err := change(ctx, h, func(tx store.Tx) (made webhooks.Endpoint, err error) {
		made, secret, err = h.Webhooks.Create(ctx, tx, workspace(ctx), webhooks.Input{URL: &in.Url, Description: in.Description, Events: eventNames(in.Events)})
		return made, err
	})
	return CreateWebhook201JSONResponse{Webhook: toWebhook(made), Secret: secret}, err
}

// UpdateWebhook changes one.
func (h *handlers) UpdateWebhook(ctx context.Context, request UpdateWebhookRequestObject) (UpdateWebhookResponseObject, error) {
	in := request.Body
	made, err := change(ctx, h, func(tx store.Tx) (webhooks.Endpoint, error) {
		return h.Webhooks.Update(ctx, tx, workspace(ctx), request.Id, webhooks.Input{URL: in.Url, Description: in.Description, Events: eventNames(in.Events), Enabled: in.Enabled})
	})
	h.nudge("webhook")
	return UpdateWebhook200JSONResponse(toWebhook(made)), err
}

// DeleteWebhook takes one away.
func (h *handlers) DeleteWebhook(ctx context.Context, request DeleteWebhookRequestObject) (DeleteWebhookResponseObject, error) {
	return DeleteWebhook204Response{}, h.inTx(ctx, func(tx store.Tx) error { return h.Webhooks.Delete(ctx, tx, workspace(ctx), request.Id) })
}

// RotateWebhookSecret gives it another secret.
func (h *handlers) RotateWebhookSecret(ctx context.Context, request RotateWebhookSecretRequestObject) (RotateWebhookSecretResponseObject, error) {
	secret, err := change(ctx, h, func(tx store.Tx) (string, error) { return h.Webhooks.Rotate(ctx, tx, workspace(ctx), request.Id) })
	return RotateWebhookSecret200JSONResponse{Secret: secret}, err
}

// TestWebhook tells it something made up.
func (h *handlers) TestWebhook(ctx context.Context, request TestWebhookRequestObject) (TestWebhookResponseObject, error) {
	said, ok, err := h.Webhooks.Test(ctx, workspace(ctx), request.Id)
	return TestWebhook200JSONResponse{Ok: ok, Answer: said}, err
}

// ListWebhookDeliveries is the log of one.
func (h *handlers) ListWebhookDeliveries(ctx context.Context, request ListWebhookDeliveriesRequestObject) (ListWebhookDeliveriesResponseObject, error) {
	in := request.Params
	before, limit, err := beforeID(in.Cursor, in.Limit)
	if err != nil {
		return nil, err
	}
	list, err := h.Webhooks.Deliveries(ctx, workspace(ctx), request.Id, string(orZero(in.Status)), orZero(before), limit+1)
	if err != nil {
		return nil, err
	}
	list, next := pageOf(list, limit, func(d webhooks.Delivery) uuid.UUID { return d.ID })
	return ListWebhookDeliveries200JSONResponse{Next: next, Items: each(list, func(d webhooks.Delivery) WebhookDelivery {
		return WebhookDelivery{
			Id: d.ID, Name: d.Name, Status: WebhookDeliveryStatus(d.Status), Body: d.Body, Attempts: d.Attempts, NextAt: d.NextAt, AnswerStatus: d.AnswerStatus,
			Answer: d.Answer, CreatedAt: d.CreatedAt, EndedAt: d.EndedAt,
		}
	})}, nil
}

// ReplayWebhook tells again what was given up.
func (h *handlers) ReplayWebhook(ctx context.Context, request ReplayWebhookRequestObject) (ReplayWebhookResponseObject, error) {
	queued, err := change(ctx, h, func(tx store.Tx) (int, error) {
		return h.Webhooks.Replay(ctx, tx, workspace(ctx), request.Id, orZero(request.Body.Delivery))
	})
	if err != nil {
		return nil, fault.Wrap(err, "tell again")
	}
	h.nudge("webhook")
	return ReplayWebhook200JSONResponse{Queued: queued}, nil
}
