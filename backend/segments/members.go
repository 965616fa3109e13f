package segments

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
)

// Member is a person in a segment.
type Member struct {
	Contact uuid.UUID
	Name    string
	Email   string
	Phone   string
	Since   time.Time
}

// Members is a page of a segment's people, those who became contacts last first. Next is "" on the last page.
type Members struct {
	Items []Member
	Next  string
}

const (
	defaultPage = 50
	maxPage     = 200
)

// Members answers a page of people; cursor "" is the first.
func (s *Segments) Members(ctx context.Context, workspace, id uuid.UUID, cursor string, limit int) (Members, error) {
	if _, err := s.Get(ctx, workspace, id); err != nil {
		return Members{}, err
	}
	if limit <= 0 {
		limit = defaultPage
	}
	limit = min(limit, maxPage)
	before := uuid.Max
	if cursor != "" {
		raw, err := base64.RawURLEncoding.DecodeString(cursor)
		if err == nil {
			before, err = uuid.FromBytes(raw)
		}
		if err != nil {
			return Members{}, fault.InvalidField("cursor", "The cursor is not one this list gave out. Leave it out to start from the beginning.")
		}
	}
	rows, err := s.db.Query(ctx, `SELECT c.id, trim(c.first_name || ' ' || c.last_name), coalesce(c.email, ''), coalesce(c.phone, ''), m.since
		FROM segment_members m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id
		WHERE m.workspace_id = $1 AND m.segment_id = $2 AND m.since IS NOT NULL AND m.contact_id < $3 ORDER BY m.contact_id DESC LIMIT $4`,
		workspace, id, before, limit+1)
	if err != nil {
		return Members{}, fmt.Errorf("list the members of segment %s: %w", id, err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Member])
	if err != nil {
		return Members{}, fmt.Errorf("list the members of segment %s: %w", id, err)
	}
	page := Members{Items: items}
	if len(items) > limit {
		page.Items = items[:limit]
		last := items[limit-1].Contact
		page.Next = base64.RawURLEncoding.EncodeToString(last[:])
	}
	return page, nil
}
