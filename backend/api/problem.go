package api

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/bookings"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
)

// waiting is a detail that says when to come back.
type waiting interface{ RetryAfter() time.Duration }

// statusGone is what the log and the metrics say of a request whose sender went away before the answer: nobody reads it, and nothing of ours failed.
// The number is nginx's.
const statusGone = 499

// problem is the one place where errors become answers. The cause of a fault is logged and never sent.
func (s *Server) problem(err error, c echo.Context) {
	ctx := c.Request().Context()
	if c.Response().Committed {
		s.Logger.ErrorContext(ctx, "failed after the answer", "request", requestID(c), "route", c.Path(), "error", err.Error())
		return
	}
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		c.Response().WriteHeader(statusGone)
		return
	}
	status, public := s.said(err)
	if status >= http.StatusInternalServerError {
		s.Logger.ErrorContext(ctx, "request failed", "request", requestID(c), "route", c.Path(), "error", err.Error())
	} else if public.Err != nil {
		s.Logger.LogAttrs(ctx, slog.LevelInfo, "request refused", slog.String("request", requestID(c)), slog.String("error", public.Err.Error()))
	}
	details := ProblemDetails{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Code: ProblemDetailsCode(public.Code), Detail: public.Message,
		RequestId: requestID(c),
	}
	if len(public.Fields) > 0 {
		fields := make([]FieldError, len(public.Fields))
		for i, field := range public.Fields {
			fields[i] = FieldError{Field: field.Path, Message: field.Message}
		}
		details.Fields = &fields
	}
	header := c.Response().Header()
	addDetails(&details, header, public.Details)
	if status == http.StatusServiceUnavailable && header.Get(echo.HeaderRetryAfter) == "" {
		header.Set(echo.HeaderRetryAfter, "5")
	}
	if status == http.StatusUnauthorized {
		header.Set(echo.HeaderWWWAuthenticate, `Bearer realm="lejek"`)
	}
	header.Set(echo.HeaderContentType, "application/problem+json")
	if c.Request().Method == http.MethodHead {
		c.Response().WriteHeader(status)
		return
	}
	body, err := json.Marshal(details)
	if err != nil {
		body = []byte(`{"status":500,"code":"internal"}`)
	}
	c.Response().WriteHeader(status)
	_, _ = c.Response().Write(body) // who went away needs no answer
}

// addDetails are what a program needs to go on after a refusal: when to come back, why a funnel cannot be published, the document as it is now, the
// contact that has the identity.
func addDetails(details *ProblemDetails, header http.Header, more any) {
	switch more := more.(type) {
	case waiting:
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(int(math.Ceil(more.RetryAfter().Seconds()))))
	case funnels.Refusal:
		problems := orEmpty(more.Problems)
		details.Problems = &problems
	case campaigns.Frozen:
		details.Reason = &more.Reason
	case campaigns.Stale:
		details.Revision = &more.Revision
	case funnels.Current:
		document := toDocument(more, nil)
		details.Current = &document
	case bookings.Taken:
		free := each(more.Alternatives, toSlot)
		details.Alternatives = &free
	case people.Clash:
		if len(more.Contacts) > 0 {
			details.ContactId = &more.Contacts[0]
		}
	}
}

// unstorable are the database's refusals of a text that came from outside.
var unstorable = []string{pgerrcode.UntranslatableCharacter, pgerrcode.CharacterNotInRepertoire, pgerrcode.InvalidTextRepresentation}

// said is what may be said about err: a fault by its code, an error of Echo (no such route, wrong method, a parameter of the wrong shape) by its
// status, anything else as our mistake.
func (s *Server) said(err error) (int, *fault.Error) {
	var known *fault.Error
	if errors.As(err, &known) && known.Code != fault.Internal {
		return known.Code.Status(), known
	}
	for _, code := range unstorable {
		if store.IsCode(err, code) {
			refused := fault.New(fault.Invalid, "A text holds characters that cannot be stored, such as half of a surrogate pair. Take them out.").WithErr(err)
			return refused.Code.Status(), refused
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return http.StatusServiceUnavailable, fault.New(fault.Unavailable, "This took too long and was given up. Please try again.").WithErr(err)
	}
	if store.IsDown(err) {
		return http.StatusServiceUnavailable, fault.New(fault.Unavailable, "The database does not answer just now; it is not sure that the change was kept. Please try again in a moment.").WithErr(err)
	}
	if shaped, ok := errors.AsType[*echo.HTTPError](err); ok {
		return shaped.Code, fromEcho(shaped)
	}
	public := fault.Public(err)
	return public.Code.Status(), public
}

func fromEcho(err *echo.HTTPError) *fault.Error {
	said, _ := err.Message.(string)
	switch err.Code {
	case http.StatusNotFound:
		return fault.New(fault.NotFound, "There is nothing at this address. Check the path.")
	case http.StatusMethodNotAllowed:
		return fault.New(fault.NotFound, "This address does not take that method.")
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.TooLarge, "The body is too large. Send less at once.")
	case http.StatusForbidden:
		return fault.New(fault.Forbidden, "%s", said)
	case http.StatusBadRequest, http.StatusUnsupportedMediaType:
		return fault.New(fault.Invalid, "%s", said)
	default:
		return fault.New(fault.Internal, "Something went wrong on our side. Please try again.").WithErr(err)
	}
}
