package ai

import (
	"context"
	"encoding/json"
	"strings"
)

// Profile is what a test of an endpoint found.
type Profile struct {
	Reached  bool   `json:"reached"`
	Mode     string `json:"mode"`     // how much it keeps to: strict, schema, json_object, text
	Enforced bool   `json:"enforced"` // its answer obeyed a schema no model would guess
	Streams  bool   `json:"streams"`
	Usage    bool   `json:"usage"`     // it says how many tokens an answer took
	MaxField string `json:"max_field"` // max_tokens or max_completion_tokens
	Why      string `json:"why,omitempty"`
	Says     string `json:"says,omitempty"` // why, for people
}

// probeSchema has one legal answer, and nobody would give it unasked.
var probeSchema = json.RawMessage(`{"type":"object","properties":{"answer":{"anyOf":[{"type":"object","properties":{"zq":{"type":"string","enum":["zq7"]}},"required":["zq"],"additionalProperties":false}]}},"required":["answer"],"additionalProperties":false}`)

// Probe asks an endpoint a question or two to learn what it can do. It always answers; Reached tells whether the endpoint did.
func Probe(ctx context.Context, doer Doer, p Provider, lang string) Profile {
	e := newEndpoint(p, doer)
	ask := call{name: "probe", schema: probeSchema, system: "Task: probe. Answer with a JSON object.", user: "Say hello as JSON.", maxTokens: 60}
	found := Profile{}
	watch := &probing{}
	text, err := e.complete(Watched(ctx, watch), ask)
	found.MaxField = map[bool]string{true: "max_completion_tokens", false: "max_tokens"}[e.modern.Load()]
	found.Mode = mode(e.mode.Load()).String()
	if err != nil {
		f := failureOf(ctx, err)
		if f.why != whyLength && f.why != whyEmpty && f.why != whyRefusal {
			found.Why, found.Says = string(f.why), sayIn(lang).line("why_"+string(f.why))
			return found
		}
	}
	found.Reached = true
	found.Enforced = strings.Contains(text, `"zq7"`)
	if !found.Enforced && e.mode.Load() == int32(strictSchema) {
		e.mode.Store(int32(looseSchema)) // accepted, not kept to: the plan is read as if it had not been
		found.Mode = looseSchema.String()
	}
	found.Usage = watch.last.TokensOut > 0 && !watch.last.Estimated
	ask.take = func(string) {}
	if _, err := e.complete(Watched(ctx, watch), ask); err == nil {
		found.Streams = watch.last.Streamed
	}
	return found
}

type probing struct{ last Call }

func (p *probing) Begin() Span       { return p }
func (p *probing) Progress(Progress) {}
func (p *probing) First()            {}
func (p *probing) End(c Call)        { p.last = c }
