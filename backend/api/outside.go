package api

import (
	"context"
	_ "embed"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/tracking"
)

//go:embed openapi.yaml
var spec []byte

// Spec is the contract as it is served.
func Spec() []byte { return spec }

// outside are the routes beside the contract; anybody may call them. The list is what the test of all routes accepts as public.
func (s *Server) outside() {
	s.echo.GET("/healthz", func(c echo.Context) error { return c.NoContent(http.StatusNoContent) })
	s.echo.GET("/readyz", s.ready)
	s.echo.GET("/metrics", echo.WrapHandler(s.metrics.handler()), s.fromNearby)
	s.echo.GET(Prefix+"/openapi.yaml", func(c echo.Context) error { return c.Blob(http.StatusOK, "application/yaml", spec) })
	s.echo.GET("/u/:token", s.farewell)
	s.echo.POST("/u/:token", s.unsubscribe)
	s.echo.GET("/v/:token", s.view)
	s.public()
	s.echo.POST("/hooks/stripe/:workspace/:id", s.stripeReport)
	s.echo.POST("/hooks/messages/:workspace/:id", s.messageReport)
	s.echo.GET("/p/:token", s.showPreferences)
	s.echo.POST("/p/:token", s.savePreferences)
	s.echo.GET(tracking.WellKnown, s.linksDomain)
	s.hits()
	s.echo.Any(Prefix+"/*", func(echo.Context) error { return echo.ErrNotFound })
	if s.web != nil {
		s.echo.GET("/*", echo.WrapHandler(s.web))
	}
}

// ready says whether this process can serve: the database answers, and whatever else it needs.
func (s *Server) ready(c echo.Context) error {
	select {
	case <-s.draining:
		return c.NoContent(http.StatusServiceUnavailable)
	default:
	}
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	if _, err := s.DB.Exec(ctx, "SELECT 1"); err != nil {
		s.Logger.WarnContext(ctx, "not ready", "error", err.Error())
		return c.NoContent(http.StatusServiceUnavailable)
	}
	if s.Ready != nil {
		if err := s.Ready(); err != nil {
			s.Logger.WarnContext(ctx, "not ready", "error", err.Error())
			return c.NoContent(http.StatusServiceUnavailable)
		}
	}
	return c.NoContent(http.StatusNoContent)
}

// fromNearby hides metrics from the outside: they are for a collector on this machine or in a private network.
func (s *Server) fromNearby(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !nearby(c.RealIP()) {
			return echo.ErrNotFound
		}
		return next(c)
	}
}
