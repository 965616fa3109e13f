package funnels

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Change is one fact about what publishing would change. Kind is added, removed, changed (the step's settings or the
// message it sends) or linked (where it leads).
type Change struct{ Kind, Node, Name string }

// Inside is how many people stand at a step of a version. They finish on theirs.
type Inside struct {
	Version int
	Node    string
	Name    string
	People  int
}

// Preview is what publishing the draft would do.
type Preview struct {
	Revision int64
	Version  int // the number the new version would get
	Problems []engine.Problem
	Changes  []Change
	Inside   []Inside
}

// PublishPreview says it without doing it.
func (f *Funnels) PublishPreview(ctx context.Context, workspace, id uuid.UUID) (Preview, error) {
	now, err := f.Get(ctx, workspace, id)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Revision: now.Head.Revision, Version: 1}
	if preview.Problems, err = f.Judge(ctx, workspace, now.Document); err != nil {
		return Preview{}, err
	}
	_, found, err := f.compileAll(now.Document)
	if err != nil {
		return Preview{}, err
	}
	preview.Problems = append(preview.Problems, found...)
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
	preview.Changes = Diff(live, now.Document)
	preview.Inside, err = f.inside(ctx, workspace, id, versions, now.Document, live)
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

// Diff tells the changes from one document to another, in the order of the new one, removed steps last.
func Diff(before, after Document) []Change {
	changes := []Change{}
	old := make(map[string]engine.Node, len(before.Graph.Nodes))
	for _, node := range before.Graph.Nodes {
		old[node.ID] = node
	}
	oldLinks, newLinks := links(before.Graph), links(after.Graph)
	for _, node := range after.Graph.Nodes {
		was, ok := old[node.ID]
		delete(old, node.ID)
		if !ok {
			changes = append(changes, Change{"added", node.ID, nameOf(node)})
			continue
		}
		if !sameNode(was, node) || !sameCreative(before, was, after, node) {
			changes = append(changes, Change{"changed", node.ID, nameOf(node)})
		}
		if !reflect.DeepEqual(oldLinks[node.ID], newLinks[node.ID]) {
			changes = append(changes, Change{"linked", node.ID, nameOf(node)})
		}
	}
	for _, node := range before.Graph.Nodes {
		if _, gone := old[node.ID]; gone {
			changes = append(changes, Change{"removed", node.ID, nameOf(node)})
		}
	}
	return changes
}

func links(graph engine.Graph) map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, edge := range graph.Edges {
		if all[edge.From] == nil {
			all[edge.From] = map[string]string{}
		}
		all[edge.From][edge.Port] = edge.To
	}
	return all
}

func sameNode(a, b engine.Node) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Off == b.Off && sameJSON(a.Config, b.Config)
}

func sameCreative(before Document, was engine.Node, after Document, is engine.Node) bool {
	one := creativeUsers(engine.Graph{Nodes: []engine.Node{was}})
	for slug := range creativeUsers(engine.Graph{Nodes: []engine.Node{is}}) {
		if one[slug] == nil {
			return false
		}
		a, errA := json.Marshal(before.Creatives[slug])
		b, errB := json.Marshal(after.Creatives[slug])
		if errA != nil || errB != nil || !sameJSON(a, b) {
			return false
		}
	}
	return true
}

func sameJSON(a, b json.RawMessage) bool {
	sortedA, errA := canonical(a)
	sortedB, errB := canonical(b)
	if errA != nil || errB != nil {
		return bytes.Equal(a, b)
	}
	return bytes.Equal(sortedA, sortedB)
}

func nameOf(node engine.Node) string {
	if node.Name != "" {
		return node.Name
	}
	return node.ID
}

// inside counts the people in all versions by step; the names are those of the newest document that has the step.
func (f *Funnels) inside(ctx context.Context, workspace, id uuid.UUID, versions []Version, documents ...Document) ([]Inside, error) {
	rows, err := store.Q.CountActiveRunsByNode(ctx, f.db, store.CountActiveRunsByNodeParams{WorkspaceID: workspace, FunnelID: id})
	if err != nil {
		return nil, fmt.Errorf("count people inside: %w", err)
	}
	numbers := map[uuid.UUID]int{}
	for _, version := range versions {
		numbers[version.ID] = version.N
	}
	names := map[string]string{}
	for _, document := range documents {
		for _, node := range document.Graph.Nodes {
			if _, ok := names[node.ID]; !ok {
				names[node.ID] = nameOf(node)
			}
		}
	}
	inside := []Inside{}
	for _, row := range rows {
		name, ok := names[row.Node]
		if !ok {
			name = row.Node
		}
		inside = append(inside, Inside{Version: numbers[row.VersionID], Node: row.Node, Name: name, People: int(row.Runs)})
	}
	return inside, nil
}

// Version is one published version.
type Version struct {
	ID          uuid.UUID
	N           int
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
		versions[i] = Version{v.ID, int(v.N), v.Note, v.PublishedBy, v.PublishedAt, row.LiveVersion != nil && *row.LiveVersion == v.ID, active[v.ID]}
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
