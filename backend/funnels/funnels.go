package funnels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Compiled is a creative made ready to be sent: an artifact and the hash that names its content.
type Compiled struct {
	Hash     string
	Artifact json.RawMessage
}

// Compile makes a creative ready. Problems are told without a node.
type Compile func(creative engine.Creative) (Compiled, []engine.Problem, error)

// Funnels are the funnels of an installation. Its methods open a transaction each, or a savepoint in the given one.
type Funnels struct {
	db      store.DB
	clock   clock.Clock
	compile Compile
	tallies *tallies
}

// tallies are the counts over runs that may be slow.
type tallies struct {
	heads   tally[[]store.CountRunsByFunnelRow]
	traffic tally[Traffic]
}

// New keeps funnels in db and has their creatives compiled by compile.
func New(db store.DB, clk clock.Clock, compile Compile) *Funnels {
	return &Funnels{db: db, clock: clk, compile: compile, tallies: &tallies{}}
}

// In is the same on another connection or transaction.
func (f *Funnels) In(db store.DB) *Funnels {
	return &Funnels{db: db, clock: f.clock, compile: f.compile, tallies: &tallies{}} // a transaction sees what nobody else does
}

// States of a funnel.
const (
	Draft    = "draft"
	Live     = "live"
	Paused   = "paused"
	Stopped  = "stopped"
	Archived = "archived"
)

// Head is what a list shows of a funnel.
type Head struct {
	ID          uuid.UUID
	Slug        string
	Name        string
	State       string
	Revision    int64
	Version     int  // the live one; 0 when never published
	Changed     bool // the draft differs from the live version
	Counts      Counts
	CreatedAt   time.Time
	UpdatedAt   time.Time
	PublishedAt *time.Time
}

// Counts are the runs of a funnel over all versions. Paused runs count as active.
type Counts struct{ Active, Done, Exited, Parked int }

func (c *Counts) add(status string, n int64) {
	switch engine.Status(status) {
	case engine.Active, engine.Paused:
		c.Active += int(n)
	case engine.Done:
		c.Done += int(n)
	case engine.Exited:
		c.Exited += int(n)
	case engine.Parked:
		c.Parked += int(n)
	}
}

// Current is a funnel with its document.
type Current struct {
	Head     Head
	Document Document
}

const maxName = 200

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxName || strings.ContainsRune(name, 0) {
		return "", fault.InvalidField("name", "Give the funnel a name of 1 to %d characters.", maxName)
	}
	return name, nil
}

// Create makes a funnel with a draft. by is the person, nil for a program.
func (f *Funnels) Create(ctx context.Context, workspace uuid.UUID, name string, document Document, by *uuid.UUID) (Current, error) {
	name, err := checkName(name)
	if err != nil {
		return Current{}, err
	}
	draft, layout, hash, err := document.encode()
	if err != nil {
		return Current{}, err
	}
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Current, error) {
		// The lock of publishing also keeps two new funnels from taking one slug.
		if err := store.Q.LockPublishing(ctx, tx, workspace); err != nil {
			return Current{}, fmt.Errorf("lock the workspace's funnels: %w", err)
		}
		taken, err := store.Q.FunnelSlugs(ctx, tx, workspace)
		if err != nil {
			return Current{}, fmt.Errorf("read the funnels' slugs: %w", err)
		}
		row, err := store.Q.InsertFunnel(ctx, tx, store.InsertFunnelParams{
			WorkspaceID: workspace, ID: store.NewID(), Slug: slugFor(name, taken), Name: name, Draft: draft, DraftHash: hash, Layout: layout,
			By: by, Now: tx.Now,
		})
		if err != nil {
			return Current{}, fmt.Errorf("insert a funnel: %w", err)
		}
		return current(ctx, tx, row)
	})
}

// Get is a funnel with its document and counts.
func (f *Funnels) Get(ctx context.Context, workspace, id uuid.UUID) (Current, error) {
	row, err := store.Q.Funnel(ctx, f.db, store.FunnelParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return Current{}, orNotFound(err, id)
	}
	return current(ctx, f.db, row)
}

// current reads what belongs to a funnel's row.
func current(ctx context.Context, db store.DB, row store.Funnel) (Current, error) {
	document, err := documentOf(row)
	if err != nil {
		return Current{}, err
	}
	head := Head{
		ID: row.ID, Slug: row.Slug, Name: row.Name, State: row.State, Revision: row.Revision, Changed: true, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
	if row.LiveVersion != nil {
		version, err := store.Q.Version(ctx, db, store.VersionParams{WorkspaceID: row.WorkspaceID, ID: *row.LiveVersion})
		if err != nil {
			return Current{}, fmt.Errorf("read the live version: %w", err)
		}
		head.Version, head.Changed, head.PublishedAt = int(version.N), version.Hash != row.DraftHash, &version.PublishedAt
		counts, err := store.Q.CountRunsOfFunnel(ctx, db, store.CountRunsOfFunnelParams{WorkspaceID: row.WorkspaceID, FunnelID: row.ID})
		if err != nil {
			return Current{}, fmt.Errorf("count runs: %w", err)
		}
		for _, count := range counts {
			head.Counts.add(count.Status, count.Runs)
		}
	}
	return Current{Head: head, Document: document}, nil
}

// Filter says which funnels to list; archived ones only when State asks for them.
type Filter struct {
	State string
	Query string // part of the name
	After uuid.UUID
	Limit int // 0 is all
}

// List answers funnels, newest first; more says whether there are others after the last one.
func (f *Funnels) List(ctx context.Context, workspace uuid.UUID, filter Filter) (heads []Head, more bool, err error) {
	rows, err := store.Q.FunnelHeads(ctx, f.db, workspace)
	if err != nil {
		return nil, false, fmt.Errorf("list funnels: %w", err)
	}
	heads = []Head{}
	query := engine.Fold(strings.TrimSpace(filter.Query))
	for _, row := range rows {
		fits := row.State == filter.State || filter.State == "" && row.State != Archived
		if !fits || !strings.Contains(engine.Fold(row.Name), query) || filter.After != uuid.Nil && row.ID.String() >= filter.After.String() {
			continue
		}
		if filter.Limit > 0 && len(heads) == filter.Limit {
			more = true
			break
		}
		head := Head{
			ID: row.ID, Slug: row.Slug, Name: row.Name, State: row.State, Revision: row.Revision, Changed: row.VersionHash == nil || *row.VersionHash != row.DraftHash,
			CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, PublishedAt: row.PublishedAt,
		}
		if row.Version != nil {
			head.Version = int(*row.Version)
		}
		heads = append(heads, head)
	}
	return heads, more, f.count(ctx, workspace, heads)
}

// count fills in the runs of the heads that were ever published.
func (f *Funnels) count(ctx context.Context, workspace uuid.UUID, heads []Head) error {
	ids := []uuid.UUID{}
	at := map[uuid.UUID]int{}
	for i, head := range heads {
		if head.Version > 0 {
			ids = append(ids, head.ID)
			at[head.ID] = i
		}
	}
	if len(ids) == 0 {
		return nil
	}
	counts, err := f.tallies.heads.get(fmt.Sprint(workspace, ids), clock.Machine{}, func() ([]store.CountRunsByFunnelRow, error) {
		return store.Q.CountRunsByFunnel(ctx, f.db, store.CountRunsByFunnelParams{WorkspaceID: workspace, FunnelIds: ids})
	})
	if err != nil {
		return fmt.Errorf("count runs: %w", err)
	}
	for _, count := range counts {
		heads[at[count.FunnelID]].Counts.add(count.Status, count.Runs)
	}
	return nil
}

func orNotFound(err error, id uuid.UUID) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "There is no funnel %s.", id)
	}
	return fmt.Errorf("read funnel %s: %w", id, err)
}
