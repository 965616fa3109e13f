package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/tracking"
)

// ListReportSources lists the providers that may report.
func (h *handlers) ListReportSources(ctx context.Context, _ ListReportSourcesRequestObject) (ListReportSourcesResponseObject, error) {
	list, err := h.Receipts.List(ctx, workspace(ctx))
	return ListReportSources200JSONResponse{Items: each(list, h.toReportSource)}, err
}

func (h *handlers) toReportSource(s receipts.Source) ReportSource {
	return ReportSource{
		Id: s.ID, Kind: ReportSourceKind(s.Kind), Name: s.Name, TopicArn: s.TopicArn, Url: h.BaseURL + receipts.Path(s.Workspace, s.ID), CreatedAt: s.CreatedAt,
		LastAt: s.LastAt, Done: s.Counts.Done, Queued: s.Counts.Queued, Ignored: s.Counts.Ignored, Failed: s.Counts.Failed,
	}
}

// CreateReportSource lets a provider report.
func (h *handlers) CreateReportSource(ctx context.Context, request CreateReportSourceRequestObject) (CreateReportSourceResponseObject, error) {
	in := request.Body
	made, err := change(ctx, h, func(tx store.Tx) (receipts.Source, error) {
		return h.Receipts.Create(ctx, tx, workspace(ctx), receipts.Input{Kind: string(in.Kind), Name: in.Name, TopicArn: orZero(in.TopicArn), Secret: orZero(in.Secret)})
	})
	return CreateReportSource201JSONResponse(h.toReportSource(made)), err
}

// DeleteReportSource forgets one.
func (h *handlers) DeleteReportSource(ctx context.Context, request DeleteReportSourceRequestObject) (DeleteReportSourceResponseObject, error) {
	return DeleteReportSource204Response{}, h.inTx(ctx, func(tx store.Tx) error { return h.Receipts.Delete(ctx, tx, workspace(ctx), request.Id) })
}

// messageReport takes what a provider reports about messages. The answer 200 is given when it is safe with us; what follows comes later. A
// refusal tells nothing but that it is one.
func (s *Server) messageReport(c echo.Context) error {
	workspace, first := uuid.Parse(c.Param("workspace"))
	id, second := uuid.Parse(c.Param("id"))
	if errors.Join(first, second) != nil {
		return c.NoContent(http.StatusNotFound)
	}
	request := c.Request()
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, receipts.MaxReport))
	if err != nil {
		return c.NoContent(http.StatusRequestEntityTooLarge)
	}
	// Providers sign the address they were told, not the one a proxy asks us by.
	err = s.Receipts.Take(request.Context(), workspace, id, receipts.Report{URL: s.BaseURL + request.URL.RequestURI(), Header: request.Header, Body: body})
	switch fault.CodeOf(err) {
	case fault.NotFound:
		return c.NoContent(http.StatusNotFound)
	case fault.Unauthenticated:
		return c.NoContent(http.StatusUnauthorized)
	case fault.Invalid:
		return c.NoContent(http.StatusBadRequest)
	}
	if err != nil {
		return err
	}
	return c.Blob(http.StatusOK, "text/xml; charset=utf-8", []byte("<Response/>")) // who sends texts reads it as: answer nothing
}

// GetMailbox shows where replies are read.
func (h *handlers) GetMailbox(ctx context.Context, _ GetMailboxRequestObject) (GetMailboxResponseObject, error) {
	box, err := h.mailbox(ctx, h.DB)
	return GetMailbox200JSONResponse(box), err
}

func (h *handlers) mailbox(ctx context.Context, db store.DB) (Mailbox, error) {
	box, configured, err := h.Mailboxes.Get(ctx, db, workspace(ctx))
	if err != nil || !configured {
		return Mailbox{Security: MailboxSecurityTls, Port: 993, Folder: "INBOX"}, err
	}
	return Mailbox{
		Configured: true, Host: box.Host, Port: box.Port, Security: MailboxSecurity(box.Security), Username: box.Username, HasPassword: true, Folder: box.Folder,
		Address: box.Address, Active: box.Active, CheckedAt: box.CheckedAt, Said: box.Said,
	}, nil
}

// PutMailbox saves it.
func (h *handlers) PutMailbox(ctx context.Context, request PutMailboxRequestObject) (PutMailboxResponseObject, error) {
	in := request.Body
	box, err := change(ctx, h, func(tx store.Tx) (Mailbox, error) {
		err := h.Mailboxes.Save(ctx, tx, workspace(ctx), replies.Input{Password: in.Password, Mailbox: replies.Mailbox{
			Host: in.Host, Port: in.Port, Security: string(in.Security), Username: in.Username, Folder: orZero(in.Folder), Address: in.Address, Active: in.Active,
		}})
		if err != nil {
			return Mailbox{}, err
		}
		return h.mailbox(ctx, tx)
	})
	h.nudge("replies")
	return PutMailbox200JSONResponse(box), err
}

// DeleteMailbox takes it away.
func (h *handlers) DeleteMailbox(ctx context.Context, _ DeleteMailboxRequestObject) (DeleteMailboxResponseObject, error) {
	return DeleteMailbox204Response{}, h.inTx(ctx, func(tx store.Tx) error { return h.Mailboxes.Delete(ctx, tx, workspace(ctx)) })
}

// TestMailbox opens it.
func (h *handlers) TestMailbox(ctx context.Context, _ TestMailboxRequestObject) (TestMailboxResponseObject, error) {
	said, ok, err := h.Mailboxes.Test(ctx, workspace(ctx))
	return TestMailbox200JSONResponse{Ok: ok, Answer: said}, err
}

// GetTrackingDomain tells the domain of links.
func (h *handlers) GetTrackingDomain(ctx context.Context, _ GetTrackingDomainRequestObject) (GetTrackingDomainResponseObject, error) {
	domain, err := h.Domains.Of(ctx, workspace(ctx))
	return GetTrackingDomain200JSONResponse(h.toDomain(domain)), err
}

func (h *handlers) toDomain(d tracking.Domain) TrackingDomain {
	return TrackingDomain{Domain: d.Name, Verified: d.Verified != nil, Target: h.Domains.Target(), Said: optional(d.Said)}
}

// PutTrackingDomain sets it.
func (h *handlers) PutTrackingDomain(ctx context.Context, request PutTrackingDomainRequestObject) (PutTrackingDomainResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error { return h.Domains.Set(ctx, tx, workspace(ctx), request.Body.Domain) })
	if err != nil {
		return nil, err
	}
	domain, err := h.Domains.Of(ctx, workspace(ctx))
	return PutTrackingDomain200JSONResponse(h.toDomain(domain)), err
}

// VerifyTrackingDomain asks the domain whether it leads here.
func (h *handlers) VerifyTrackingDomain(ctx context.Context, _ VerifyTrackingDomainRequestObject) (VerifyTrackingDomainResponseObject, error) {
	domain, err := h.Domains.Verify(ctx, workspace(ctx), h.Clock.Now())
	return VerifyTrackingDomain200JSONResponse(h.toDomain(domain)), err
}

// linksDomain says to whoever asks a domain of links that it leads here.
func (s *Server) linksDomain(c echo.Context) error {
	return c.String(http.StatusOK, s.Domains.Word(hostname(c.Request().Host)))
}
