package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Codes of findings.
const (
	TriggerSilent    = "trigger_silent"    // nobody has started for much longer than usual
	RunsParked       = "runs_parked"       // people are stuck at the step
	ReferenceBroken  = "reference_broken"  // what the step names is gone
	SenderUnverified = "sender_unverified" // of a message that really leaves
	VariableMissing  = "variable_missing"  // of a message, for many of the people inside
)

// every is how often a live funnel is looked at.
const every = time.Hour

// Watch looks after live funnels. All members are required.
type Watch struct {
	DB    store.DB
	Clock clock.Source

	// References is everything a funnel of the workspace may name.
	References func(ctx context.Context, db store.DB, workspace uuid.UUID) (*engine.Workspace, error)
}

// Job is the pump's job that looks.
func (w *Watch) Job() pump.Job {
	return pump.Job{Kind: "watch", Label: "Look after live funnels", Slots: 1, Lanes: 1, Poll: 30 * time.Second, Drain: w.Drain}
}

// finding is one thing found.
type finding struct {
	code, node, ref, severity string
	params                    map[string]any
}

// funnel is a live funnel on its way through a look.
type funnel struct {
	workspace, id, version uuid.UUID
	published              time.Time
	sending                string // mode of the workspace
	bundle                 engine.Bundle
	found                  []finding
}

func (f *funnel) add(found finding) { f.found = append(f.found, found) }

const (
	beginWatches = `INSERT INTO watches (workspace_id, funnel_id, next_at)
		SELECT f.workspace_id, f.id, $1 FROM funnels f WHERE f.state = 'live'
			AND NOT EXISTS (SELECT 1 FROM watches w WHERE w.workspace_id = f.workspace_id AND w.funnel_id = f.id) ON CONFLICT DO NOTHING`
	leaseWatches = `SELECT w.workspace_id, w.funnel_id, v.id, v.published_at, h.sending_mode, v.bundle FROM watches w
		JOIN funnels f ON f.workspace_id = w.workspace_id AND f.id = w.funnel_id AND f.state = 'live'
		JOIN funnel_versions v ON v.workspace_id = f.workspace_id AND v.id = f.live_version
		JOIN workspaces h ON h.id = w.workspace_id
		WHERE w.next_at <= $1 ORDER BY w.next_at LIMIT $2 FOR UPDATE OF w SKIP LOCKED`
)

// batchLimit bounds a look: each funnel takes a handful of queries.
const batchLimit = 10

// Drain looks at some of the funnels whose time has come.
func (w *Watch) Drain(ctx context.Context, batch pump.Batch) (drained pump.Drained, err error) {
	if !w.Clock.Settled() {
		return pump.Drained{}, nil
	}
	err = store.InTx(ctx, w.DB, w.Clock, func(tx store.Tx) error {
		drained = pump.Drained{}
		if _, err := tx.Exec(ctx, beginWatches, tx.Now); err != nil {
			return fmt.Errorf("begin to watch funnels: %w", err)
		}
		funnels, err := lease(ctx, tx, min(batch.Limit, batchLimit))
		if err != nil {
			return err
		}
		for _, f := range funnels {
			if err := w.look(ctx, tx, f); err != nil {
				return err
			}
			if err := f.write(ctx, tx); err != nil {
				return err
			}
		}
		drained.Rows = len(funnels)
		return nil
	})
	return drained, err
}

func lease(ctx context.Context, tx store.Tx, limit int) ([]*funnel, error) {
	rows, err := tx.Query(ctx, leaseWatches, tx.Now, limit)
	if err != nil {
		return nil, fmt.Errorf("find funnels to look after: %w", err)
	}
	funnels, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (*funnel, error) {
		var f funnel
		var bundle []byte
		if err := row.Scan(&f.workspace, &f.id, &f.version, &f.published, &f.sending, &bundle); err != nil {
			return nil, err
		}
		return &f, json.Unmarshal(bundle, &f.bundle)
	})
	if err != nil {
		return nil, fmt.Errorf("find funnels to look after: %w", err)
	}
	return funnels, nil
}

func (w *Watch) look(ctx context.Context, tx store.Tx, f *funnel) error {
	set, err := w.References(ctx, tx, f.workspace)
	if err != nil {
		return err
	}
	bundle := f.bundle
	bundle.Workspace = set
	problems := engine.Validate(bundle)
	f.lookAtReferences(problems)
	for _, look := range []func(context.Context, store.Tx) error{
		f.lookAtTriggers, f.lookAtParked, func(ctx context.Context, tx store.Tx) error { return f.lookAtVariables(ctx, tx, problems) },
	} {
		if err := look(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}

const (
	putFindings = `INSERT INTO findings AS f (workspace_id, funnel_id, code, node, ref, severity, params, since)
		SELECT $1, $2, code, node, ref, severity, params, $3 FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::jsonb[]) AS x (code, node, ref, severity, params)
		ON CONFLICT (workspace_id, funnel_id, code, node, ref) DO UPDATE SET severity = excluded.severity, params = excluded.params,
			since = CASE WHEN f.resolved_at IS NULL THEN f.since ELSE excluded.since END, resolved_at = NULL`
	resolveFindings = `UPDATE findings f SET resolved_at = $3 WHERE f.workspace_id = $1 AND f.funnel_id = $2 AND f.resolved_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM unnest($4::text[], $5::text[], $6::text[]) AS x (code, node, ref) WHERE x.code = f.code AND x.node = f.node AND x.ref = f.ref)`
)

func (f *funnel) write(ctx context.Context, tx store.Tx) error {
	n := len(f.found)
	codes, nodes, refs, severities, params := make([]string, 0, n), make([]string, 0, n), make([]string, 0, n), make([]string, 0, n), make([][]byte, 0, n)
	seen := map[[3]string]bool{}
	for _, found := range f.found {
		key := [3]string{found.code, found.node, found.ref}
		if seen[key] {
			continue
		}
		seen[key] = true
		raw, err := json.Marshal(found.params)
		if err != nil {
			return fmt.Errorf("describe a finding: %w", err)
		}
		codes, nodes, refs = append(codes, found.code), append(nodes, found.node), append(refs, found.ref)
		severities, params = append(severities, found.severity), append(params, raw)
	}
	if _, err := tx.Exec(ctx, resolveFindings, f.workspace, f.id, tx.Now, codes, nodes, refs); err != nil {
		return fmt.Errorf("resolve findings: %w", err)
	}
	if len(codes) > 0 {
		if _, err := tx.Exec(ctx, putFindings, f.workspace, f.id, tx.Now, codes, nodes, refs, severities, params); err != nil {
			return fmt.Errorf("keep findings: %w", err)
		}
	}
	_, err := tx.Exec(ctx, `UPDATE watches SET next_at = $3 WHERE workspace_id = $1 AND funnel_id = $2`, f.workspace, f.id, tx.Now.Add(every))
	if err != nil {
		return fmt.Errorf("note when to look again: %w", err)
	}
	return nil
}
