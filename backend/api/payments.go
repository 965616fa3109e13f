package api

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/payments"
	"github.com/lejek/lejek/backend/store"
)

// ListPayments lists payments, the newest first.
func (h *handlers) ListPayments(ctx context.Context, request ListPaymentsRequestObject) (ListPaymentsResponseObject, error) {
	p := request.Params
	before, limit, err := beforeID(p.Cursor, p.Limit)
	if err != nil {
		return nil, err
	}
	rows, err := store.Q.Payments(ctx, h.DB, store.PaymentsParams{
		WorkspaceID: workspace(ctx), Contact: p.Contact, State: string(orZero(p.State)), Before: before, MaxRows: int32(limit) + 1,
	})
	if err != nil {
		return nil, fault.Wrap(err, "list payments")
	}
	rows, next := pageOf(rows, limit, func(row store.Payment) uuid.UUID { return row.ID })
	return ListPayments200JSONResponse{Items: each(rows, toPayment), Next: next}, nil
}

// GetPayment is one payment.
func (h *handlers) GetPayment(ctx context.Context, request GetPaymentRequestObject) (GetPaymentResponseObject, error) {
	row, err := h.Inbound.Payments.Get(ctx, h.DB, workspace(ctx), request.Id)
	return GetPayment200JSONResponse(toPayment(row)), err
}

// ReportPayment takes the word of the customer's own shop.
func (h *handlers) ReportPayment(ctx context.Context, request ReportPaymentRequestObject) (ReportPaymentResponseObject, error) {
	in := request.Body
	report := payments.Report{
		Provider: payments.ProviderAPI, ExternalID: in.ExternalId, State: payments.Paid, Amount: in.Amount, Refunded: orZero(in.Refunded),
		Currency: in.Currency, Title: orZero(in.Title), At: or(in.At, time.Time{}), Who: fromInboundContact(in.Contact), Props: orZero(in.Properties),
	}
	if in.State != nil {
		report.State = payments.State(*in.State)
	}
	isNew := false
	row, err := change(ctx, h, func(tx store.Tx) (row store.Payment, err error) {
		row, isNew, err = h.Inbound.Payments.Record(ctx, tx, workspace(ctx), report)
		return row, err
	})
	if err != nil {
		return nil, err
	}
	h.nudge("inbox")
	if !isNew {
		return ReportPayment200JSONResponse(toPayment(row)), nil
	}
	return ReportPayment201JSONResponse(toPayment(row)), nil
}

// RefundPayment notes that money went back.
func (h *handlers) RefundPayment(ctx context.Context, request RefundPaymentRequestObject) (RefundPaymentResponseObject, error) {
	row, err := change(ctx, h, func(tx store.Tx) (store.Payment, error) {
		return h.Inbound.Payments.Refund(ctx, tx, workspace(ctx), request.Id, orZero(request.Body.Amount))
	})
	if err != nil {
		return nil, err
	}
	h.nudge("inbox")
	return RefundPayment200JSONResponse(toPayment(row)), nil
}

func toPayment(p store.Payment) Payment {
	var props Properties
	_ = json.Unmarshal(p.Props, &props) // an object, by the table's check
	return Payment{
		Id: p.ID, Provider: p.Provider, ExternalId: p.ExternalID, ContactId: p.ContactID, Amount: payments.Amount(p.Amount), Refunded: payments.Amount(p.Refunded),
		Currency: p.Currency, Title: p.Title, State: PaymentState(p.State), Properties: &props, CreatedAt: p.CreatedAt, PaidAt: p.PaidAt, RefundedAt: p.RefundedAt,
	}
}
