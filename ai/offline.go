package ai

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lejek/lejek/engine"
)

// Request is a wish for a funnel.
type Request struct {
	Prompt    string
	Language  string // of the answer and the texts: en, pl, ru; "" is the prompt's own
	Workspace *engine.Workspace
}

// DraftOffline answers a request with the built-in planner: no model, no network. It answers every request; a graph has no
// errors by engine.Validate.
func DraftOffline(req Request, kinds Kinds) Result {
	if r, refused := screen(req); refused {
		return r
	}
	r := read(req.Prompt, req.Language)
	set := Setting{Kinds: kinds, Workspace: req.Workspace, Language: answerLanguage(req, r)}
	spec := plan(r, set)
	res := finish(spec, set, Offline, r.asides || strings.Contains(req.Prompt, "<!--"))
	res.Coverage = r.report()
	return res
}

// answerLanguage is the language of texts and notes: the one asked for, else the prompt's.
func answerLanguage(req Request, r *reading) string {
	for _, l := range languages {
		if req.Language == l {
			return l
		}
	}
	if r.lang == "other" {
		return "en"
	}
	return r.lang
}

// screen refuses what is no request: nothing, too much, or broken text.
func screen(req Request) (res Result, refused bool) {
	say := sayIn(req.Language)
	defer func() { res.Language = say.Language }()
	prompt := strings.TrimSpace(req.Prompt)
	switch {
	case prompt == "" || !utf8.ValidString(prompt) && len(strings.ToValidUTF8(prompt, "")) < len(prompt)/2:
		return refuse("empty", say.line("refuse_empty")), true
	case len(prompt) > maxPrompt || utf8.RuneCountInString(prompt) > maxLetters:
		return refuse("too_long", say.line("refuse_too_long", strconv.Itoa(maxLetters))), true
	}
	return Result{}, false
}

func refuse(code, message string) Result {
	r := Result{Outcome: StatusRefuse, Engine: Offline, Reason: code, Message: message}
	r.tidy()
	return r
}

// finish turns a Spec into a Result with the built-in texts.
func finish(spec Spec, set Setting, engineName string, aside bool) Result {
	say := sayIn(set.Language)
	res := Result{Outcome: spec.Status, Engine: engineName, Language: set.Language}
	switch spec.Status {
	case StatusRefuse:
		res.Reason = spec.Reason
		res.Message = spec.Reason
		if engineName == Offline {
			res.Message = say.line("refuse_" + spec.Reason)
		}
	case StatusClarify:
		res.Assumptions = spec.Assumptions
		res.ask(spec.Questions)
	case StatusGraph:
		d := Compile(spec, set)
		w := newWriter(d, spec, set)
		buttons := w.write(&d, spec)
		res.Assumptions = append(res.Assumptions, d.Notes...)
		if aside {
			res.Assumptions = append(res.Assumptions, say.line("aside_ignored"))
		}
		res.Assumptions = append(res.Assumptions, spec.Assumptions...)
		for _, p := range buttons {
			res.Assumptions = append(res.Assumptions, say.line("button_url", p))
		}
		res.deliver(d.Bundle, set)
	}
	res.tidy()
	return res
}

// deliver puts a bundle into the result, judged and explained.
func (r *Result) deliver(b engine.Bundle, set Setting) {
	b.Workspace = set.Workspace
	r.Problems = engine.Validate(b)
	r.Graph, r.Creatives = &b.Graph, b.Creatives
	r.Explanation = Explain(b, set.Language)
}

// Errors are the problems that stop publishing.
func Errors(problems []engine.Problem) []engine.Problem {
	var out []engine.Problem
	for _, p := range problems {
		if p.Severity == engine.Error {
			out = append(out, p)
		}
	}
	return out
}
