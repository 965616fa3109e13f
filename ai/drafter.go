package ai

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

// Time a request may take: all of it, and of it the first model's part when there is a reserve.
const (
	totalTime   = 45 * time.Second
	primaryTime = 25 * time.Second
	maxRepairs  = 2
)

// Drafter turns requests into proposals with a model, a reserve and the built-in planner, in this order. It is safe for
// concurrent use and keeps what it learns about its endpoints.
type Drafter struct {
	kinds     Kinds
	endpoints []*endpoint
}

// NewDrafter makes a drafter. Without a provider every answer is the built-in planner's. The doer decides which addresses may
// be reached; it should follow no redirects to other hosts.
func NewDrafter(kinds Kinds, doer Doer, providers ...Provider) *Drafter {
	d := &Drafter{kinds: kinds}
	for _, p := range providers {
		if p.BaseURL != "" && p.Model != "" {
			d.endpoints = append(d.endpoints, newEndpoint(p, doer))
		}
	}
	return d
}

// Draft answers a request. It always answers: a failure of the models is said in the result, which then is the planner's.
func (d *Drafter) Draft(ctx context.Context, req Request) Result {
	if len(d.endpoints) == 0 {
		return DraftOffline(req, d.kinds)
	}
	if r, refused := screen(req); refused {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()
	r := read(req.Prompt, req.Language)
	a := &attempt{d: d, req: req, slots: r.slots(), near: r.nearest(), set: Setting{Kinds: d.kinds, Workspace: req.Workspace, Language: answerLanguage(req, r)}}
	a.say = sayIn(a.set.Language)
	// What code can decide is not left to a model: policy, and wishes that contradict each other.
	if r.refusal() != "" || contradiction(a.slots) != "" {
		return DraftOffline(req, d.kinds)
	}
	res := a.run(ctx)
	res.Calls = a.calls
	return res
}

// attempt is one request on its way.
type attempt struct {
	d     *Drafter
	req   Request
	set   Setting
	say   phrases
	slots Slots
	near  []*playbook
	calls int
	lost  string // what the sentences begin with that say that no model did it: "" for a funnel
}

func (a *attempt) run(ctx context.Context) Result {
	return a.through(ctx, a.ask, func() Result { return DraftOffline(a.req, a.d.kinds) })
}

func (a *attempt) reason(f *failure) string {
	if f.detail != "" && f.why == whyJSON {
		return f.detail
	}
	return a.say.line("why_" + string(f.why))
}

// declined shows a model's refusal. Nobody else is asked.
func (a *attempt) declined(e *endpoint, f *failure) Result {
	res := Result{Outcome: StatusRefuse, Engine: e.provider.Model, Language: a.set.Language, Reason: tidyText(f.detail, 600)}
	res.Message = strings.TrimSpace(a.say.line("model_refused") + " " + res.Reason)
	if f.why == whyFilter {
		res.Reason = a.say.line("why_filter")
		res.Message = a.say.line("model_refused") + " " + res.Reason
	}
	res.tidy()
	return res
}

// candidate is a plan that was compiled and judged.
type candidate struct {
	spec    Spec
	draft   Draft
	errors  []engine.Problem
	missing []engine.Problem // names the workspace does not have
	unmet   []Unmet
}

func (c *candidate) good() bool { return len(c.errors) == 0 }

// better tells whether c should be taken over the one before.
func (c *candidate) better(than *candidate) bool {
	if than == nil || c.good() != than.good() {
		return than == nil || c.good()
	}
	return len(c.errors)+len(c.missing)+len(c.unmet) < len(than.errors)+len(than.missing)+len(than.unmet)
}

// ask gets a plan from one endpoint, sends it back at most twice with what is wrong, and returns the best one without errors.
func (a *attempt) ask(ctx context.Context, e *endpoint) (Result, *failure) {
	base := a.d.graphCall(a.req, a.set, a.slots, a.near)
	question := base
	var best, last *candidate // last is what a repair is of
	var trouble string
	for round := 0; round <= maxRepairs; round++ {
		a.calls++
		tell(ctx, Progress{Kind: "stage", Stage: map[bool]string{true: "asking", false: "repairing"}[round == 0], Engine: e.provider.Model})
		reply, err := a.listen(ctx, e, question, round == 0)
		if err != nil {
			f := failureOf(ctx, err)
			if best != nil && best.good() {
				break // a plan without errors stands, whatever happens to a wish for a better one
			}
			return Result{}, f
		}
		var spec Spec
		if last == nil {
			spec, err = DecodeSpec([]byte(reply))
		} else {
			spec, err = mended(last.spec, reply)
		}
		if err != nil {
			trouble = err.Error()
			lines := problemLines([]engine.Problem{{Code: "FORM", Message: trouble}}, nil)
			if last == nil {
				question = repairCall(base, reply, lines, nil)
			} else {
				question = a.repairEdit(last.spec, append(lines, last.lines()...), last.unmet)
			}
			continue
		}
		if spec.Status != StatusGraph {
			if best != nil && best.good() {
				break
			}
			return a.noGraph(spec, e), nil
		}
		c := a.judge(spec)
		if c.better(best) {
			best = c
		}
		if best.good() && len(best.unmet) == 0 && (len(best.missing) == 0 || round > 0) {
			break
		}
		if len(c.errors) > 0 {
			trouble = c.errors[0].Code
		}
		if last != nil && c.sameTrouble() == last.sameTrouble() {
			break // it does not know better
		}
		last = c
		question = a.repairEdit(c.spec, c.lines(), c.unmet)
	}
	if best == nil || !best.good() {
		return Result{}, &failure{why: whyJSON, detail: tidyText(trouble, 160)}
	}
	return a.deliver(ctx, e, best), nil
}

// lines are what is wrong, for a model, in the plan's ids.
func (c *candidate) lines() []string {
	return problemLines(slices.Concat(c.errors, c.missing), c.draft.Steps)
}

// listen asks and, when somebody watches, draws the plan while it comes.
func (a *attempt) listen(ctx context.Context, e *endpoint, question call, first bool) (string, error) {
	if !first || watcherOf(ctx) == nil {
		return e.complete(ctx, question)
	}
	g := grow(func(s Spec, newest Step) {
		drawn := Compile(s, a.set).Bundle.Graph
		tell(ctx, Progress{Kind: "steps", Text: a.named(newest), Graph: &drawn})
	}, func(plan string) { tell(ctx, Progress{Kind: "plan", Text: tidyText(plan, 300)}) })
	defer g.end()
	question.take = g.take
	reply, err := e.complete(ctx, question)
	if err != nil {
		tell(ctx, Progress{Kind: "reset", Text: a.reason(failureOf(ctx, err)), Engine: e.provider.Model})
	}
	return reply, err
}

// named says what a step is while it comes.
func (a *attempt) named(s Step) string {
	switch s.Do {
	case doWait:
		return a.say.line("x_wait", a.say.hours(float64(s.N)*hoursPer[s.Unit]))
	case doIf:
		return a.say.kind("condition")
	}
	return a.say.kind(cmp.Or(nodeOf[s.Do], s.Do))
}

// judge compiles a plan and finds all that is wrong with it: the plan's own faults, and the validator's.
func (a *attempt) judge(spec Spec) *candidate {
	if n := len(spec.Messages); n > 0 && len(a.slots.Offers) > 0 {
		spec.Messages[n-1].Offer = a.slots.Offers[0] // for a template: models write their own
	}
	c := &candidate{spec: spec, draft: Compile(spec, a.set)}
	newWriter(c.draft, spec, a.set).write(&c.draft, spec)
	b := c.draft.Bundle
	b.Workspace = a.set.Workspace
	c.errors = slices.Clone(c.draft.Problems)
	for _, p := range Errors(engine.Validate(b)) {
		if p.Code == "REF_MISSING" { // the person may make it; a model is asked once more for a name that exists
			c.missing = append(c.missing, p)
			continue
		}
		c.errors = append(c.errors, p)
	}
	if len(spec.Blocks) == 0 || len(b.Graph.Nodes) < 2 {
		c.errors = append(c.errors, engine.Problem{Code: "EMPTY", Severity: engine.Error, Message: "the plan has no steps; status graph needs at least one block with steps"})
	}
	c.unmet = a.slots.Check(b)
	return c
}

// noGraph is a question or a refusal of the model.
func (a *attempt) noGraph(spec Spec, e *endpoint) Result {
	res := Result{Outcome: spec.Status, Engine: e.provider.Model, Language: a.set.Language}
	if spec.Status == StatusRefuse {
		res.Reason = tidyText(spec.Reason, 600)
		if res.Reason == "" {
			res.Reason = a.say.line("model_refused")
		}
		res.Message = res.Reason
	} else {
		for _, q := range spec.Questions[:min(len(spec.Questions), 3)] {
			res.ask([]Question{{Text: tidyText(q.Text, 300), Options: q.Options[:min(len(q.Options), 4)]}})
		}
		if len(res.Questions) == 0 {
			res.ask([]Question{{Text: a.say.line("ask_content"), Options: a.say.options("ask_content_options")}})
		}
	}
	res.tidy()
	return res
}

// deliver writes the texts and makes the result.
func (a *attempt) deliver(ctx context.Context, e *endpoint, c *candidate) Result {
	res := Result{Outcome: StatusGraph, Engine: e.provider.Model, Language: a.set.Language}
	tell(ctx, Progress{Kind: "stage", Stage: "writing"})
	templates := a.write(ctx, e, c)
	res.Assumptions = append(res.Assumptions, c.draft.Notes...)
	for _, u := range c.unmet {
		res.Assumptions = append(res.Assumptions, u.in(a.say))
	}
	if len(templates) > 0 {
		res.Assumptions = append(res.Assumptions, a.say.line("copy_template", strings.Join(templates, ", ")))
	}
	for _, s := range c.spec.Assumptions[:min(len(c.spec.Assumptions), 12)] {
		if s = tidyText(s, 300); s != "" {
			res.Assumptions = append(res.Assumptions, s)
		}
	}
	res.deliver(c.draft.Bundle, a.set)
	res.tidy()
	return res
}

// tidyText takes control characters out of a model's words and cuts them.
func tidyText(s string, n int) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || r < ' ' || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return ' '
		}
		return r
	}, s)
	return short(s, n)
}
