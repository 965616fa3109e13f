package api

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/connections"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// maxReport is the largest report of a service.
const maxReport = 1 << 20

// ListConnections lists connections by name.
func (h *handlers) ListConnections(ctx context.Context, _ ListConnectionsRequestObject) (ListConnectionsResponseObject, error) {
	rows, err := h.Connections.List(ctx, workspace(ctx))
	return ListConnections200JSONResponse{Items: each(rows, h.toConnection)}, err
}

// CreateConnection saves a connection.
func (h *handlers) CreateConnection(ctx context.Context, request CreateConnectionRequestObject) (CreateConnectionResponseObject, error) {
	in := *request.Body
	row, err := change(ctx, h, func(tx store.Tx) (connections.Shown, error) {
		return h.Connections.Create(ctx, tx, workspace(ctx), connections.Input{
			Kind: string(in.Kind), Slug: orZero(in.Slug), Name: &in.Name, BaseURL: in.BaseUrl, Chat: in.Chat, Headers: fromHeaders(in.Headers),
			Token: in.Token, Signing: in.SigningSecret,
		})
	})
	return CreateConnection201JSONResponse(h.toConnection(row)), err
}

// UpdateConnection changes a connection.
func (h *handlers) UpdateConnection(ctx context.Context, request UpdateConnectionRequestObject) (UpdateConnectionResponseObject, error) {
	in := *request.Body
	row, err := change(ctx, h, func(tx store.Tx) (connections.Shown, error) {
		return h.Connections.Update(ctx, tx, workspace(ctx), request.Id, connections.Input{
			Name: in.Name, BaseURL: in.BaseUrl, Chat: in.Chat, Headers: fromHeaders(in.Headers), Token: in.Token, Signing: in.SigningSecret,
		})
	})
	return UpdateConnection200JSONResponse(h.toConnection(row)), err
}

// DeleteConnection takes a connection away.
func (h *handlers) DeleteConnection(ctx context.Context, request DeleteConnectionRequestObject) (DeleteConnectionResponseObject, error) {
	err := h.inTx(ctx, func(tx store.Tx) error { return h.Connections.Delete(ctx, tx, workspace(ctx), request.Id) })
	return DeleteConnection204Response{}, err
}

// TestConnection asks the service and says what it answered.
func (h *handlers) TestConnection(ctx context.Context, request TestConnectionRequestObject) (TestConnectionResponseObject, error) {
	said, ok, err := h.Connections.Test(ctx, workspace(ctx), request.Id)
	return TestConnection200JSONResponse{Ok: ok, Answer: said}, err
}

func fromHeaders(headers *[]ConnectionHeader) []connections.Header {
	if headers == nil {
		return nil
	}
	return each(*headers, func(h ConnectionHeader) connections.Header { return connections.Header{Name: h.Name, Value: h.Value} })
}

func (h *handlers) toConnection(row connections.Shown) Connection {
	out := Connection{
		Id: row.ID, Slug: row.Slug, Kind: ConnectionKind(row.Kind), Name: row.Name, BaseUrl: row.BaseURL, Chat: row.Chat, Headers: row.Headers,
		HasToken: row.Token, HasSigningSecret: row.Signing, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if out.Headers == nil {
		out.Headers = []string{}
	}
	if row.Kind == connections.Stripe {
		out.ReportUrl = new(h.BaseURL + "/hooks/stripe/" + row.WorkspaceID.String() + "/" + row.ID.String())
	}
	return out
}

// stripeReport takes an event of Stripe. The answer 200 is given when the event is safe with us; what follows from it comes later. A
// refusal tells nothing but that it is one.
func (s *Server) stripeReport(c echo.Context) error {
	workspace, first := uuid.Parse(c.Param("workspace"))
	id, second := uuid.Parse(c.Param("id"))
	if errors.Join(first, second) != nil {
		return c.NoContent(http.StatusNotFound)
	}
	request := c.Request()
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, maxReport))
	if err != nil {
		return c.NoContent(http.StatusRequestEntityTooLarge)
	}
	err = s.Reports.Take(request.Context(), workspace, id, body, request.Header.Get("Stripe-Signature"))
	if public, ok := errors.AsType[*fault.Error](err); ok {
		switch public.Code {
		case fault.NotFound:
			return c.NoContent(http.StatusNotFound)
		case fault.Unauthenticated, fault.Invalid:
			return c.NoContent(http.StatusBadRequest)
		default:
		}
	}
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusOK)
}
