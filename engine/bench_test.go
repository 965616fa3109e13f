package engine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

// BenchmarkValidate measures the largest funnel there may be: the canvas asks after every edit.
func BenchmarkValidate(b *testing.B) {
	f := enginetest.New(enginetest.Event("purchase"))
	for i := range engine.MaxNodes/2 - 1 {
		f.Wait(fmt.Sprintf("wait-%d", i), 1, "days").Mail(fmt.Sprintf("mail-%d", i))
	}
	bundle := f.Bundle()
	bundle.Workspace = &engine.Workspace{Zone: "Europe/Warsaw"}
	for b.Loop() {
		if problems := engine.Validate(bundle); len(problems) > 0 {
			b.Fatal(problems[0])
		}
	}
}

// BenchmarkAdvance measures the two shapes a worker meets most: a wait that ends in a mail, and a decision on a rule.
func BenchmarkAdvance(b *testing.B) {
	shapes := map[string]*engine.Plan{
		"wait and mail": enginetest.New().Wait("wait-1", 1, "days").Mail("mail-1").Wait("wait-2", 1, "days").Plan(b),
		"rule and goal": enginetest.New().Wait("wait-1", 1, "days").
			Then("if-1", "condition", c{"rule": c{"all": []c{{"tag": "tag:vip"}, {"field": "email", "op": "contains", "value": "example"}}}}).
			Mail("mail-1").Wait("wait-2", 1, "days").Goal("goal-1", "paid").Plan(b),
	}
	for name, plan := range shapes {
		b.Run(name, func(b *testing.B) {
			a := plan.Admit(event("manual_start", monday), engine.Input{Now: monday, Contact: anna})
			run := engine.Start(plan, "r", a, event("manual_start", monday), monday)
			out, err := engine.Advance(plan, run, engine.Input{Now: monday, Contact: anna})
			require.NoError(b, err)
			in := engine.Input{Now: out.Run.WakeAt, Contact: anna}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := engine.Advance(plan, out.Run, in); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
