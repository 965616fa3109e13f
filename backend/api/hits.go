package api

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/engine"
)

// How many fetches of pictures and links one address may make: a large office behind one address reads mail too. What is beyond is
// answered, but not noted.
const (
	hitsPerSecond = 20
	hitsAtOnce    = 200
	hitsMemory    = 5 * time.Minute
)

// pixel is a transparent picture of one pixel.
var pixel = []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")

// hits are the routes by which opens and clicks come in.
func (s *Server) hits() {
	if s.Tracking == nil {
		return
	}
	s.patience = middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
		Rate: hitsPerSecond, Burst: hitsAtOnce, ExpiresIn: hitsMemory,
	})
	for _, method := range []string{http.MethodGet, http.MethodHead} {
		s.echo.Add(method, "/o/:token", s.opened)
		s.echo.Add(method, "/c/:token", s.clicked)
		s.echo.Add(method, "/s/:token", s.clickedShort)
	}
}

// opened answers the picture, whatever the token is: a broken picture in a mail helps nobody.
func (s *Server) opened(c echo.Context) error {
	if s.patient(c) {
		if err := s.Tracking.Opened(c.Request().Context(), c.Param("token"), visitor(c)); err != nil && !errors.Is(err, tracking.ErrToken) {
			return err
		}
	}
	quiet(c)
	return c.Blob(http.StatusOK, "image/gif", pixel)
}

// clicked leads on to where the message led, and nowhere else.
func (s *Server) clicked(c echo.Context) error {
	if !s.patient(c) {
		target, err := s.Tracking.Links.ReadClick(c.Param("token"))
		return s.lead(c, target.URL, err)
	}
	url, err := s.Tracking.Clicked(c.Request().Context(), c.Param("token"), visitor(c))
	return s.lead(c, url, err)
}

func (s *Server) clickedShort(c echo.Context) error {
	if !s.patient(c) {
		return c.NoContent(http.StatusTooManyRequests)
	}
	url, err := s.Tracking.ClickedShort(c.Request().Context(), c.Param("token"), visitor(c))
	return s.lead(c, url, err)
}

func (s *Server) lead(c echo.Context, url string, err error) error {
	quiet(c)
	switch {
	case errors.Is(err, tracking.ErrToken):
		return show(c, http.StatusNotFound, delivery.Farewell{Language: preferred(c.Request())}, page{Message: wordsOf(preferred(c.Request())).Gone})
	case err != nil:
		return s.farewellFailed(c, err)
	case url == "": // the trap
		return c.NoContent(http.StatusNoContent)
	}
	if _, fault := engine.SafeURL(url); fault != "" { // whatever was sealed or kept, no link of ours runs a script
		return s.lead(c, "", tracking.ErrToken)
	}
	return c.Redirect(http.StatusFound, url)
}

// patient tells whether this address may be noted once more.
func (s *Server) patient(c echo.Context) bool {
	allowed, err := s.patience.Allow(c.RealIP())
	return err == nil && allowed
}

func quiet(c echo.Context) {
	header := c.Response().Header()
	header.Set("Cache-Control", "no-store, max-age=0")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Referrer-Policy", "no-referrer")
}

func visitor(c echo.Context) tracking.Visitor {
	request := c.Request()
	prefetch := false
	for _, name := range []string{"Purpose", "Sec-Purpose", "X-Purpose", "X-Moz"} {
		value := strings.ToLower(request.Header.Get(name))
		prefetch = prefetch || strings.Contains(value, "prefetch") || strings.Contains(value, "preview")
	}
	return tracking.Visitor{Method: request.Method, Agent: request.UserAgent(), Prefetch: prefetch}
}
