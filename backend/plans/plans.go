// Package plans keeps published versions ready to run. A version never changes, so its compiled plan is shared by all goroutines of a
// process and kept until newer ones push it out.
package plans

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/engine"
)

// maxCached bounds the cache in versions. A plan of five hundred steps takes about a megabyte.
const maxCached = 1000

// DB is a pool or a transaction.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Key names a version.
type Key struct{ Workspace, Version uuid.UUID }

// Version is one published version, compiled.
type Version struct {
	Key
	Funnel    uuid.UUID
	N         int
	Plan      *engine.Plan
	Artifacts map[string]string // creative slug -> hash of creative_artifacts
	Needs     facts.Needs       // what its rules ask about people
	Broken    error             // why this engine cannot run it; Plan is nil then
}

// StartsOn tells whether events of that name may start a run.
func (v *Version) StartsOn(name string) bool { return has(v.Plan.Starts(), name) }

// Mentions tells whether events of that name may move a run.
func (v *Version) Mentions(name string) bool { return has(v.Plan.Mentions(), name) }

// Decides tells whether events of that name may reach a goal.
func (v *Version) Decides(name string) bool { return has(v.Plan.Decides(), name) }

// Hears tells whether anything in the version depends on events of that name.
func (v *Version) Hears(name string) bool {
	return v.Plan != nil && (v.StartsOn(name) || v.Mentions(name) || has(v.Plan.EventNames(), name))
}

func has(sorted []string, name string) bool {
	_, found := slices.BinarySearch(sorted, name)
	return found
}

// Cache loads versions once. The zero value is ready to use.
type Cache struct {
	mu       sync.RWMutex
	versions map[Key]*Version
}

// Get returns the given versions; one that does not exist is missing from the answer. A version this engine cannot compile (made by a
// newer one) is returned with Broken set and not kept.
func (c *Cache) Get(ctx context.Context, db DB, keys []Key) (map[Key]*Version, error) {
	found := make(map[Key]*Version, len(keys))
	var workspaces, ids [][16]byte
	c.mu.RLock()
	for _, key := range keys {
		if _, seen := found[key]; seen {
			continue
		}
		if version := c.versions[key]; version != nil {
			found[key] = version
			continue
		}
		workspaces, ids = append(workspaces, key.Workspace), append(ids, key.Version)
	}
	c.mu.RUnlock()
	if len(ids) == 0 {
		return found, nil
	}
	loaded, err := load(ctx, db, workspaces, ids)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.versions == nil {
		c.versions = map[Key]*Version{}
	}
	for _, version := range loaded {
		found[version.Key] = version
		if version.Broken != nil {
			continue
		}
		for key := range c.versions {
			if len(c.versions) < maxCached {
				break
			}
			delete(c.versions, key)
		}
		c.versions[version.Key] = version
	}
	return found, nil
}

// Forget empties the cache. Versions never change, so only tests that break one need it.
func (c *Cache) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = nil
}

func load(ctx context.Context, db DB, workspaces, ids [][16]byte) ([]*Version, error) {
	rows, err := db.Query(ctx, `SELECT v.workspace_id, v.id, v.funnel_id, v.n, v.bundle, v.artifacts
		FROM funnel_versions v JOIN unnest($1::uuid[], $2::uuid[]) AS k (workspace_id, id) ON v.workspace_id = k.workspace_id AND v.id = k.id`,
		workspaces, ids)
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	var versions []*Version
	var workspace, id, funnel [16]byte
	var n int
	var document, artifacts []byte
	_, err = pgx.ForEachRow(rows, []any{&workspace, &id, &funnel, &n, &document, &artifacts}, func() error {
		version := &Version{Key: Key{workspace, id}, Funnel: funnel, N: n}
		version.Broken = version.compile(document, artifacts)
		versions = append(versions, version)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read versions: %w", err)
	}
	return versions, nil
}

func (v *Version) compile(document, artifacts []byte) error {
	if err := json.Unmarshal(artifacts, &v.Artifacts); err != nil {
		return fmt.Errorf("the artifacts of version %d: %w", v.N, err)
	}
	var bundle engine.Bundle
	if err := json.Unmarshal(document, &bundle); err != nil {
		return fmt.Errorf("version %d: %w", v.N, err)
	}
	draft, err := Draft(bundle)
	if err != nil {
		return fmt.Errorf("version %d: %w", v.N, err)
	}
	v.Plan, v.Needs = draft.Plan, draft.Needs
	v.Needs.Consents = bytes.Contains(document, []byte(`"consent"`)) // the key of a rule; a text that says so costs a query
	v.Needs.Segments = bytes.Contains(document, []byte(`"segment"`))
	return nil
}

// Draft compiles what is not published, to ask it about people.
func Draft(bundle engine.Bundle) (*Version, error) {
	plan, err := engine.Compile(bundle)
	if err != nil {
		return nil, err
	}
	events := plan.EventNames()
	return &Version{Plan: plan, Needs: facts.Needs{Events: events, Rollups: len(events) > 0, Consents: true, Segments: true}}, nil
}
