package api

import (
	"context"
	"net/http"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// unaudited are writes that change nothing of weight: what machines send all day, what people type, and questions asked by POST.
var unaudited = map[string]bool{
	"postEvents": true, "saveDraft": true, "validateFunnel": true, "validateBundle": true, "simulateFunnel": true, "runTests": true, "rehearseFunnel": true, "previewCreative": true, "createPreferenceLink": true, "sendMessage": true,
	"bePresent": true, "compareDocuments": true,
}

// audit notes who changed what, by ids only.
func (g *guards) audit(c echo.Context, r route) error {
	ctx := c.Request().Context()
	actor := auth.From(ctx)
	if !r.writes() || unaudited[r.operation] || actor.Workspace == uuid.Nil || c.Response().Status >= http.StatusBadRequest {
		return nil
	}
	kind := "token"
	if actor.User != nil {
		kind = "user"
	}
	target := c.Param("id")
	if target == "" {
		target = c.Param("slug")
	}
	err := store.Q.InsertAudit(context.WithoutCancel(ctx), g.DB, store.InsertAuditParams{
		WorkspaceID: actor.Workspace, At: clock.Micro(g.Machine.Now()), ActorKind: kind, ActorID: new(actor.ID()), Action: r.operation,
		Target: target, RequestID: requestID(c),
	})
	return fault.Wrap(err, "note a change")
}

// note writes a line of the audit with its reason, in the transaction of what it is about.
func (h *handlers) note(ctx context.Context, tx store.Tx, action, target string) error {
	actor, kind := auth.From(ctx), "token"
	if actor.User != nil {
		kind = "user"
	}
	err := store.Q.InsertAudit(ctx, tx, store.InsertAuditParams{
		WorkspaceID: actor.Workspace, At: clock.Micro(h.Machine.Now()), ActorKind: kind, ActorID: new(actor.ID()), Action: action, Target: target,
		RequestID: originOf(ctx).id,
	})
	return fault.Wrap(err, "note a change")
}
