package facts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/engine"
)

// DB is a pool or a transaction.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Key names a person.
type Key struct{ Workspace, Contact uuid.UUID }

// Person is a contact row: what the engine sees of it and what only the backend needs.
type Person struct {
	Key
	engine.Contact

	Language string
	Gone     bool // erased or merged into somebody else
}

// Wait says what to do about contacts somebody else holds.
type Wait int

// The ways to lock.
const (
	NoLock Wait = iota
	Block       // wait for them
	Skip        // leave them out of the answer
)

const contactColumns = `c.workspace_id, c.id, c.external_id, c.email, c.phone, c.first_name, c.last_name, c.zone, c.language, c.fields, c.tags, c.lists,
	c.source, c.created_at, c.updated_at, c.erased_at IS NOT NULL OR c.merged_into IS NOT NULL`

const contactQuery = `SELECT ` + contactColumns + ` FROM contacts c
	JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON c.workspace_id = k.workspace_id AND c.id = k.id`

var contactQueries = map[Wait]string{
	NoLock: contactQuery,
	Block:  contactQuery + " ORDER BY c.workspace_id, c.id FOR NO KEY UPDATE OF c",
	Skip:   contactQuery + " FOR NO KEY UPDATE OF c SKIP LOCKED",
}

// Contacts reads, and with Block or Skip locks, the given people; doubles among keys are fine. Blocking locks are taken in sorted order.
func Contacts(ctx context.Context, db DB, keys []Key, wait Wait) (map[Key]*Person, error) {
	keys = slices.Clone(keys)
	slices.SortFunc(keys, compare)
	keys = slices.Compact(keys)
	workspaces, ids := split(keys)
	rows, err := db.Query(ctx, contactQueries[wait], workspaces, ids)
	if err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	defer rows.Close()
	people := make(map[Key]*Person, len(keys))
	for rows.Next() {
		person, err := scan(rows)
		if err != nil {
			return nil, fmt.Errorf("read a contact: %w", err)
		}
		people[person.Key] = person
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read contacts: %w", err)
	}
	return people, nil
}

func scan(rows pgx.Rows) (*Person, error) {
	var p Person
	var workspace, id [16]byte
	var external, email, phone *string
	var first, last, source string
	var custom []byte
	var created, updated time.Time
	err := rows.Scan(&workspace, &id, &external, &email, &phone, &first, &last, &p.Zone, &p.Language, &custom, &p.Tags, &p.Lists, &source, &created, &updated, &p.Gone)
	if err != nil {
		return nil, err
	}
	p.Workspace, p.Key.Contact = workspace, id
	p.ID = p.Key.Contact.String()
	p.Fields = make(map[string]any, 8)
	if len(custom) > 2 {
		if err := json.Unmarshal(custom, &p.Fields); err != nil {
			return nil, fmt.Errorf("fields of contact %s: %w", p.ID, err)
		}
	}
	put := func(key string, value *string) {
		if value != nil && *value != "" {
			p.Fields[key] = *value
		}
	}
	put("external_id", external)
	put("email", email)
	put("phone", phone)
	put("first_name", &first)
	put("last_name", &last)
	put("zone", &p.Zone)
	put("language", &p.Language)
	put("source", &source)
	p.Fields["created_at"], p.Fields["updated_at"] = created, updated
	return &p, nil
}

func compare(a, b Key) int {
	return cmp.Or(bytes.Compare(a.Workspace[:], b.Workspace[:]), bytes.Compare(a.Contact[:], b.Contact[:]))
}

// split makes the columns of a list of keys. Plain byte arrays are what pgx writes fastest.
func split(keys []Key) (workspaces, ids [][16]byte) {
	workspaces, ids = make([][16]byte, len(keys)), make([][16]byte, len(keys))
	for i, key := range keys {
		workspaces[i], ids[i] = key.Workspace, key.Contact
	}
	return workspaces, ids
}
