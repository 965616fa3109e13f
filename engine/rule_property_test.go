package engine

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawRule writes a random rule that DecodeRule accepts.
func drawRule(t *rapid.T, depth int) map[string]any {
	kinds := []string{"text", "number", "date", "window", "event", "eventWindow", "eventMoment", "tag", "consent"}
	if depth < 3 {
		kinds = append(kinds, "all", "any", "not")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "all", "any":
		var parts []any
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			parts = append(parts, drawRule(t, depth+1))
		}
		return map[string]any{kind: parts}
	case "not":
		return map[string]any{"not": drawRule(t, depth+1)}
	case "text":
		op := rapid.SampledFrom([]Op{OpIs, OpIsNot, OpContains, OpNotContains, OpStartsWith, OpEndsWith}).Draw(t, "op")
		return map[string]any{"field": "city", "op": op, "value": rapid.SampledFrom([]string{"Kraków", "kra", "x"}).Draw(t, "text")}
	case "number":
		op := rapid.SampledFrom([]Op{OpIs, OpIsNot, OpGT, OpGTE, OpLT, OpLTE}).Draw(t, "op")
		return map[string]any{"field": "score", "op": op, "value": rapid.IntRange(0, 4).Draw(t, "number")}
	case "date":
		op := rapid.SampledFrom([]Op{OpBefore, OpAfter, OpIs, OpGTE, OpLTE}).Draw(t, "op")
		return map[string]any{"field": "seen", "op": op, "value": noon.AddDate(0, 0, rapid.IntRange(-5, 5).Draw(t, "day")).Format("2006-01-02")}
	case "window":
		op := rapid.SampledFrom([]Op{OpWithinLast, OpNotWithinLast, OpInNext}).Draw(t, "op")
		return map[string]any{"field": "seen", "op": op, "value": drawPeriod(t)}
	case "event":
		return map[string]any{"event": map[string]any{"name": "buy", "op": "gte", "value": rapid.IntRange(0, 3).Draw(t, "n")}}
	case "eventWindow":
		event := map[string]any{
			"name": "buy", "agg": rapid.SampledFrom([]Agg{Sum, Min, Max, Avg}).Draw(t, "agg"), "property": "total",
			"op": rapid.SampledFrom([]Op{OpGTE, OpLT, OpIs}).Draw(t, "op"), "value": rapid.IntRange(0, 4).Draw(t, "n"), "within": drawPeriod(t),
		}
		if rapid.Bool().Draw(t, "filtered") {
			event["where"] = map[string]any{"field": "until", "op": "in_next", "value": drawPeriod(t)}
		}
		return map[string]any{"event": event}
	case "eventMoment":
		return map[string]any{"event": map[string]any{
			"name": "buy", "agg": rapid.SampledFrom([]Agg{First, Last}).Draw(t, "agg"), "op": OpWithinLast, "value": drawPeriod(t), "within": drawPeriod(t),
		}}
	case "tag":
		return map[string]any{"tag": "tag:vip"}
	default:
		return map[string]any{"consent": map[string]any{"channel": "email", "state": "granted"}}
	}
}

func drawPeriod(t *rapid.T) map[string]any {
	return map[string]any{"amount": rapid.IntRange(1, 6).Draw(t, "amount"), "unit": rapid.SampledFrom([]Unit{Hours, Days}).Draw(t, "unit")}
}

func drawMoment(t *rapid.T) time.Time {
	return noon.Add(time.Duration(rapid.IntRange(-24*6, 24*6).Draw(t, "hours")) * time.Hour)
}

func drawContact(t *rapid.T) *Contact {
	contact := &Contact{Fields: map[string]any{}}
	if rapid.Bool().Draw(t, "hasCity") {
		contact.Fields["city"] = rapid.SampledFrom([]string{"KRAKÓW", "Łódź", ""}).Draw(t, "city")
	}
	if rapid.Bool().Draw(t, "hasScore") {
		contact.Fields["score"] = float64(rapid.IntRange(0, 4).Draw(t, "score"))
	}
	if rapid.Bool().Draw(t, "hasSeen") {
		contact.Fields["seen"] = drawMoment(t)
	}
	for range rapid.IntRange(0, 4).Draw(t, "events") {
		contact.Events = append(contact.Events, Event{Name: "buy", At: drawMoment(t), Props: map[string]any{
			"total": float64(rapid.IntRange(0, 3).Draw(t, "total")), "until": drawMoment(t).Format(time.RFC3339),
		}})
	}
	return contact
}

func TestTheNextChangeIsNeverLate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(drawRule(t, 0))
		require.NoError(t, err)
		rule, problems := DecodeRule(raw)
		require.Empty(t, problems, string(raw))
		compiled, err := rule.Compile()
		require.NoError(t, err)
		contact := drawContact(t)
		// Events come while time passes, but time alone is asked about: all of them are known from the beginning.
		now := noon
		verdict := compiled.Eval(RuleInput{Now: now, Contact: contact})
		for step := 1; step <= 24*14; step++ {
			at := noon.Add(time.Duration(step) * time.Hour / 2)
			truth := compiled.True(RuleInput{Now: at, Contact: contact})
			if !verdict.NextChange.IsZero() && !at.Before(verdict.NextChange) {
				require.True(t, verdict.NextChange.After(now), "the next change is to come")
				now = at
				verdict = compiled.Eval(RuleInput{Now: now, Contact: contact})
				continue
			}
			require.Equal(t, verdict.True, truth, "%s changed at %s, announced for %s", raw, at, verdict.NextChange)
		}
	})
}

func TestTheProgramMeansTheTree(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw, err := json.Marshal(drawRule(t, 0))
		require.NoError(t, err)
		rule, problems := DecodeRule(raw)
		require.Empty(t, problems)
		compiled, err := rule.Compile()
		require.NoError(t, err)
		verdict := compiled.Eval(RuleInput{Now: noon, Contact: drawContact(t)})
		next := 0
		require.Equal(t, truthOf(rule, func() bool { next++; return verdict.Explain[next-1].True }), verdict.True, string(raw))
		require.Len(t, verdict.Explain, next)

		written, err := json.Marshal(rule)
		require.NoError(t, err)
		again, problems := DecodeRule(written)
		require.Empty(t, problems, string(written))
		require.Equal(t, rule, again)
	})
}

// truthOf folds the tree over the truths of its leaves, the plain way.
func truthOf(rule *Rule, leaf func() bool) bool {
	fold := func(parts []Rule, start bool) bool {
		result := start
		for i := range parts {
			truth := truthOf(&parts[i], leaf)
			if start {
				result = result && truth
			} else {
				result = result || truth
			}
		}
		return result
	}
	switch {
	case rule.All != nil:
		return fold(rule.All, true)
	case rule.Any != nil:
		return fold(rule.Any, false)
	case rule.Not != nil:
		return !truthOf(rule.Not, leaf)
	default:
		return leaf()
	}
}

func TestFoldMakesCasesEqual(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"KRAKÓW", "kraków"}, {"Σίσυφος", "σίσυφοσ"}, {"K", "k"}, {"Ёж", "ёЖ"}, {"plain", "plain"}} {
		require.Equal(t, Fold(pair[0]), Fold(pair[1]))
	}
	require.Equal(t, "kraków", Fold("KRAKÓW"))
	require.NotEqual(t, Fold("a"), Fold("ą"))
}

func FuzzDecodeRule(f *testing.F) {
	for _, seed := range []string{
		`{"all":[{"tag":"tag:x"}]}`, `{"field":"a","op":"between","value":[1,2]}`, `{"event":{"name":"x","agg":"last","op":"within_last","value":{"amount":1,"unit":"days"}}}`,
		`{"field":"a","op":"in","value":["2026-12-24","b"]}`, `{"not":{"not":{"field":"a","op":"is","value":true}}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		rule, problems := DecodeRule(raw)
		if (rule == nil) == (len(problems) == 0) {
			t.Fatalf("neither a rule nor a problem: %q", raw)
		}
		if rule == nil {
			return
		}
		rule.Check(RuleScope{Workspace: &Workspace{}})
		compiled, err := rule.Compile()
		if err != nil {
			t.Fatalf("%q does not compile: %v", raw, err)
		}
		compiled.Eval(RuleInput{Now: noon, Contact: anna()})
		compiled.Eval(RuleInput{Now: noon})
	})
}

func BenchmarkRule(b *testing.B) {
	compiled := mustRule(b, `{"all":[{"field":"city","op":"is","value":"Kraków"},{"event":{"name":"purchase","op":"gte","value":2,"within":{"amount":90,"unit":"days"}}},
		{"not":{"event":{"name":"purchase","agg":"last","op":"within_last","value":{"amount":7,"unit":"days"}}}}]}`)
	in := RuleInput{Now: noon, Contact: anna()}
	b.Run("eval", func(b *testing.B) {
		for b.Loop() {
			compiled.Eval(in)
		}
	})
	b.Run("true", func(b *testing.B) {
		for b.Loop() {
			compiled.True(in)
		}
	})
	b.Run("compile", func(b *testing.B) {
		rule, _ := DecodeRule([]byte(`{"all":[{"field":"city","op":"is","value":"Kraków"},{"tag":"tag:vip"}]}`))
		for b.Loop() {
			if _, err := rule.Compile(); err != nil {
				b.Fatal(fmt.Errorf("compile: %w", err))
			}
		}
	})
}
