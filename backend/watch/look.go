package watch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/plans"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/why"
	"github.com/lejek/lejek/engine"
)

const (
	silentAfter  = 14 * 24 * time.Hour // where no usual pace is known
	silentTimes  = 5                   // times the usual gap
	leastSilence = 3 * 24 * time.Hour  // a busy funnel may have a quiet weekend
	paceOf       = 20                  // starts the usual gap is taken from
	leastPace    = 3
)

// unpaced are triggers whose silence says nothing until their pace is known.
var unpaced = []string{"manual", "schedule", "date_field"}

// lookAtTriggers finds a funnel nobody has started for five times the usual gap, or for 14 days where none is known.
func (f *funnel) lookAtTriggers(ctx context.Context, tx store.Tx) error {
	version, err := plans.Draft(f.bundle)
	if err != nil {
		return nil //nolint:nilerr // a version this program cannot run is told by doctor
	}
	openings := version.Plan.Openings()
	if len(openings) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, `SELECT started_at FROM runs WHERE workspace_id = $1 AND funnel_id = $2 ORDER BY started_at DESC LIMIT $3`, f.workspace, f.id, paceOf)
	if err != nil {
		return fmt.Errorf("look at starts: %w", err)
	}
	starts, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil {
		return fmt.Errorf("look at starts: %w", err)
	}
	slices.SortFunc(starts, func(a, b time.Time) int { return b.Compare(a) })
	last, limit := f.published, silentAfter
	if len(starts) > 0 && starts[0].After(last) {
		last = starts[0]
	}
	paced := len(starts) >= leastPace
	if paced {
		gap := starts[0].Sub(starts[len(starts)-1]) / time.Duration(len(starts)-1)
		limit = max(silentTimes*gap, leastSilence)
	}
	if !paced && !slices.ContainsFunc(openings, func(o engine.Opening) bool { return !slices.Contains(unpaced, o.Kind) }) {
		return nil
	}
	if silence := tx.Now.Sub(last); silence >= limit {
		f.add(finding{TriggerSilent, version.Plan.Entry(), "", "warning", map[string]any{
			"days": int(silence / (24 * time.Hour)), "kind": openings[0].Kind, "event": openings[0].Event.Name, "props": openings[0].Event.Props,
		}})
	}
	return nil
}

func (f *funnel) lookAtParked(ctx context.Context, tx store.Tx) error {
	rows, err := tx.Query(ctx, `SELECT node, count(*), coalesce(max(last_error), max(end_reason), '') FROM runs
		WHERE workspace_id = $1 AND funnel_id = $2 AND status = 'parked' GROUP BY node ORDER BY node`, f.workspace, f.id)
	if err != nil {
		return fmt.Errorf("look for parked runs: %w", err)
	}
	var node, cause string
	var people int
	_, err = pgx.ForEachRow(rows, []any{&node, &people, &cause}, func() error {
		f.add(finding{RunsParked, node, "", "error", map[string]any{"people": people, "error": cause}})
		return nil
	})
	if err != nil {
		return fmt.Errorf("look for parked runs: %w", err)
	}
	return nil
}

// lookAtReferences takes what the validator says today of a version that was sound when it was published.
func (f *funnel) lookAtReferences(problems []engine.Problem) {
	for _, p := range problems {
		ref := p.Params["name"]
		if p.Params["of"] != "" {
			ref = p.Params["of"] + ":" + ref
		}
		switch {
		case p.Code == engine.CodeRefMissing || p.Code == engine.CodeFieldUnknown:
			if ref == "" {
				ref = p.Field
			}
			f.add(finding{ReferenceBroken, p.Node, ref, "error", map[string]any{"ref": ref, "field": p.Field}})
		case p.Code == engine.CodeSenderUnverified && f.sending == "live":
			f.add(finding{SenderUnverified, p.Node, p.Params["sender"], "warning", map[string]any{"ref": p.Params["sender"]}})
		}
	}
}

const (
	sampled    = 1000 // people inside that are looked at
	mostMissed = 10   // percent
)

// columns are the fields a contact has a column for.
var columns = map[string]string{"first_name": "c.first_name", "last_name": "c.last_name", "email": "c.email", "phone": "c.phone"}

// lookAtVariables counts, for each variable without a fallback, how many of the people inside lack it.
func (f *funnel) lookAtVariables(ctx context.Context, tx store.Tx, problems []engine.Problem) error {
	for _, p := range problems {
		name := p.Params["name"]
		if p.Code != engine.CodeVarNoFallback || name == "" || strings.Contains(name, ".") {
			continue
		}
		column := columns[name]
		if column == "" {
			column = "c.fields ->> $4"
		}
		var people, missed int
		err := tx.QueryRow(ctx, `SELECT count(*), count(*) FILTER (WHERE coalesce(`+column+`, '') = '' AND $4::text IS NOT NULL) FROM (
				SELECT contact_id FROM runs WHERE workspace_id = $1 AND funnel_id = $2 AND status IN ('active', 'paused') ORDER BY id DESC LIMIT $3) r
			JOIN contacts c ON c.workspace_id = $1 AND c.id = r.contact_id`, f.workspace, f.id, sampled, name).Scan(&people, &missed)
		if err != nil {
			return fmt.Errorf("count who lacks %s: %w", name, err)
		}
		if people > 0 && missed*100 > people*mostMissed {
			f.add(finding{VariableMissing, p.Node, name, "warning", map[string]any{"name": name, "percent": missed * 100 / people}})
		}
	}
	return nil
}

// sentence says a finding.
func (f Finding) sentence() why.Sentence {
	params := f.Params
	if f.Code == TriggerSilent {
		kind, _ := params["kind"].(string)
		event, _ := params["event"].(string)
		props, _ := params["props"].(map[string]any)
		params = map[string]any{
			"days": params["days"], "trigger": why.Opened(engine.Opening{Kind: kind, Event: engine.Event{Name: event, Props: props}}),
		}
	}
	return why.Say(f.Code, params)
}
