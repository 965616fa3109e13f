package people

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Filter says which contacts to list. Erased and merged ones are never listed.
type Filter struct {
	Query  string // the beginning of a name, a last name, an e-mail address or a phone number, or a whole external id
	Tag    string
	List   string
	Cursor string // Page.Next of the page before; "" is the first page
	Limit  int    // 1 to 200; 0 is 50
}

// Page is a part of a listing. Next is "" on the last one.
type Page struct {
	Items []store.Contact
	Next  string
}

const (
	defaultLimit = 50
	maxLimit     = 200
)

const contactColumns = `workspace_id, id, external_id, email, email_folded, phone, first_name, last_name, name_folded, last_name_folded, zone, language,
	fields, tags, lists, source, created_at, updated_at, erased_at, merged_into`

// List answers contacts, newest first.
func (p *People) List(ctx context.Context, workspace uuid.UUID, filter Filter) (Page, error) {
	limit := filter.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	limit = max(1, min(limit, maxLimit))
	where, args := filter.where(workspace)
	if filter.Cursor != "" {
		after, err := decodeCursor(filter.Cursor)
		if err != nil {
			return Page{}, err
		}
		where, args["after"] = where+" AND id < @after", after
	}
	args["limit"] = limit + 1
	rows, err := p.db.Query(ctx, "SELECT "+contactColumns+" FROM contacts WHERE "+where+" ORDER BY id DESC LIMIT @limit", args)
	if err != nil {
		return Page{}, fmt.Errorf("list contacts: %w", err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByNameLax[store.Contact])
	if err != nil {
		return Page{}, fmt.Errorf("list contacts: %w", err)
	}
	page := Page{Items: items}
	if len(items) > limit {
		page.Items = items[:limit]
		page.Next = encodeCursor(items[limit-1].ID)
	}
	return page, nil
}

// Count is how many contacts the filter has on all pages.
func (p *People) Count(ctx context.Context, workspace uuid.UUID, filter Filter) (int64, error) {
	where, args := filter.where(workspace)
	var n int64
	if err := p.db.QueryRow(ctx, "SELECT count(*) FROM contacts WHERE "+where, args).Scan(&n); err != nil {
		return 0, fmt.Errorf("count contacts: %w", err)
	}
	return n, nil
}

func (f Filter) where(workspace uuid.UUID) (string, pgx.NamedArgs) {
	where := []string{"workspace_id = @workspace", "erased_at IS NULL", "merged_into IS NULL"}
	args := pgx.NamedArgs{"workspace": workspace}
	if query := strings.TrimSpace(f.Query); query != "" {
		where = append(where, `(email_folded LIKE @prefix OR name_folded <> '' AND name_folded LIKE @prefix OR last_name_folded <> '' AND last_name_folded LIKE @prefix
			OR phone LIKE @phone OR external_id = @query)`)
		args["query"] = query
		args["prefix"] = likePrefix(engine.Fold(query))
		args["phone"] = likePrefix(strings.NewReplacer(" ", "", "-", "", "(", "", ")", "").Replace(query))
	}
	if f.Tag != "" {
		where, args["tag"] = append(where, "tags @> ARRAY[@tag::text]"), f.Tag
	}
	if f.List != "" {
		where, args["list"] = append(where, "lists @> ARRAY[@list::text]"), f.List
	}
	return strings.Join(where, " AND "), args
}

// likePrefix is the LIKE pattern of texts that begin with the given one.
func likePrefix(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}

func encodeCursor(id uuid.UUID) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

func decodeCursor(text string) (uuid.UUID, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err == nil {
		if id, err := uuid.FromBytes(raw); err == nil {
			return id, nil
		}
	}
	return uuid.Nil, fault.InvalidField("cursor", "The cursor is not one this list gave out. Leave it out to start from the beginning.")
}
