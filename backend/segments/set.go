package segments

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/engine"
)

// DB is a pool or a transaction.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// States of a segment.
const (
	Building = "building" // people are still being looked at with the present rule
	Live     = "live"
	Deleted  = "deleted" // gone for everybody; its rows are being cleared away
)

// rule is one revision of a segment's rule, compiled. It never changes.
type rule struct {
	compiled *engine.CompiledRule
	changers []string // events that may move people, sorted
	needs    facts.Needs
	refers   []string // slugs of the segments it is made of
}

type ruleKey struct {
	segment  uuid.UUID
	revision int64
}

// segment is a segment as a transaction found it.
type segment struct {
	id       uuid.UUID
	slug     string
	revision int64
	builtTo  *uuid.UUID // of one that is building: whom the build has reached
	building bool
	*rule
}

// reached tells whether the build has looked at the person already.
func (s *segment) reached(contact uuid.UUID) bool {
	return !s.building || s.builtTo != nil && bytes.Compare(contact[:], s.builtTo[:]) <= 0
}

// Set is the segments of a workspace as a transaction found them; those others are made of come first. The zero Set is empty.
type Set struct{ list []*segment }

// Empty tells that the workspace has no segments.
func (s Set) Empty() bool { return len(s.list) == 0 }

// Hears tells whether events of that name may move people.
func (s Set) Hears(name string) bool {
	return slices.ContainsFunc(s.list, func(g *segment) bool { return g.hears(name) })
}

func (s *segment) hears(name string) bool {
	_, found := slices.BinarySearch(s.changers, name)
	return found
}

// Needs is what the segments that the events concern, and those made of them, ask about people.
func (s Set) Needs(names []string) (needs facts.Needs) {
	concerned := map[string]bool{}
	for _, g := range s.list {
		if names == nil || slices.ContainsFunc(names, g.hears) || slices.ContainsFunc(g.refers, func(slug string) bool { return concerned[slug] }) {
			concerned[g.slug] = true
			needs = needs.And(g.needs)
		}
	}
	return needs
}

// maxCached bounds the cache in rules.
const maxCached = 2000

// Cache keeps compiled rules. The zero value is ready to use.
type Cache struct {
	mu    sync.RWMutex
	rules map[ruleKey]*rule
}

// Load reads the segments of a workspace.
func (c *Cache) Load(ctx context.Context, db DB, workspace uuid.UUID) (Set, error) {
	rows, err := db.Query(ctx, `SELECT id, slug, revision, state = 'building', built_to FROM segments
		WHERE workspace_id = $1 AND state <> 'deleted' ORDER BY id`, workspace)
	if err != nil {
		return Set{}, fmt.Errorf("read segments: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*segment, error) {
		s := &segment{}
		return s, row.Scan(&s.id, &s.slug, &s.revision, &s.building, &s.builtTo)
	})
	if err != nil {
		return Set{}, fmt.Errorf("read segments: %w", err)
	}
	if err := c.fill(ctx, db, workspace, list); err != nil {
		return Set{}, err
	}
	// A rule that changed between the two looks is left to the transaction that looks next: its build comes anyway.
	list = slices.DeleteFunc(list, func(s *segment) bool { return s.rule == nil })
	return Set{inOrder(list)}, nil
}

func (c *Cache) fill(ctx context.Context, db DB, workspace uuid.UUID, list []*segment) error {
	var missing []uuid.UUID
	c.mu.RLock()
	for _, s := range list {
		if s.rule = c.rules[ruleKey{s.id, s.revision}]; s.rule == nil {
			missing = append(missing, s.id)
		}
	}
	c.mu.RUnlock()
	if len(missing) == 0 {
		return nil
	}
	rows, err := db.Query(ctx, "SELECT id, revision, rule FROM segments WHERE workspace_id = $1 AND id = ANY($2)", workspace, missing)
	if err != nil {
		return fmt.Errorf("read the rules of segments: %w", err)
	}
	fresh := map[ruleKey]*rule{}
	var key ruleKey
	var document []byte
	_, err = pgx.ForEachRow(rows, []any{&key.segment, &key.revision, &document}, func() error {
		compiled, err := compile(document)
		if err != nil {
			return fmt.Errorf("segment %s: %w", key.segment, err)
		}
		fresh[key] = compiled
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the rules of segments: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rules == nil || len(c.rules) > maxCached {
		c.rules = map[ruleKey]*rule{}
	}
	maps.Copy(c.rules, fresh)
	for _, s := range list {
		if s.rule == nil {
			s.rule = fresh[ruleKey{s.id, s.revision}]
		}
	}
	return nil
}

func compile(document []byte) (*rule, error) {
	var read engine.Rule
	if err := json.Unmarshal(document, &read); err != nil {
		return nil, fmt.Errorf("read the rule: %w", err)
	}
	compiled, err := read.Compile()
	if err != nil {
		return nil, err
	}
	asks := read.Facts()
	return &rule{
		compiled: compiled, changers: read.Changers(), refers: read.SegmentSlugs(),
		needs: facts.Needs{Events: asks.Events, Rollups: asks.Rollups, Consents: asks.Consents, Segments: asks.Segments},
	}, nil
}

// inOrder puts segments behind those they are made of. There are no circles.
func inOrder(list []*segment) []*segment {
	bySlug := make(map[string]*segment, len(list))
	for _, s := range list {
		bySlug[s.slug] = s
	}
	ordered := make([]*segment, 0, len(list))
	seen := map[*segment]bool{}
	var visit func(s *segment)
	visit = func(s *segment) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, slug := range s.refers {
			visit(bySlug[slug])
		}
		ordered = append(ordered, s)
	}
	for _, s := range list {
		visit(s)
	}
	return ordered
}
