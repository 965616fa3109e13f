package api

import (
	"bytes"
	"embed"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
)

//go:embed public.html preferences.html
var publicFiles embed.FS

var publicPages = template.Must(template.ParseFS(publicFiles, "public.html", "preferences.html"))

// public are the pages and endpoints for people outside: forms, visits, bookings. None of them knows a cookie.
func (s *Server) public() {
	s.echo.GET("/f/:form", s.showForm)
	s.echo.POST("/f/:form", s.sendForm)
	s.echo.OPTIONS("/f/:form", s.askForm)
	s.echo.GET("/f/confirm/:token", s.showConfirm)
	s.echo.POST("/f/confirm/:token", s.confirm)
	s.echo.POST("/t", s.track)
	s.echo.OPTIONS("/t", s.askTrack)
	s.echo.GET("/book/:resource", s.showSlots)
	s.echo.POST("/book/:resource", s.bookSlot)
	s.echo.GET("/book/manage/:token", s.showBooking)
	s.echo.POST("/book/manage/:token", s.manageBooking)
}

// judgesOrigin tells the addresses that pages of other sites may write to. They judge by themselves which.
func judgesOrigin(path string) bool { return path == "/t" || strings.HasPrefix(path, "/f/") }

// pageLook is what every public page has; Body is of the page itself.
type pageLook struct {
	Language, Title, House string
	Words                  map[string]string
	Body                   any
}

// showPage writes a public page. Nothing may run in it, and its form may be sent to us, or lead on to one other site.
func showPage(c echo.Context, status int, name string, look pageLook, onTo string) error {
	var out bytes.Buffer
	if err := publicPages.ExecuteTemplate(&out, name, look); err != nil {
		return err
	}
	target := "'self'"
	if parsed, err := url.Parse(onTo); err == nil && parsed.Host != "" {
		target += " " + parsed.Scheme + "://" + parsed.Host
	}
	header := c.Response().Header()
	header.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action "+target+"; base-uri 'none'; frame-ancestors 'none'")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Robots-Tag", "noindex")
	header.Set("Referrer-Policy", "same-origin")
	return c.HTMLBlob(status, out.Bytes())
}

// speak is the language of ours a browser prefers, with the words of the public pages.
func speak(c echo.Context) (code string, words map[string]string) {
	code = language(preferred(c.Request()))
	return code, publicWords[code]
}

// failPage says on a page what went wrong.
func (s *Server) failPage(c echo.Context, err error) error {
	code, words := speak(c)
	status, public := s.said(err)
	message := words["again"]
	switch {
	case status == http.StatusNotFound:
		message = words["gone"]
	case status == http.StatusTooManyRequests:
		message = words["often"]
		addDetails(&ProblemDetails{}, c.Response().Header(), public.Details)
	case status >= http.StatusInternalServerError:
		s.Logger.ErrorContext(c.Request().Context(), "request failed", "request", requestID(c), "route", c.Path(), "error", err.Error())
	default:
		message = public.Message
	}
	return showPage(c, status, "message", pageLook{Language: code, Title: words["title"], Words: words, Body: message}, "")
}

// wantsJSON tells a program from somebody at a page.
func wantsJSON(c echo.Context) bool {
	accept := c.Request().Header.Get(echo.HeaderAccept)
	return !strings.Contains(accept, "text/html")
}

// foreignOrigin is the site of the page that sends a request, "" for our own pages and for programs.
func foreignOrigin(c echo.Context) string {
	origin := c.Request().Header.Get(echo.HeaderOrigin)
	if parsed, err := url.Parse(origin); origin == "" || err == nil && parsed.Host != "" && parsed.Host == c.Request().Host {
		return ""
	}
	return strings.ToLower(origin)
}

// allowOrigin lets the page of an origin read the answer. No cookie takes part.
func allowOrigin(c echo.Context, origin string) {
	header := c.Response().Header()
	header.Add(echo.HeaderVary, echo.HeaderOrigin)
	header.Set(echo.HeaderAccessControlAllowOrigin, origin)
	header.Set(echo.HeaderAccessControlExposeHeaders, echo.HeaderRetryAfter)
	if c.Request().Method == http.MethodOptions {
		header.Set(echo.HeaderAccessControlAllowMethods, "GET, POST")
		header.Set(echo.HeaderAccessControlAllowHeaders, "Authorization, Content-Type, Idempotency-Key")
		header.Set(echo.HeaderAccessControlMaxAge, "86400")
	}
}

// readPublic reads a body of at most so many bytes.
func readPublic(c echo.Context, most int64) ([]byte, error) {
	if c.Request().ContentLength > most {
		return nil, errTooLarge(most)
	}
	body, err := io.ReadAll(http.MaxBytesReader(c.Response(), c.Request().Body, most))
	if err != nil {
		return nil, bodyError(err)
	}
	return body, nil
}

// publicID reads the id in a public address.
func publicID(c echo.Context, name string) (uuid.UUID, error) {
	id, err := uuid.Parse(c.Param(name))
	if err != nil {
		return id, fault.New(fault.NotFound, "There is nothing at this address. Check the path.").WithErr(err)
	}
	return id, nil
}

// keyOf is the workspace of the write-only key a request carries, uuid.Nil when it carries none.
func (s *Server) keyOf(c echo.Context, given string) (uuid.UUID, error) {
	if header := c.Request().Header.Get(echo.HeaderAuthorization); header != "" {
		given = strings.TrimSpace(strings.TrimPrefix(header, "Bearer "))
	}
	if given == "" {
		return uuid.Nil, nil
	}
	actor, err := s.Auth.ByToken(c.Request().Context(), given)
	if err != nil {
		return uuid.Nil, err
	}
	return actor.Workspace, actor.Need(auth.EventsWrite)
}
