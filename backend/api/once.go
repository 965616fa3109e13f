package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

const (
	idempotencyHeader = "Idempotency-Key"
	maxKey            = 255
	keepAnswers       = 24 * time.Hour
	lostAfter         = 5 * time.Minute // a call that still has no answer by then has died
	maxKept           = 1 << 20         // a larger answer is not kept, and the key is free again
)

// once gives a write with an Idempotency-Key the answer of the first call with the same key. Without a key, for reads, and for answers that hold a
// secret, it does nothing.
func (g *guards) once(c echo.Context, r route, handler echo.HandlerFunc) error {
	key := c.Request().Header.Get(idempotencyHeader)
	actor := auth.From(c.Request().Context())
	if key == "" || !r.writes() || r.secret || actor.Workspace == uuid.Nil {
		return handler(c)
	}
	if len(key) > maxKey {
		return fault.New(fault.Invalid, "The header Idempotency-Key is too long: at most %d characters.", maxKey)
	}
	claim := claim{g: g, workspace: actor.Workspace, actor: actor.ID(), key: key, hash: requestHash(c)}
	kept, err := claim.take(c.Request().Context())
	if err != nil {
		return err
	}
	if kept != nil {
		c.Response().Header().Set("Idempotent-Replayed", "true")
		if kept.ContentType == nil {
			return c.NoContent(int(*kept.Status))
		}
		return c.Blob(int(*kept.Status), *kept.ContentType, kept.Body)
	}
	return claim.run(c, handler)
}

func requestHash(c echo.Context) []byte {
	hash := sha256.New()
	fmt.Fprintf(hash, "%s %s\n", c.Request().Method, c.Request().URL.RequestURI())
	if body, ok := c.Request().Body.(readBody); ok {
		hash.Write(body.bytes)
	}
	return hash.Sum(nil)
}

// claim is one call's hold on its key.
type claim struct {
	g                *guards
	workspace, actor uuid.UUID
	key              string
	hash             []byte
}

// take holds the key, or answers what an earlier call with it answered.
func (k claim) take(ctx context.Context) (*store.IdempotencyKeyRow, error) {
	now := clock.Micro(k.g.Machine.Now())
	n, err := store.Q.TakeIdempotencyKey(ctx, k.g.DB, store.TakeIdempotencyKeyParams{
		WorkspaceID: k.workspace, ActorID: k.actor, Key: k.key, RequestHash: k.hash, At: now,
	})
	if err != nil || n == 1 {
		return nil, fault.Wrap(err, "take an idempotency key")
	}
	row, err := store.Q.IdempotencyKey(ctx, k.g.DB, store.IdempotencyKeyParams{WorkspaceID: k.workspace, ActorID: k.actor, Key: k.key})
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.Wrap(err, "read an idempotency key")
	}
	limit := keepAnswers
	if row.Status == nil {
		limit = lostAfter
	}
	switch {
	case err != nil || now.Sub(row.CreatedAt) > limit:
		return nil, k.retake(ctx, now, now.Add(-limit))
	case !bytes.Equal(row.RequestHash, k.hash):
		return nil, fault.New(fault.Invalid, "This Idempotency-Key was used for another request. Use a new key for each thing to do.")
	case row.Status == nil:
		return nil, errStillRunning()
	}
	return &row, nil
}

func errStillRunning() error {
	return fault.New(fault.Conflict, "A request with this Idempotency-Key is still running. Ask again in a moment.")
}

func (k claim) retake(ctx context.Context, now, before time.Time) error {
	n, err := store.Q.RetakeIdempotencyKey(ctx, k.g.DB, store.RetakeIdempotencyKeyParams{
		RequestHash: k.hash, At: now, WorkspaceID: k.workspace, ActorID: k.actor, Key: k.key, Before: before,
	})
	if err == nil && n == 0 {
		return errStillRunning()
	}
	return fault.Wrap(err, "take an old idempotency key")
}

// run answers the call and keeps the answer. What failed on our side, or was given up by its sender, frees the key, so that the caller may try again.
func (k claim) run(c echo.Context, handler echo.HandlerFunc) error {
	recorder := &recorder{ResponseWriter: c.Response().Writer}
	c.Response().Writer = recorder
	if err := handler(c); err != nil {
		c.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.Request().Context()), 5*time.Second)
	defer cancel()
	status := c.Response().Status
	if status == statusGone || status >= http.StatusInternalServerError || recorder.overflown {
		err := store.Q.DropIdempotencyKey(ctx, k.g.DB, store.DropIdempotencyKeyParams{WorkspaceID: k.workspace, ActorID: k.actor, Key: k.key})
		return fault.Wrap(err, "free an idempotency key")
	}
	kept := store.KeepAnswerParams{WorkspaceID: k.workspace, ActorID: k.actor, Key: k.key, Status: new(int16(status)), Body: recorder.body.Bytes()}
	if kind := c.Response().Header().Get(echo.HeaderContentType); kind != "" {
		kept.ContentType = &kind
	}
	return fault.Wrap(store.Q.KeepAnswer(ctx, k.g.DB, kept), "keep an answer")
}

// recorder copies what passes.
type recorder struct {
	http.ResponseWriter

	body      bytes.Buffer
	overflown bool
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.body.Len()+len(p) > maxKept {
		r.overflown = true
	} else if !r.overflown {
		r.body.Write(p)
	}
	return r.ResponseWriter.Write(p)
}

// Unwrap lets deadlines and flushes through.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
