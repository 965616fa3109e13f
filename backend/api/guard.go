package api

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
)

// workspaceHeader names the workspace a person works in.
const workspaceHeader = "Lejek-Workspace"

// guards stand around each handler: who, may, how large, how deep, once, for how long.
type guards struct {
	Deps
}

func newGuards(deps Deps) *guards { return &guards{deps} }

// around is the guard of one route. The caller is known before a byte of the body is read, so that a stranger costs nothing.
func (g *guards) around(r route) echo.MiddlewareFunc {
	promised := promiseOf(r)
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			request := c.Request()
			if request.ContentLength > r.limit() {
				return errTooLarge(r.limit())
			}
			ctx, err := g.admit(request.Context(), c, r)
			if err != nil {
				return err
			}
			if !r.stream {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, handlerLimit)
				defer cancel()
			}
			request.Body = http.MaxBytesReader(c.Response(), request.Body, r.limit())
			c.SetRequest(request.WithContext(ctx))
			if err := checkBody(c, r); err != nil {
				return err
			}
			if err := promised.conform(c); err != nil {
				return err
			}
			return g.once(c, r, func(c echo.Context) error {
				if err := next(c); err != nil {
					return err
				}
				return g.audit(c, r)
			})
		}
	}
}

// admit puts the actor into the context, and refuses who may not.
func (g *guards) admit(ctx context.Context, c echo.Context, r route) (context.Context, error) {
	origin := origin{ip: c.RealIP(), session: g.sessionOf(c.Request()), id: requestID(c)}
	ctx = withOrigin(ctx, origin)
	if r.public {
		return ctx, nil
	}
	actor, err := g.actor(ctx, c, origin.session)
	if err != nil {
		return ctx, err
	}
	if err := actor.Need(r.permission); err != nil {
		return ctx, err
	}
	if line, ok := c.Get(lineKey).(*logLine); ok {
		line.workspace, line.actor = actor.Workspace, actor.ID()
	}
	return auth.With(ctx, actor), nil
}

func (g *guards) actor(ctx context.Context, c echo.Context, session string) (auth.Actor, error) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		secret, ok := strings.CutPrefix(header, "Bearer ")
		if !ok {
			return auth.Actor{}, fault.New(fault.Unauthenticated, "The header Authorization is not understood. Expected: Bearer lk_live_...")
		}
		return g.Auth.ByToken(ctx, strings.TrimSpace(secret))
	}
	if session == "" {
		return auth.Actor{}, fault.New(fault.Unauthenticated, "You are not signed in. Sign in, or send a token as Authorization: Bearer lk_live_...")
	}
	workspace, err := workspaceOf(c)
	if err != nil {
		return auth.Actor{}, err
	}
	return g.Auth.BySession(ctx, session, workspace)
}

func workspaceOf(c echo.Context) (uuid.UUID, error) {
	text := c.Request().Header.Get(workspaceHeader)
	if text == "" {
		text = c.QueryParam("workspace")
	}
	if text == "" {
		return uuid.Nil, nil
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, fault.New(fault.NotFound, "%q is not the id of a workspace.", text)
	}
	return id, nil
}

// origin is where a request comes from; handlers of signing in need it.
type origin struct {
	ip      string
	session string // token of the cookie
	id      string // of the request
}

type originKey struct{}

func withOrigin(ctx context.Context, o origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

func originOf(ctx context.Context) origin {
	o, _ := ctx.Value(originKey{}).(origin)
	return o
}

func ipNet(prefix netip.Prefix) *net.IPNet {
	bits := prefix.Addr().BitLen()
	return &net.IPNet{IP: prefix.Addr().AsSlice(), Mask: net.CIDRMask(prefix.Bits(), bits)}
}
