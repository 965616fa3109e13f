package api

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
)

const (
	requestIDKey = "request id"
	lineKey      = "log line"
)

// logLine gathers what the log says about a request: ids and numbers, never personal data, so no query, no address, no body.
type logLine struct {
	workspace uuid.UUID
	actor     uuid.UUID
}

func requestID(c echo.Context) string {
	id, _ := c.Get(requestIDKey).(string)
	return id
}

// observe names, times, counts and logs each request.
func (s *Server) observe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		start := s.Machine.Now()
		var raw [8]byte
		rand.Read(raw[:]) // never fails, by its documentation
		id := hex.EncodeToString(raw[:])
		line := &logLine{}
		c.Set(requestIDKey, id)
		c.Set(lineKey, line)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		if err := next(c); err != nil {
			c.Error(err)
		}
		took := s.Machine.Now().Sub(start)
		s.metrics.request(c.Path(), c.Request().Method, c.Response().Status, took)
		s.log(c, id, line, took)
		return nil
	}
}

func (s *Server) log(c echo.Context, id string, line *logLine, took time.Duration) {
	level, status := slog.LevelDebug, c.Response().Status
	if status >= http.StatusBadRequest {
		level = slog.LevelInfo
	}
	attrs := []slog.Attr{
		slog.String("request", id), slog.String("method", c.Request().Method), slog.String("route", c.Path()), slog.Int("status", status),
		slog.Float64("ms", float64(took.Microseconds())/1000), slog.Int64("bytes", c.Response().Size),
	}
	if line.workspace != uuid.Nil {
		attrs = append(attrs, slog.String("workspace", line.workspace.String()))
	}
	if line.actor != uuid.Nil {
		attrs = append(attrs, slog.String("actor", line.actor.String()))
	}
	s.Logger.LogAttrs(c.Request().Context(), level, "request", attrs...)
}

// recovered turns a panic into an error with its stack, for the log.
func recovered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			default:
				cause, ok := p.(error)
				if !ok {
					cause = fmt.Errorf("%v", p)
				}
				err = errors.Join(fmt.Errorf("panic: %w", cause), errors.New(string(debug.Stack())))
			}
		}()
		return next(c)
	}
}
