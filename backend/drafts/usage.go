package drafts

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Usage is what models were asked for lately, by what for and by model.
type Usage struct {
	Op        string
	Model     string
	Calls     int
	Failed    int
	TokensIn  int64
	TokensOut int64
	MedianMs  int
}

// Usage is what the workspace asked models for in the last 30 days.
func (d *Drafts) Usage(ctx context.Context, workspace uuid.UUID) ([]Usage, error) {
	rows, err := d.DB.Query(ctx, `SELECT op, model, count(*), count(*) FILTER (WHERE outcome <> 'ok'), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),
			(percentile_cont(0.5) WITHIN GROUP (ORDER BY total_ms))::int
		FROM ai_calls WHERE workspace_id = $1 AND created_at > $2 GROUP BY op, model ORDER BY count(*) DESC, op, model LIMIT 50`, workspace, d.Machine.Now().Add(-month))
	if err != nil {
		return nil, fmt.Errorf("read what models were asked: %w", err)
	}
	defer rows.Close()
	var all []Usage
	for rows.Next() {
		var u Usage
		if err := rows.Scan(&u.Op, &u.Model, &u.Calls, &u.Failed, &u.TokensIn, &u.TokensOut, &u.MedianMs); err != nil {
			return nil, fmt.Errorf("read what models were asked: %w", err)
		}
		all = append(all, u)
	}
	return all, rows.Err()
}
