package insight

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// How many events a path may have.
const (
	ShortestPath = 2
	LongestPath  = 6
)

// Path asks who did one event after the other, in this order, in [From, To). What else they did between does not matter; each event
// counts from the first time it came after the one before.
type Path struct {
	Workspace uuid.UUID
	Events    []string
	From, To  time.Time
}

// PathStep is one event of a path.
type PathStep struct {
	Event  string
	People int
	Median time.Duration // from the event before; 0 at the first
}

func (p Path) check() error {
	if len(p.Events) < ShortestPath || len(p.Events) > LongestPath {
		return fault.InvalidField("events", "Pick %d to %d events.", ShortestPath, LongestPath)
	}
	for _, name := range p.Events {
		if !engine.IsEventName(name) {
			return fault.InvalidField("events", "%q cannot be the name of an event.", name)
		}
	}
	return nil
}

// sql are the steps s1, s2, ... as common table expressions: who came so far, and when.
func (p Path) sql() (with string, args pgx.NamedArgs) {
	args = pgx.NamedArgs{"workspace": p.Workspace, "from": p.From, "to": p.To}
	var b strings.Builder
	for i, name := range p.Events {
		n := i + 1
		args[fmt.Sprintf("e%d", n)] = name
		if n == 1 {
			b.WriteString(`WITH s1 AS (SELECT contact_id, min(at) AS at, NULL::timestamptz AS before FROM events
				WHERE workspace_id = @workspace AND name = @e1 AND at >= @from AND at < @to GROUP BY contact_id)`)
			continue
		}
		after := ">="
		if name == p.Events[i-1] {
			after = ">" // the same event a second time
		}
		fmt.Fprintf(&b, `, s%d AS (SELECT s.contact_id, min(e.at) AS at, s.at AS before FROM s%d s
			JOIN events e ON e.workspace_id = @workspace AND e.contact_id = s.contact_id AND e.name = @e%d AND e.at %s s.at AND e.at < @to GROUP BY s.contact_id, s.at)`, n, n-1, n, after)
	}
	return b.String(), args
}

// Walk answers how many people came to each event of a path, and how long they took.
func Walk(ctx context.Context, db store.DB, p Path) ([]PathStep, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	with, args := p.sql()
	var parts []string
	for i := range p.Events {
		parts = append(parts, fmt.Sprintf(`SELECT %d AS n, count(*)::bigint, coalesce(extract(epoch FROM percentile_cont(0.5) WITHIN GROUP (ORDER BY at - before)), 0)::float8 FROM s%[1]d`, i+1))
	}
	rows, err := db.Query(ctx, with+" "+strings.Join(parts, " UNION ALL ")+" ORDER BY n", args)
	if err != nil {
		return nil, fault.Wrap(err, "walk a path")
	}
	var steps []PathStep
	var n, people int
	var seconds float64
	_, err = pgx.ForEachRow(rows, []any{&n, &people, &seconds}, func() error {
		steps = append(steps, PathStep{p.Events[n-1], people, time.Duration(seconds * float64(time.Second))})
		return nil
	})
	return steps, fault.Wrap(err, "walk a path")
}

// Walker is somebody on a path, and when they came to its last event.
type Walker struct {
	ContactID uuid.UUID
	Name      string
	Email     *string
	At        time.Time
}

// Walkers lists who came to an event of a path, by its place from 1; with dropped, only those who did not come to the next.
func Walkers(ctx context.Context, db store.DB, p Path, step int, dropped bool, offset, limit int) (walkers []Walker, more bool, err error) {
	if err := p.check(); err != nil {
		return nil, false, err
	}
	if step < 1 || step > len(p.Events) || dropped && step == len(p.Events) {
		return nil, false, fault.InvalidField("step", "The path has no such step.")
	}
	with, args := p.sql()
	args["offset"], args["limit"] = offset, limit+1
	rest := ""
	if dropped {
		rest = fmt.Sprintf(" WHERE NOT EXISTS (SELECT FROM s%d n WHERE n.contact_id = s.contact_id)", step+1)
	}
	rows, err := db.Query(ctx, with+fmt.Sprintf(` SELECT s.contact_id, coalesce(nullif(trim(c.first_name || ' ' || c.last_name), ''), c.email, c.external_id, '') AS name, c.email, s.at
		FROM s%d s JOIN contacts c ON c.workspace_id = @workspace AND c.id = s.contact_id`, step)+rest+" ORDER BY s.at DESC, s.contact_id DESC OFFSET @offset LIMIT @limit", args)
	if err != nil {
		return nil, false, fault.Wrap(err, "list the people of a path")
	}
	walkers, err = pgx.CollectRows(rows, pgx.RowToStructByName[Walker])
	if err != nil {
		return nil, false, fault.Wrap(err, "list the people of a path")
	}
	return walkers[:min(len(walkers), limit)], len(walkers) > limit, nil
}
