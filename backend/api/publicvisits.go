package api

import (
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/limits"
	"github.com/lejek/lejek/backend/visitors"
	"github.com/lejek/lejek/backend/workspaces"
)

// perVisitor is how often one network address may write to a public page.
var perVisitor = limits.Rate{Every: 500 * time.Millisecond, Burst: 120}

// maxBeacon is the largest body of a visit.
const maxBeacon = 8 << 10

// beacon is what lejek.js sends, as text/plain, so that a browser asks no leave first.
type beacon struct {
	Key      string `json:"key"` // write-only; beacons cannot carry headers
	Visitor  string `json:"visitor"`
	URL      string `json:"url"`
	Title    string `json:"title"`
	Referrer string `json:"referrer"`
	Identity string `json:"identity"`
}

func (s *Server) askTrack(c echo.Context) error {
	allowOrigin(c, "*")
	return c.NoContent(http.StatusNoContent)
}

// track keeps one visit of a page. It answers nothing, whatever it found out.
func (s *Server) track(c echo.Context) error {
	allowOrigin(c, "*")
	ctx := c.Request().Context()
	if err := s.Inbound.Limits.Take(ctx, "visit:"+s.Inbound.Address(c.RealIP()), perVisitor); err != nil {
		return err
	}
	body, err := readPublic(c, maxBeacon)
	if err != nil {
		return err
	}
	var b beacon
	if err := decodePublic(body, &b); err != nil {
		return err
	}
	if hasNUL(body) {
		return errNUL()
	}
	workspace, err := s.keyOf(c, b.Key)
	if err != nil {
		return err
	}
	if workspace == uuid.Nil {
		return fault.InvalidField("key", "Send a write-only key, lk_pub_..., from Settings, API.")
	}
	if askedNotToTrack(c.Request()) {
		settings, err := workspaces.Get(ctx, s.DB, workspace)
		if err != nil || settings.RespectDoNotTrack {
			return orNothing(c, err)
		}
	}
	id, err := uuid.Parse(b.Visitor)
	if err != nil {
		return fault.InvalidField("visitor", "Give the visitor's id, a UUID the browser made.")
	}
	err = s.Inbound.Visitors.Track(ctx, workspace, visitors.Visit{Visitor: id, URL: b.URL, Title: b.Title, Referrer: b.Referrer, Identity: b.Identity})
	if err == nil {
		s.nudge("wake")
		s.nudge("inbox")
	}
	return orNothing(c, err)
}

func orNothing(c echo.Context, err error) error {
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// askedNotToTrack tells a browser whose user said so.
func askedNotToTrack(request *http.Request) bool {
	return request.Header.Get("DNT") == "1" || request.Header.Get("Sec-GPC") == "1"
}
