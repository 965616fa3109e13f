package ai

import (
	"context"
	_ "embed" // prompts are files
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed prompts/edit.txt
var editPrompt string

// Edit proposes a change of a funnel. Like Draft it always answers.
func (d *Drafter) Edit(ctx context.Context, req EditRequest) Result {
	if len(d.endpoints) == 0 {
		return EditOffline(req, d.kinds)
	}
	if r, refused := screen(req.Request); refused {
		return r
	}
	ctx, cancel := context.WithTimeout(ctx, totalTime)
	defer cancel()
	r := read(req.Prompt, req.Language)
	a := &attempt{d: d, req: req.Request, set: Setting{Kinds: d.kinds, Workspace: req.Workspace, Language: editTongue(req.Request)}}
	a.say = sayIn(a.set.Language)
	if r.refusal() != "" {
		return EditOffline(req, d.kinds)
	}
	if own := EditOffline(req, d.kinds); own.Change != nil && own.Change.Undo {
		return own // "undo that" is about the editor, not about the funnel
	}
	res := a.through(ctx, func(ctx context.Context, e *endpoint) (Result, *failure) { return a.askEdit(ctx, e, req) },
		func() Result { return EditOffline(req, d.kinds) })
	res.Calls = a.calls
	return res
}

// editSystem are the rules of operations.
func (d *Drafter) editSystem(set Setting) string {
	return strings.NewReplacer("{{steps}}", d.kinds.describe(), "{{triggers}}", strings.Join(triggerNames(d.kinds), ", "), "{{lang}}", set.Language).Replace(editPrompt)
}

// askEdit gets an edit from one endpoint and sends it back at most twice with what is wrong.
func (a *attempt) askEdit(ctx context.Context, e *endpoint, req EditRequest) (Result, *failure) {
	base := call{
		name: "editspec", schema: a.d.kinds.EditSchema(), maxTokens: 2000,
		system: a.d.editSystem(a.set),
		user:   section("workspace", workspaceNames(req.Workspace, req.Prompt)) + section("funnel", encodeSpec(Decompile(req.Base))) + section("request", withIDs(req.Prompt, req.Base)),
	}
	question := base
	trouble := ""
	for round := 0; round <= maxRepairs; round++ {
		a.calls++
		reply, err := e.complete(ctx, question)
		if err != nil {
			return Result{}, failureOf(ctx, err)
		}
		edit, err := DecodeEdit([]byte(reply))
		var problems []engine.Problem
		switch {
		case err != nil:
			problems = []engine.Problem{{Code: "FORM", Message: err.Error()}}
		case edit.Status != StatusOps:
			return a.editAnswer(req, edit, e), nil
		default:
			done := Apply(req.Base, edit.Ops, a.set, nil)
			problems = slices.Concat(done.Problems, NewErrors(req.Base, done.Bundle, req.Workspace), a.inventedIn(edit))
			if len(problems) == 0 {
				return a.editAnswer(req, edit, e), nil
			}
		}
		now := problems[0].Code + " " + problems[0].Message
		if now == trouble { // it does not know better
			break
		}
		trouble = now
		question = repairCall(base, reply, problemLines(problems, nil), nil)
	}
	return Result{}, &failure{why: whyJSON, detail: tidyText(trouble, 160)}
}

// inventedIn finds figures, codes and addresses in an edit's words that the request does not hold.
func (a *attempt) inventedIn(edit Edit) []engine.Problem {
	for _, op := range edit.Ops {
		words := op.Subject + "\n" + op.Body + "\n" + op.Text
		if op.Do != opMessage && op.Do != opReplace {
			continue
		}
		if markup.MatchString(words) || addresses.MatchString(words) || invented(words, a.req.Prompt) {
			return []engine.Problem{{Code: "FACTS", Node: op.At, Message: "names a figure, a code or an address that the request does not hold; leave it out"}}
		}
	}
	return nil
}

func (a *attempt) editAnswer(req EditRequest, edit Edit, e *endpoint) Result {
	called := labelsOf(req.Base, a.set.Language)
	if edit.Status == StatusRefuse {
		edit.Reason = called.inWords(tidyText(edit.Reason, 600))
		if edit.Reason == "" {
			edit.Reason = a.say.line("model_refused")
		}
	}
	var asked []Question
	for _, q := range edit.Questions[:min(len(edit.Questions), 3)] {
		asked = append(asked, Question{Text: called.inWords(tidyText(q.Text, 300)), Options: mapped(q.Options[:min(len(q.Options), 6)], called.option)})
	}
	edit.Questions = asked
	if edit.Status == StatusClarify && len(asked) == 0 {
		edit.Questions = []Question{{Text: a.say.line("edit_not_understood", short(req.Prompt, 120)), Options: a.say.options("edit_what_options")}}
	}
	return FinishEdit(req, edit, a.set, e.provider.Model)
}

// through asks the endpoints in turn, and in the end does it without them.
func (a *attempt) through(ctx context.Context, ask func(context.Context, *endpoint) (Result, *failure), without func() Result) Result {
	t := inTurn(ctx, a.d.endpoints, primaryTime, ask)
	if t.no != nil {
		return a.declined(t.by, t.no)
	}
	res := t.got
	if t.by == nil {
		res = without()
	}
	if t.first != nil {
		res.Assumptions = slices.Insert(res.Assumptions, 0, a.failed(t.first, t.by))
	}
	return res
}

// failed says that the first model failed, and who did it in its place; nil is the built-in planner.
func (a *attempt) failed(f *failure, by *endpoint) string {
	first := a.d.endpoints[0].provider.Model
	switch {
	case by != nil:
		return a.say.line("reserve_used", first, a.reason(f), by.provider.Model)
	case f.why == whyJSON:
		return a.say.line(a.lost+"model_unrepaired", first, a.reason(f))
	}
	return a.say.line(a.lost+"provider_failed", first, a.reason(f))
}
