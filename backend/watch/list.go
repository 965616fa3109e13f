package watch

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/why"
)

// Finding is one thing found, for people.
type Finding struct {
	Code, Node, Ref, Severity string
	Params                    map[string]any
	Since                     time.Time
	Resolved                  *time.Time
	Said                      why.Sentence
	Mend                      string // create, retry, open_settings; "" when only an edit helps
}

// Mends.
const (
	MendCreate   = "create"        // make the missing tag or list again
	MendRetry    = "retry"         // let the stuck people try again
	MendSettings = "open_settings" // verify the sender
)

// List answers what was found about a funnel that is live or paused: open findings first, errors before warnings.
func List(ctx context.Context, db store.DB, workspace, funnel uuid.UUID, resolved bool) ([]Finding, error) {
	rows, err := db.Query(ctx, `SELECT d.code, d.node, d.ref, d.severity, d.params, d.since, d.resolved_at FROM findings d
		JOIN funnels f ON f.workspace_id = d.workspace_id AND f.id = d.funnel_id AND f.state IN ('live', 'paused')
		WHERE d.workspace_id = $1 AND d.funnel_id = $2 AND ($3 OR d.resolved_at IS NULL)
		ORDER BY d.resolved_at IS NOT NULL, d.severity, d.since DESC, d.code, d.node, d.ref`, workspace, funnel, resolved)
	if err != nil {
		return nil, fmt.Errorf("list findings: %w", err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Finding, error) {
		var f Finding
		var params []byte
		if err := row.Scan(&f.Code, &f.Node, &f.Ref, &f.Severity, &params, &f.Since, &f.Resolved); err != nil {
			return f, err
		}
		if err := json.Unmarshal(params, &f.Params); err != nil {
			return f, err
		}
		f.Said, f.Mend = f.sentence(), f.mend()
		return f, nil
	})
	if err != nil {
		return nil, fmt.Errorf("list findings: %w", err)
	}
	return found, nil
}

func (f Finding) mend() string {
	switch {
	case f.Code == RunsParked:
		return MendRetry
	case f.Code == SenderUnverified:
		return MendSettings
	case f.Code == ReferenceBroken && (strings.HasPrefix(f.Ref, "tag:") || strings.HasPrefix(f.Ref, "list:")):
		return MendCreate
	default:
		return ""
	}
}

// Counts is how many findings are open, by funnel.
func Counts(ctx context.Context, db store.DB, workspace uuid.UUID) (map[uuid.UUID]int, error) {
	rows, err := db.Query(ctx, `SELECT d.funnel_id, count(*) FROM findings d
		JOIN funnels f ON f.workspace_id = d.workspace_id AND f.id = d.funnel_id AND f.state IN ('live', 'paused')
		WHERE d.workspace_id = $1 AND d.resolved_at IS NULL GROUP BY d.funnel_id`, workspace)
	if err != nil {
		return nil, fmt.Errorf("count findings: %w", err)
	}
	counts := map[uuid.UUID]int{}
	var funnel [16]byte
	var n int
	if _, err := pgx.ForEachRow(rows, []any{&funnel, &n}, func() error { counts[funnel] = n; return nil }); err != nil {
		return nil, fmt.Errorf("count findings: %w", err)
	}
	return counts, nil
}
