package segments

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/slug"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Segments are the segments of an installation.
type Segments struct {
	db         store.DB
	clock      clock.Source
	hash       func(workspace uuid.UUID, channel, address string) []byte
	references func(ctx context.Context, db store.DB, workspace uuid.UUID) (*engine.Workspace, error)
}

// Options of New.
type Options struct {
	DB    store.DB
	Clock clock.Source

	// Hash names a suppressed address.
	Hash func(workspace uuid.UUID, channel, address string) []byte

	// References is what a rule of the workspace may name.
	References func(ctx context.Context, db store.DB, workspace uuid.UUID) (*engine.Workspace, error)
}

// New puts Segments together.
func New(options Options) *Segments {
	return &Segments{db: options.DB, clock: options.Clock, hash: options.Hash, references: options.References}
}

// Segment is one segment as people see it.
type Segment struct {
	ID          uuid.UUID
	Slug        string
	Name        string
	Description string
	Rule        json.RawMessage
	Revision    int64
	Building    bool
	Members     int64 // inside now; of one that is building so far
	Looked      int64 // building: people looked at
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Input is what is set of a segment; nil leaves it as it is.
type Input struct {
	Name        *string
	Description *string
	Rule        json.RawMessage
}

const (
	maxName        = 200
	maxDescription = 1000
	maxSegments    = 200
)

const selectSegments = `SELECT s.id, s.slug, s.name, s.description, s.rule, s.revision, s.state = 'building', s.created_at, s.updated_at,
	(SELECT count(*) FROM segment_members m WHERE m.workspace_id = s.workspace_id AND m.segment_id = s.id AND m.since IS NOT NULL),
	CASE WHEN s.state = 'building' THEN (SELECT count(*) FROM contacts c WHERE c.workspace_id = s.workspace_id AND c.id <= s.built_to) ELSE 0 END
	FROM segments s WHERE s.workspace_id = $1 AND s.state <> 'deleted'`

func collect(row pgx.CollectableRow) (s Segment, err error) {
	err = row.Scan(&s.ID, &s.Slug, &s.Name, &s.Description, &s.Rule, &s.Revision, &s.Building, &s.CreatedAt, &s.UpdatedAt, &s.Members, &s.Looked)
	return s, err
}

// List answers all segments by name.
func (s *Segments) List(ctx context.Context, workspace uuid.UUID) ([]Segment, error) {
	rows, err := s.db.Query(ctx, selectSegments+" ORDER BY s.name, s.id", workspace)
	if err != nil {
		return nil, fmt.Errorf("list segments: %w", err)
	}
	list, err := pgx.CollectRows(rows, collect)
	if err != nil {
		return nil, fmt.Errorf("list segments: %w", err)
	}
	return list, nil
}

// Get is one segment.
func (s *Segments) Get(ctx context.Context, workspace, id uuid.UUID) (Segment, error) {
	return get(ctx, s.db, workspace, id)
}

func get(ctx context.Context, db DB, workspace, id uuid.UUID) (Segment, error) {
	rows, err := db.Query(ctx, selectSegments+" AND s.id = $2", workspace, id)
	if err != nil {
		return Segment{}, fmt.Errorf("read segment %s: %w", id, err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, collect)
	if errors.Is(err, pgx.ErrNoRows) {
		return Segment{}, fault.New(fault.NotFound, "There is no segment %s.", id)
	}
	if err != nil {
		return Segment{}, fmt.Errorf("read segment %s: %w", id, err)
	}
	return found, nil
}

// Create makes a segment. Its members are found in the background; nothing is fired for them.
func (s *Segments) Create(ctx context.Context, workspace uuid.UUID, in Input) (Segment, error) {
	if in.Name == nil {
		return Segment{}, fault.InvalidField("name", "The segment has no name. Give it one.")
	}
	if in.Rule == nil {
		return Segment{}, fault.InvalidField("rule", "The segment has no rule. Say who belongs to it.")
	}
	return store.InTxV(ctx, s.db, s.clock, func(tx store.Tx) (Segment, error) {
		others, err := s.judge(ctx, tx, workspace, uuid.Nil, &in)
		if err != nil {
			return Segment{}, err
		}
		if len(others) >= maxSegments {
			return Segment{}, fault.New(fault.Conflict, "The workspace has %d segments, which is as many as it may have. Delete one that is no longer needed.", maxSegments)
		}
		id := store.NewID()
		_, err = tx.Exec(ctx, `INSERT INTO segments (workspace_id, id, slug, name, description, rule, revision, state, created_at, updated_at)
			VALUES ($1, $2, $3, $4, $5, $6, 1, 'building', $7, $7)`, workspace, id, free(*in.Name, others), *in.Name, text(in.Description), in.Rule, tx.Now)
		if err != nil {
			return Segment{}, fmt.Errorf("make a segment: %w", err)
		}
		return get(ctx, tx, workspace, id)
	})
}

// Update changes a segment. Another rule is a new revision: everybody is looked at anew, and nothing is fired for those it moves.
func (s *Segments) Update(ctx context.Context, workspace, id uuid.UUID, in Input) (Segment, error) {
	return store.InTxV(ctx, s.db, s.clock, func(tx store.Tx) (Segment, error) {
		if _, err := s.judge(ctx, tx, workspace, id, &in); err != nil {
			return Segment{}, err
		}
		tag, err := tx.Exec(ctx, `UPDATE segments SET name = coalesce($3, name), description = coalesce($4, description), updated_at = $6,
				revision = revision + changed::int, state = CASE WHEN changed THEN 'building' ELSE state END,
				built_to = CASE WHEN changed THEN NULL ELSE built_to END, rule = coalesce($5, rule)
			FROM (SELECT coalesce(rule <> $5::jsonb, false) AS changed FROM segments WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE) AS x
			WHERE workspace_id = $1 AND id = $2 AND state <> 'deleted'`, workspace, id, in.Name, in.Description, in.Rule, tx.Now)
		if err != nil {
			return Segment{}, fmt.Errorf("change segment %s: %w", id, err)
		}
		if tag.RowsAffected() == 0 {
			return Segment{}, fault.New(fault.NotFound, "There is no segment %s.", id)
		}
		return get(ctx, tx, workspace, id)
	})
}

// Delete removes a segment that nothing is made of: no funnel that people are in, no other segment.
func (s *Segments) Delete(ctx context.Context, workspace, id uuid.UUID) error {
	return store.InTx(ctx, s.db, s.clock, func(tx store.Tx) error {
		if err := store.Q.LockPublishing(ctx, tx, workspace); err != nil {
			return fmt.Errorf("lock the workspace's funnels: %w", err)
		}
		found, err := get(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		users, err := usersOf(ctx, tx, workspace, found)
		if err != nil {
			return err
		}
		if len(users) > 0 {
			return fault.New(fault.Conflict, "The segment %q cannot be deleted: it is used by %s. Take it out there first.", found.Name, strings.Join(users, ", "))
		}
		_, err = tx.Exec(ctx, `UPDATE segments SET state = 'deleted', slug = 'deleted-' || id, updated_at = $3 WHERE workspace_id = $1 AND id = $2`, workspace, id, tx.Now)
		if err != nil {
			return fmt.Errorf("delete segment %s: %w", id, err)
		}
		return nil
	})
}

// usersOf names what needs the segment: funnels that are live or paused or still have people inside, and other segments.
func usersOf(ctx context.Context, tx store.Tx, workspace uuid.UUID, found Segment) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT 'the funnel "' || f.name || '"' FROM funnels f WHERE f.workspace_id = $1 AND EXISTS (
			SELECT 1 FROM funnel_versions v WHERE v.workspace_id = f.workspace_id AND v.funnel_id = f.id AND strpos(v.bundle::text, $2) > 0
				AND (f.state IN ('live', 'paused') AND v.id = f.live_version OR EXISTS (SELECT 1 FROM runs r WHERE r.workspace_id = v.workspace_id
					AND r.funnel_id = v.funnel_id AND r.version_id = v.id AND r.status IN ('active', 'paused', 'parked'))))
		UNION ALL SELECT 'the segment "' || s.name || '"' FROM segments s
			WHERE s.workspace_id = $1 AND s.id <> $3 AND s.state <> 'deleted' AND strpos(s.rule::text, $2) > 0 ORDER BY 1`,
		workspace, `"segment:`+found.Slug+`"`, found.ID)
	if err != nil {
		return nil, fmt.Errorf("look for what uses segment %s: %w", found.ID, err)
	}
	users, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("look for what uses segment %s: %w", found.ID, err)
	}
	return users, nil
}

// judge checks what is set and answers the other segments' rules by slug. It takes the lock under which segments and funnels of a
// workspace come to name each other.
func (s *Segments) judge(ctx context.Context, tx store.Tx, workspace, id uuid.UUID, in *Input) (map[string]*engine.Rule, error) {
	if err := store.Q.LockPublishing(ctx, tx, workspace); err != nil {
		return nil, fmt.Errorf("lock the workspace's funnels: %w", err)
	}
	if in.Name != nil {
		*in.Name = strings.Join(strings.Fields(*in.Name), " ")
		if n := len([]rune(*in.Name)); n == 0 || n > maxName {
			return nil, fault.InvalidField("name", "A segment needs a name of 1 to %d characters.", maxName)
		}
	}
	if in.Description != nil && len([]rune(*in.Description)) > maxDescription {
		return nil, fault.InvalidField("description", "The description is longer than %d characters. Shorten it.", maxDescription)
	}
	list, err := s.listIn(ctx, tx, workspace)
	if err != nil {
		return nil, err
	}
	others, own := map[string]*engine.Rule{}, ""
	for _, segment := range list {
		if segment.ID == id {
			own = segment.Slug
			continue
		}
		var rule engine.Rule
		if err := json.Unmarshal(segment.Rule, &rule); err != nil {
			return nil, fmt.Errorf("read the rule of segment %s: %w", segment.ID, err)
		}
		others[segment.Slug] = &rule
	}
	if in.Rule == nil {
		return others, nil
	}
	rule, err := s.read(ctx, tx, workspace, in.Rule)
	if err != nil {
		return nil, err
	}
	if through := circle(rule, own, others, map[string]bool{}); through != "" {
		return nil, fault.InvalidField("rule", "The segment would be made of itself, through the segment %q. Take that one out.", through)
	}
	return others, nil
}

// listIn is List in a transaction, without the counts.
func (s *Segments) listIn(ctx context.Context, tx store.Tx, workspace uuid.UUID) ([]Segment, error) {
	rows, err := tx.Query(ctx, "SELECT id, slug, rule FROM segments WHERE workspace_id = $1 AND state <> 'deleted'", workspace)
	if err != nil {
		return nil, fmt.Errorf("list segments: %w", err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (found Segment, err error) {
		return found, row.Scan(&found.ID, &found.Slug, &found.Rule)
	})
}

// circle names a segment of the rule that leads back to own; "" when none does.
func circle(rule *engine.Rule, own string, others map[string]*engine.Rule, seen map[string]bool) string {
	for _, slug := range rule.SegmentSlugs() {
		if slug == own && own != "" {
			return slug
		}
		if other := others[slug]; other != nil && !seen[slug] {
			seen[slug] = true
			if circle(other, own, others, seen) != "" {
				return slug
			}
		}
	}
	return ""
}

// read decodes a rule and checks that everything it names is there. Problems come back as fields under "rule".
func (s *Segments) read(ctx context.Context, db store.DB, workspace uuid.UUID, document json.RawMessage) (*engine.Rule, error) {
	rule, problems := engine.DecodeRule(document)
	if len(problems) == 0 {
		references, err := s.references(ctx, db, workspace)
		if err != nil {
			return nil, err
		}
		problems = rule.Check(engine.RuleScope{Workspace: references})
	}
	if len(problems) == 0 {
		return rule, nil
	}
	fields := make([]fault.Field, len(problems))
	for i, problem := range engine.PlaceProblems(problems, "", "rule") {
		fields[i] = fault.Field{Path: problem.Field, Message: problem.Message}
	}
	return nil, fault.InvalidFields(fields)
}

// free makes the name by which rules refer to a segment, free among the taken ones. It never changes again.
func free(name string, taken map[string]*engine.Rule) string {
	base := slug.Of(name, "segment")
	made := base
	for n := 2; taken[made] != nil; n++ {
		made = base + "-" + strconv.Itoa(n)
	}
	return made
}

func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// Rebuild looks at everybody anew with all rules that depend on the workspace's zone, which has changed. It fires nothing.
func Rebuild(ctx context.Context, tx store.Tx, workspace uuid.UUID) error {
	rows, err := tx.Query(ctx, "SELECT id, rule FROM segments WHERE workspace_id = $1 AND state <> 'deleted'", workspace)
	if err != nil {
		return fmt.Errorf("read segments: %w", err)
	}
	var moved []uuid.UUID
	var id uuid.UUID
	var document json.RawMessage
	_, err = pgx.ForEachRow(rows, []any{&id, &document}, func() error {
		var rule engine.Rule
		if err := json.Unmarshal(document, &rule); err != nil {
			return fmt.Errorf("read the rule of segment %s: %w", id, err)
		}
		if rule.DependsOnZone() {
			moved = append(moved, id)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read segments: %w", err)
	}
	if _, err := tx.Exec(ctx, "UPDATE segments SET state = 'building', built_to = NULL WHERE workspace_id = $1 AND id = ANY($2)", workspace, moved); err != nil {
		return fmt.Errorf("have segments built anew: %w", err)
	}
	return nil
}
