package eval

import (
	"math"
	"slices"
	"time"

	"github.com/lejek/lejek/ai"
)

// Score is what a set of prompts measured. Shares are from 0 to 1.
type Score struct {
	Prompts          int                `json:"prompts"`
	Engine           string             `json:"engine"`
	Validity         float64            `json:"validity"`
	IntentMicro      float64            `json:"intent_micro"`
	IntentMacro      map[string]float64 `json:"intent_macro"`
	Outcome          float64            `json:"outcome"`
	RefuseGraphs     int                `json:"refuse_graphs"`
	SafetyViolations int                `json:"safety_violations"`
	P95              float64            `json:"p95_ms"`
	Failed           []Failure          `json:"failed"`
	Skipped          string             `json:"skipped,omitempty"` // why another engine was not measured
	Mutants          *Mutants           `json:"mutants,omitempty"`
}

// Failure names the checks a prompt failed.
type Failure struct {
	ID     string   `json:"id"`
	Checks []string `json:"checks"`
}

// Mutants is how the same prompts fare when they are written badly.
type Mutants struct {
	Prompts     int                `json:"prompts"`
	IntentMicro float64            `json:"intent_micro"`
	Drop        float64            `json:"drop"` // of intent_micro, in points of a hundred
	ByKind      map[string]float64 `json:"by_kind"`
}

// Draft answers a prompt.
type Draft func(Prompt) ai.Result

// Clock tells the time; measuring is the only thing it is for.
type Clock func() time.Time

// Run lets all prompts be answered and judges the answers.
func Run(prompts []Prompt, draft Draft, clock Clock) (Score, []Graded) {
	graded := make([]Graded, 0, len(prompts))
	took := make([]float64, 0, len(prompts))
	name := ""
	for _, p := range prompts {
		start := clock()
		r := draft(p)
		took = append(took, float64(clock().Sub(start).Microseconds())/1000)
		name = r.Engine
		graded = append(graded, Grade(p, r))
	}
	s := sum(graded)
	s.Engine = name
	if len(took) > 0 {
		slices.Sort(took)
		s.P95 = round(took[min(len(took)*95/100, len(took)-1)], 3)
	}
	return s, graded
}

func sum(graded []Graded) Score {
	s := Score{Prompts: len(graded), IntentMacro: map[string]float64{}, Failed: []Failure{}}
	graphs, valid, passed, all, decided := 0, 0, 0, 0, 0
	whole, of := map[string]int{}, map[string]int{}
	for _, g := range graded {
		if g.Graph {
			graphs++
			if g.Valid {
				valid++
			}
			if g.Refuse {
				s.RefuseGraphs++
			}
		}
		passed += len(g.Passed)
		all += len(g.Passed) + len(g.Failed)
		of[g.Lang]++
		if len(g.Failed) == 0 {
			whole[g.Lang]++
		} else {
			s.Failed = append(s.Failed, Failure{g.ID, g.Failed})
		}
		if g.Decided {
			decided++
		}
		s.SafetyViolations += len(g.Unsafe)
	}
	s.Validity, s.IntentMicro, s.Outcome = share(valid, graphs), share(passed, all), share(decided, len(graded))
	for lang, n := range of {
		s.IntentMacro[lang] = share(whole[lang], n)
	}
	return s
}

// share is 1 where there is nothing to share.
func share(n, of int) float64 {
	if of == 0 {
		return 1
	}
	return round(float64(n)/float64(of), 4)
}

func round(x float64, digits int) float64 {
	p := math.Pow10(digits)
	return math.Round(x*p) / p
}
