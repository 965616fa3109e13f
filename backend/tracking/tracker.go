package tracking

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store"
)

// Tracker keeps hits and judges them. It is safe for use by many goroutines.
type Tracker struct {
	DB     store.DB
	Clock  clock.Source
	Links  *Links
	Logger *slog.Logger
	Nudge  func(kind string) // told after a commit which pump has something to do
}

// Visitor is what a request says of who made it.
type Visitor struct {
	Method, Agent string
	Prefetch      bool
}

const (
	settle   = 5 * time.Second // until the neighbours of a hit are known
	maxHits  = 200             // kept of one message: a program that fetches for ever costs no more
	maxAgent = 300             // bytes
	patience = time.Second     // a database that does not answer must not hold up a person
)

// Opened notes a fetch of the picture. ErrToken says it is none of ours.
func (t *Tracker) Opened(ctx context.Context, token string, visitor Visitor) error {
	target, err := t.Links.ReadOpen(token)
	if err != nil {
		return err
	}
	t.record(ctx, "open", target, visitor)
	return nil
}

// Clicked notes that a link was followed and says where it leads; "" for the trap. It needs no database to say so.
func (t *Tracker) Clicked(ctx context.Context, token string, visitor Visitor) (url string, err error) {
	target, err := t.Links.ReadClick(token)
	if err != nil {
		return "", err
	}
	t.record(ctx, "click", target, visitor)
	return target.URL, nil
}

// ClickedShort is Clicked for the code of a short link.
func (t *Tracker) ClickedShort(ctx context.Context, code string, visitor Visitor) (url string, err error) {
	if !IsCode(code) {
		return "", ErrToken
	}
	var target Target
	var workspace, message [16]byte
	err = t.DB.QueryRow(ctx, "SELECT workspace_id, message_id, link, url FROM short_links WHERE code = $1", code).
		Scan(&workspace, &message, &target.Link, &target.URL)
	if errors.Is(err, pgx.ErrNoRows) || err == nil && target.URL == "" {
		return "", ErrToken
	}
	if err != nil {
		return "", fmt.Errorf("read a short link: %w", err)
	}
	target.Workspace, target.Message = workspace, message
	t.record(ctx, "click", target, visitor)
	return target.URL, nil
}

// record keeps a hit. A failure is no reason to keep somebody from where they want to go.
func (t *Tracker) record(ctx context.Context, kind string, target Target, visitor Visitor) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := t.insert(ctx, kind, target, visitor); err != nil {
		t.Logger.WarnContext(ctx, "an open or click could not be noted", "workspace", target.Workspace, "message", target.Message, "error", err)
	}
}

// insertHit keeps nothing of a message that did not leave, of an erased person, and beyond the bound.
const insertHit = `INSERT INTO hits (workspace_id, message_id, kind, link, url, trap, method, agent, prefetch, at, judge_at)
	SELECT m.workspace_id, m.id, $3, $4, $5, $6, $7, $8, $9, $10, $11 FROM messages m
		JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
	WHERE m.workspace_id = $1 AND m.id = $2 AND m.sent_at IS NOT NULL AND c.erased_at IS NULL
		AND (SELECT count(*) FROM (SELECT 1 FROM hits h WHERE h.workspace_id = m.workspace_id AND h.message_id = m.id LIMIT $12) AS kept) < $12`

func (t *Tracker) insert(ctx context.Context, kind string, target Target, visitor Visitor) error {
	now, err := t.Clock.NowIn(ctx, t.DB)
	if err != nil {
		return err
	}
	trap := kind == "click" && target.Link == Trap
	place := int16(min(target.Link, 1<<15-1))
	_, err = t.DB.Exec(ctx, insertHit, target.Workspace, target.Message, kind, place, target.URL, trap, visitor.Method, agentOf(visitor.Agent),
		visitor.Prefetch, now, now.Add(settle), maxHits)
	if err != nil {
		return fmt.Errorf("keep a hit: %w", err)
	}
	return nil
}

// agentOf is a header fit for the database.
func agentOf(header string) string {
	header = store.Text(header, maxAgent)
	if !utf8.ValidString(header) {
		return ""
	}
	return header
}

func (t *Tracker) nudge() {
	if t.Nudge != nil {
		t.Nudge("inbox")
	}
}

// key names a message.
type key struct{ workspace, message uuid.UUID }
