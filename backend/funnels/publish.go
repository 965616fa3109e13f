package funnels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Publish is one wish to go live.
type Publish struct {
	Revision       int64 // the one that was looked at
	AcceptWarnings bool
	Name           string // of the version, beside its number
	Note           string
	By             *uuid.UUID
	From           int // publish what this version held; 0 is the draft
	// Then runs in the publishing transaction, once the version is live; its error undoes the publishing. It may be nil.
	Then func(ctx context.Context, tx store.Tx, version store.FunnelVersion, state string) error
}

// Published is what publishing made. Problems are the warnings that were accepted.
type Published struct {
	Current  Current
	Version  store.FunnelVersion
	New      bool // false: the live version has this very content already
	Problems []engine.Problem
}

// Refusal is in the Details of a publish that was refused.
type Refusal struct {
	Problems []engine.Problem `json:"problems"`
}

const (
	maxNote        = 500
	maxVersionName = 80
)

// Publish freezes the draft as the next version and makes it live; a paused funnel stays paused. It is refused with all
// problems (Refusal) while an error stands, or a warning nobody accepted, and with a conflict (Current) when the draft is
// not the one that was looked at. Doing it twice makes one version.
func (f *Funnels) Publish(ctx context.Context, workspace, id uuid.UUID, wish Publish) (Published, error) {
	note := strings.TrimSpace(wish.Note)
	if len([]rune(note)) > maxNote {
		return Published{}, fault.InvalidField("note", "The note is longer than %d characters. Shorten it.", maxNote)
	}
	name := strings.TrimSpace(wish.Name)
	if len([]rune(name)) > maxVersionName {
		return Published{}, fault.InvalidField("name", "The name is longer than %d characters. Shorten it.", maxVersionName)
	}
	before, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Published{}, err
	}
	document, err := f.source(ctx, workspace, before, wish.From)
	if err != nil {
		return Published{}, err
	}
	// Compiling takes long and depends on the document alone, so it is done before anything is locked.
	compiled, problems, err := f.compileAll(document)
	if err != nil {
		return Published{}, err
	}
	return store.InTxV(ctx, f.db, f.clock, func(tx store.Tx) (Published, error) {
		if err := store.Q.LockPublishing(ctx, tx, workspace); err != nil {
			return Published{}, fmt.Errorf("lock the workspace's funnels: %w", err)
		}
		row, err := lock(ctx, tx, workspace, id)
		if err != nil {
			return Published{}, err
		}
		if row.Revision != wish.Revision || row.Revision != before.Head.Revision {
			return Published{}, stale(ctx, tx, row)
		}
		if row.State == Archived {
			return Published{}, fault.New(fault.Conflict, "The funnel %q is archived. Duplicate it and publish the copy.", row.Name)
		}
		set, err := referencesOf(ctx, tx, workspace, row.Slug)
		if err != nil {
			return Published{}, err
		}
		all := append(engine.Validate(document.Bundle(set)), problems...)
		failed, err := failing(ctx, tx, workspace, id, document.Bundle(set), all)
		if err != nil {
			return Published{}, err
		}
		all = append(all, failed...)
		if err := refuse(row.Name, all, wish.AcceptWarnings); err != nil {
			return Published{}, err
		}
		if wish.From > 0 {
			if row.Draft, row.Layout, row.DraftHash, err = document.encode(); err != nil {
				return Published{}, err
			}
		}
		published, err := freeze(ctx, tx, row, compiled, said{name, note}, wish.By)
		published.Problems = all
		if err == nil && wish.Then != nil {
			err = wish.Then(ctx, tx, published.Version, published.Current.Head.State)
		}
		return published, err
	})
}

// Source is the document that publishing would freeze: the draft (version 0), or what a version held.
func (f *Funnels) Source(ctx context.Context, workspace, id uuid.UUID, version int) (Document, error) {
	current, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Document{}, err
	}
	return f.source(ctx, workspace, current, version)
}

// source is the document to publish: the draft, or what a version held.
func (f *Funnels) source(ctx context.Context, workspace uuid.UUID, current Current, version int) (Document, error) {
	if version == 0 {
		return current.Document, nil
	}
	_, document, err := f.Version(ctx, workspace, current.Head.ID, version)
	return document, err
}

func refuse(name string, problems []engine.Problem, acceptWarnings bool) error {
	wrong, doubtful := 0, 0
	for _, problem := range problems {
		if problem.Severity == engine.Error {
			wrong++
		} else {
			doubtful++
		}
	}
	switch {
	case wrong > 0:
		return fault.New(fault.Invalid, "%q cannot be published: %s to be fixed first.", name, many(wrong, "problem has", "problems have")).
			WithDetails(Refusal{problems})
	case doubtful > 0 && !acceptWarnings:
		return fault.New(fault.Invalid, "%q has %s. Fix them, or publish anyway.", name, many(doubtful, "warning", "warnings")).
			WithDetails(Refusal{problems})
	}
	return nil
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}

// compileAll compiles the creatives the graph sends. Their problems are told at each step that sends them.
func (f *Funnels) compileAll(document Document) (map[string]Compiled, []engine.Problem, error) {
	users := creativeUsers(document.Graph)
	compiled := make(map[string]Compiled, len(users))
	problems := []engine.Problem{}
	for _, slug := range slices.Sorted(maps.Keys(users)) {
		creative, ok := document.Creatives[slug]
		if !ok {
			continue // the validator says so
		}
		made, found, err := f.compile(creative)
		if err != nil {
			return nil, nil, fmt.Errorf("compile creative %s: %w", slug, err)
		}
		compiled[slug] = made
		for _, node := range users[slug] {
			for _, problem := range found {
				problem.Node = node
				problems = append(problems, problem)
			}
		}
	}
	return compiled, problems, nil
}

// creativeUsers are the nodes that send each creative, by slug.
func creativeUsers(graph engine.Graph) map[string][]string {
	users := map[string][]string{}
	for _, node := range graph.Nodes {
		var config struct {
			Creative string `json:"creative"`
		}
		if json.Unmarshal(node.Config, &config) != nil {
			continue // the validator says what is wrong with it
		}
		if slug, ok := strings.CutPrefix(config.Creative, "creative:"); ok {
			users[slug] = append(users[slug], node.ID)
		}
	}
	return users
}

// said is what a publisher says of a version.
type said struct{ name, note string }

// freeze writes version and artifacts and makes the version live.
func freeze(ctx context.Context, tx store.Tx, row store.Funnel, compiled map[string]Compiled, words said, by *uuid.UUID) (Published, error) {
	version, isNew, err := versionFor(ctx, tx, row, compiled, words, by)
	if err != nil {
		return Published{}, err
	}
	if isNew || row.State != Live && row.State != Paused {
		row, err = store.Q.SetLiveVersion(ctx, tx, store.SetLiveVersionParams{
			WorkspaceID: row.WorkspaceID, ID: row.ID, Version: version.ID, By: by, Now: tx.Now,
		})
		if err != nil {
			return Published{}, fmt.Errorf("make the version live: %w", err)
		}
		// The watch looks at a new version at once.
		if _, err := tx.Exec(ctx, "DELETE FROM watches WHERE workspace_id = $1 AND funnel_id = $2", row.WorkspaceID, row.ID); err != nil {
			return Published{}, fmt.Errorf("have the new version watched: %w", err)
		}
	}
	now, err := current(ctx, tx, row)
	return Published{Current: now, Version: version, New: isNew}, err
}

// versionFor is the live version when it has the draft's very content, else a new one.
func versionFor(ctx context.Context, tx store.Tx, row store.Funnel, compiled map[string]Compiled, words said, by *uuid.UUID) (store.FunnelVersion, bool, error) {
	hashes := make(map[string]string, len(compiled))
	for slug, made := range compiled {
		hashes[slug] = made.Hash
	}
	artifacts, err := json.Marshal(hashes)
	if err != nil {
		return store.FunnelVersion{}, false, fmt.Errorf("write the artifacts' hashes: %w", err)
	}
	if row.LiveVersion != nil {
		live, err := store.Q.Version(ctx, tx, store.VersionParams{WorkspaceID: row.WorkspaceID, ID: *row.LiveVersion})
		if err != nil {
			return store.FunnelVersion{}, false, fmt.Errorf("read the live version: %w", err)
		}
		var pinned map[string]string
		if err := json.Unmarshal(live.Artifacts, &pinned); err != nil {
			return store.FunnelVersion{}, false, fmt.Errorf("read the live version's artifacts: %w", err)
		}
		if live.Hash == row.DraftHash && maps.Equal(pinned, hashes) {
			return live, false, nil
		}
	}
	for _, slug := range slices.Sorted(maps.Keys(compiled)) {
		made := compiled[slug]
		err := store.Q.PutArtifact(ctx, tx, store.PutArtifactParams{WorkspaceID: row.WorkspaceID, Hash: made.Hash, Artifact: made.Artifact, Now: tx.Now})
		if err != nil {
			return store.FunnelVersion{}, false, fmt.Errorf("store creative %s: %w", slug, err)
		}
	}
	bundle, err := whole(ctx, tx, row)
	if err != nil {
		return store.FunnelVersion{}, false, err
	}
	version, err := store.Q.InsertVersion(ctx, tx, store.InsertVersionParams{
		WorkspaceID: row.WorkspaceID, ID: store.NewID(), FunnelID: row.ID, Bundle: bundle, Artifacts: artifacts, Hash: row.DraftHash, Name: words.name, Note: words.note,
		PublishedBy: by, Now: tx.Now,
	})
	if err != nil {
		return store.FunnelVersion{}, false, fmt.Errorf("insert a version: %w", err)
	}
	return version, true, nil
}

// whole is the bundle of a version: what is frozen, where it stands, and what was expected of it.
func whole(ctx context.Context, tx store.Tx, row store.Funnel) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(row.Draft, &members); err != nil {
		return nil, fmt.Errorf("read a stored draft: %w", err)
	}
	members["layout"] = row.Layout
	tests, err := store.Q.FunnelTests(ctx, tx, store.FunnelTestsParams{WorkspaceID: row.WorkspaceID, FunnelID: row.ID})
	switch {
	case err == nil:
		members["tests"] = tests.Tests
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("read the tests of a funnel: %w", err)
	}
	return json.Marshal(members)
}
