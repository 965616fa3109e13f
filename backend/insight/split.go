package insight

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Arm is one way out of a split with what became of those who took it.
type Arm struct {
	Port    string
	Label   string
	HoldOut bool
	Trial
	Rate, Low, High float64 // of goals; Low to High holds the true rate with 95 in 100
	Chance          float64 // that this arm is the best
}

// Split is the comparison of the arms of one step.
type Split struct {
	Node    string
	Arms    []Arm
	Verdict string
	Leader  string  // port; "" where nothing can be said
	Uplift  *Uplift // against the hold-out arm, where there is one
}

// Uplift is what the funnel did beyond what would have happened anyway.
type Uplift struct {
	Verdict string
	Points  float64 // treated rate less the rate of those held back
	Extra   float64 // goals that would not have been, of the people treated
	Chance  float64 // that treating is better than holding back
}

type splitConfig struct {
	Arms []struct {
		ID      string `json:"id"`
		Label   string `json:"label"`
		HoldOut bool   `json:"hold_out"`
	} `json:"arms"`
}

// Splits compares the arms of every split of a graph by the goals its people reached. Runs are those of one version, or of all where it
// is nil; only people who came to the split since are counted.
func Splits(ctx context.Context, db store.DB, workspace, funnel uuid.UUID, version *uuid.UUID, since time.Time, graph engine.Graph) ([]Split, error) {
	rows, err := db.Query(ctx, `SELECT j.node, j.port, count(DISTINCT r.id) AS people, count(DISTINCT r.id) FILTER (WHERE r.goal <> '') AS reached
		FROM journal j JOIN runs r ON r.workspace_id = j.workspace_id AND r.id = j.run_id
		WHERE r.workspace_id = $1 AND r.funnel_id = $2 AND ($3::uuid IS NULL OR r.version_id = $3) AND j.at >= $4 AND j.kind = 'split' AND j.port <> ''
		GROUP BY j.node, j.port`, workspace, funnel, version, since)
	if err != nil {
		return nil, fmt.Errorf("compare the arms of splits: %w", err)
	}
	type seen struct{ Node, Port string }
	trials := map[seen]Trial{}
	var key seen
	var trial Trial
	_, err = pgx.ForEachRow(rows, []any{&key.Node, &key.Port, &trial.People, &trial.Reached}, func() error {
		trials[key] = trial
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the arms of splits: %w", err)
	}
	goal := false
	for _, node := range graph.Nodes {
		goal = goal || node.Kind == "goal"
	}
	splits := []Split{}
	for _, node := range graph.Nodes {
		if node.Kind != "split" {
			continue
		}
		var config splitConfig
		if err := json.Unmarshal(node.Config, &config); err != nil {
			return nil, fmt.Errorf("arms of the split %s: %w", node.ID, err)
		}
		split := Split{Node: node.ID}
		for _, arm := range config.Arms {
			split.Arms = append(split.Arms, Arm{Port: arm.ID, Label: arm.Label, HoldOut: arm.HoldOut, Trial: trials[seen{node.ID, arm.ID}]})
		}
		split.judge(goal)
		splits = append(splits, split)
	}
	return splits, nil
}

func (s *Split) judge(goal bool) {
	var all []Trial
	var held, treated Trial
	for _, arm := range s.Arms {
		all = append(all, arm.Trial)
		if arm.HoldOut {
			held.People, held.Reached = held.People+arm.People, held.Reached+arm.Reached
		} else {
			treated.People, treated.Reached = treated.People+arm.People, treated.Reached+arm.Reached
		}
	}
	chances := Best(all)
	for i := range s.Arms {
		arm := &s.Arms[i]
		arm.Rate, arm.Chance = arm.Trial.Rate(), chances[i]
		arm.Low, arm.High = arm.Range()
	}
	if !goal {
		s.Verdict = VerdictNoGoal
		return
	}
	verdict, leader, _ := Judge(all)
	s.Verdict = verdict
	if leader >= 0 {
		s.Leader = s.Arms[leader].Port
	}
	if held.People > 0 && treated.People > 0 {
		said, _, _ := Judge([]Trial{treated, held})
		points := treated.Rate() - held.Rate()
		s.Uplift = &Uplift{Verdict: said, Points: points, Extra: points * float64(treated.People), Chance: Best([]Trial{treated, held})[0]}
	}
}
