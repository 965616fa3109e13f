package views

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

const (
	defaultLimit = 50
	maxLimit     = 200
)

// Paging says which part of a list to read. Limit is 1 to 200, 0 is 50.
type Paging struct {
	Cursor string
	Limit  int
}

func (p Paging) limit() int {
	if p.Limit == 0 {
		return defaultLimit
	}
	return max(1, min(p.Limit, maxLimit))
}

// Page is a part of a list. Next is "" on the last one.
type Page[T any] struct {
	Items []T
	Next  string
}

// after reads the cursor into key; false means the first page.
func (p Paging) after(key any) (bool, error) {
	if p.Cursor == "" {
		return false, nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		err = json.Unmarshal(raw, key)
	}
	if err != nil {
		return false, fault.InvalidField("cursor", "This cursor was not made here. Hand in `next` of the page before as it is.")
	}
	return true, nil
}

func cursor(key any) string {
	raw, err := json.Marshal(key)
	if err != nil {
		panic(err) // keys are ids and times
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// filter gathers conditions and their arguments by name.
type filter struct {
	where []string
	args  pgx.NamedArgs
}

func within(workspace uuid.UUID, column string) *filter {
	return &filter{where: []string{column + " = @workspace"}, args: pgx.NamedArgs{"workspace": workspace}}
}

// and adds a condition with one argument, named by the first @word in it.
func (f *filter) and(condition, name string, value any) {
	f.where = append(f.where, condition)
	f.args[name] = value
}

func (f *filter) sql() string { return strings.Join(f.where, " AND ") }

// page reads one row more than asked for, to know whether there is a next page.
func page[T any](ctx context.Context, db store.DB, p Paging, what, sql string, f *filter, key func(T) any) (Page[T], error) {
	limit := p.limit()
	f.args["limit"] = limit + 1
	rows, err := db.Query(ctx, sql, f.args)
	if err != nil {
		return Page[T]{}, fault.Wrap(err, "list %s", what)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return Page[T]{}, fault.Wrap(err, "list %s", what)
	}
	out := Page[T]{Items: items}
	if len(items) > limit {
		out.Items = items[:limit]
		out.Next = cursor(key(items[limit-1]))
	}
	return out, nil
}

// one reads a single row; none is a NotFound that says what is not there.
func one[T any](ctx context.Context, db store.DB, what, sql string, args ...any) (T, error) {
	var none T
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return none, fault.Wrap(err, "read %s", what)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	if err != nil {
		return none, fault.Wrap(err, "read %s", what)
	}
	if len(all) == 0 {
		return none, fault.New(fault.NotFound, "There is no such %s.", what)
	}
	return all[0], nil
}

// some reads rows.
func some[T any](ctx context.Context, db store.DB, what, sql string, args ...any) ([]T, error) {
	rows, err := db.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[T])
	return all, fault.Wrap(err, "read %s", what)
}
