package funnels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Inside is how many people stand at a step of a version. They finish on theirs.
type Inside struct {
	Version   int
	VersionID uuid.UUID
	Node      string
	Kind      string // "" when their version has no such step
	Name      string
	People    int
	Parked    int // of them
}

// Preview is what publishing a document would do.
type Preview struct {
	Revision int64
	Version  int // the number the new version would get
	Problems []engine.Problem
	Changes  []engine.Change
	Inside   []Inside
	State    string // of the funnel
	Document Document
}

// PublishPreview says it without doing it; from is the version whose content would be published, 0 is the draft.
func (f *Funnels) PublishPreview(ctx context.Context, workspace, id uuid.UUID, from int) (Preview, error) {
	now, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Preview{}, err
	}
	document, err := f.source(ctx, workspace, now, from)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Revision: now.Head.Revision, Version: 1, State: now.Head.State, Document: document}
	set, err := referencesOf(ctx, f.db, workspace, now.Head.Slug)
	if err != nil {
		return Preview{}, err
	}
	preview.Problems = append([]engine.Problem{}, engine.Validate(document.Bundle(set))...)
	_, found, err := f.compileAll(document)
	if err != nil {
		return Preview{}, err
	}
	preview.Problems = append(preview.Problems, found...)
	failed, err := failing(ctx, f.db, workspace, id, document.Bundle(set), preview.Problems)
	if err != nil {
		return Preview{}, err
	}
	preview.Problems = append(preview.Problems, failed...)
	versions, err := f.Versions(ctx, workspace, id)
	if err != nil {
		return Preview{}, err
	}
	live := Document{}
	if len(versions) > 0 {
		preview.Version = versions[0].N + 1
		if live, err = f.liveDocument(ctx, workspace, versions); err != nil {
			return Preview{}, err
		}
	}
	preview.Changes = engine.Diff(live.Bundle(nil), document.Bundle(nil))
	preview.Inside, err = f.inside(ctx, workspace, id, versions)
	return preview, err
}

func (f *Funnels) liveDocument(ctx context.Context, workspace uuid.UUID, versions []Version) (Document, error) {
	for _, version := range versions {
		if version.Current {
			return f.versionDocument(ctx, workspace, version.ID)
		}
	}
	return Document{}, nil
}

func nameOf(node engine.Node) string {
	if node.Name != "" {
		return node.Name
	}
	return node.ID
}

// inside counts the people in all versions by step, the newest version first, in the order of its steps.
func (f *Funnels) inside(ctx context.Context, workspace, id uuid.UUID, versions []Version) ([]Inside, error) {
	rows, err := store.Q.CountActiveRunsByNode(ctx, f.db, store.CountActiveRunsByNodeParams{WorkspaceID: workspace, FunnelID: id})
	if err != nil {
		return nil, fmt.Errorf("count people inside: %w", err)
	}
	type place struct {
		version uuid.UUID
		node    string
	}
	here := map[place]store.CountActiveRunsByNodeRow{}
	for _, row := range rows {
		here[place{row.VersionID, row.Node}] = row
	}
	inside := []Inside{}
	for _, version := range versions {
		if version.RunsActive == 0 {
			continue
		}
		document, err := f.versionDocument(ctx, workspace, version.ID)
		if err != nil {
			return nil, err
		}
		for _, node := range document.Graph.Nodes {
			if row, ok := here[place{version.ID, node.ID}]; ok {
				inside = append(inside, Inside{version.N, version.ID, node.ID, node.Kind, nameOf(node), int(row.Runs), int(row.Parked)})
				delete(here, place{version.ID, node.ID})
			}
		}
		for _, row := range rows { // no version of ours lacks a step with a run at it; if one does, its people are shown all the same
			if _, left := here[place{row.VersionID, row.Node}]; left && row.VersionID == version.ID {
				inside = append(inside, Inside{version.N, version.ID, row.Node, "", row.Node, int(row.Runs), int(row.Parked)})
			}
		}
	}
	return inside, nil
}

// Version is one published version.
type Version struct {
	ID          uuid.UUID
	N           int
	Name        string
	Note        string
	PublishedBy *uuid.UUID
	PublishedAt time.Time
	Current     bool // new runs use it
	RunsActive  int
}

// Versions are all versions of a funnel, newest first.
func (f *Funnels) Versions(ctx context.Context, workspace, id uuid.UUID) ([]Version, error) {
	row, err := store.Q.Funnel(ctx, f.db, store.FunnelParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return nil, orNotFound(err, id)
	}
	rows, err := store.Q.Versions(ctx, f.db, store.VersionsParams{WorkspaceID: workspace, FunnelID: id})
	if err != nil {
		return nil, fmt.Errorf("list versions: %w", err)
	}
	counts, err := store.Q.CountActiveRunsByNode(ctx, f.db, store.CountActiveRunsByNodeParams{WorkspaceID: workspace, FunnelID: id})
	if err != nil {
		return nil, fmt.Errorf("count people inside: %w", err)
	}
	active := map[uuid.UUID]int{}
	for _, count := range counts {
		active[count.VersionID] += int(count.Runs)
	}
	versions := make([]Version, len(rows))
	for i, v := range rows {
		versions[i] = Version{v.ID, int(v.N), v.Name, v.Note, v.PublishedBy, v.PublishedAt, row.LiveVersion != nil && *row.LiveVersion == v.ID, active[v.ID]}
	}
	return versions, nil
}

// Version is the version of a number with its document.
func (f *Funnels) Version(ctx context.Context, workspace, id uuid.UUID, n int) (Version, Document, error) {
	versions, err := f.Versions(ctx, workspace, id)
	if err != nil {
		return Version{}, Document{}, err
	}
	for _, version := range versions {
		if version.N == n {
			document, err := f.versionDocument(ctx, workspace, version.ID)
			return version, document, err
		}
	}
	return Version{}, Document{}, fault.New(fault.NotFound, "The funnel has no version %d.", n)
}

func (f *Funnels) versionDocument(ctx context.Context, workspace, version uuid.UUID) (Document, error) {
	row, err := store.Q.Version(ctx, f.db, store.VersionParams{WorkspaceID: workspace, ID: version})
	if errors.Is(err, pgx.ErrNoRows) {
		return Document{}, fault.New(fault.NotFound, "There is no version %s.", version)
	}
	if err != nil {
		return Document{}, fmt.Errorf("read version %s: %w", version, err)
	}
	var document Document
	if err := json.Unmarshal(row.Bundle, &document); err != nil {
		return Document{}, fmt.Errorf("read version %s: %w", version, err)
	}
	return document, nil
}
