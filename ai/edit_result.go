package ai

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

// EditRequest is a wish for a change of a funnel.
type EditRequest struct {
	Request
	Base engine.Bundle // the funnel as it stands
	Name string        // its name
}

// Fingerprint names a document: two with the same steps, links and messages have the same one, however their JSON is written.
func Fingerprint(b engine.Bundle) string {
	var plain any
	if err := json.Unmarshal(quote([]any{b.Graph, b.Creatives}), &plain); err != nil {
		panic(err) // it was written just now
	}
	sum := sha256.Sum256(quote(plain))
	return hex.EncodeToString(sum[:8])
}

// EditOffline changes a funnel by the built-in grammar: no model, no network.
func EditOffline(req EditRequest, kinds Kinds) Result {
	if r, refused := screen(req.Request); refused {
		return r
	}
	r := read(req.Prompt, req.Language)
	set := Setting{Kinds: kinds, Workspace: req.Workspace, Language: editTongue(req.Request)}
	if code := r.refusal(); code != "" {
		no := refuse(code, sayIn(set.Language).line("refuse_"+code))
		no.Language = set.Language
		return no
	}
	return FinishEdit(req, planEdit(req, set), set, Offline)
}

// FinishEdit carries an edit out and judges it: all of it, or nothing. Only problems that were not there before count against it.
func FinishEdit(req EditRequest, edit Edit, set Setting, engineName string) Result {
	say := sayIn(set.Language)
	res := Result{Outcome: StatusGraph, Engine: engineName, Language: set.Language, Assumptions: slices.Clone(edit.Notes)}
	defer res.tidy()
	switch edit.Status {
	case StatusRefuse:
		res.Outcome, res.Reason, res.Message = StatusRefuse, edit.Reason, edit.Reason
		return tidied(res)
	case StatusClarify:
		res.Outcome = StatusClarify
		res.ask(edit.Questions)
		return tidied(res)
	case StatusOps, StatusGraph, StatusUnchanged:
	}
	change := &Change{Ops: edit.Ops, Base: Fingerprint(req.Base), Undo: edit.Undo, Groups: []Group{}, Summary: []string{}}
	if change.Ops == nil {
		change.Ops = []Op{}
	}
	res.Change = change
	done := Apply(req.Base, edit.Ops, set, nil)
	res.Assumptions = append(res.Assumptions, done.Notes...)
	if fresh := slices.Concat(done.Problems, NewErrors(req.Base, done.Bundle, set.Workspace)); len(fresh) > 0 {
		res.Outcome, res.Change = StatusClarify, nil
		res.Problems = fresh
		res.ask([]Question{{Text: say.line("edit_impossible", trouble(fresh[0], done.Bundle, say)), Options: say.options("edit_impossible_options")}})
		return tidied(res)
	}
	if done.Name != "" && done.Name != req.Name {
		change.Name = done.Name
	}
	diff := engine.Diff(req.Base, done.Bundle)
	if len(diff) == 0 && sameLinks(req.Base, done.Bundle) && change.Name == "" {
		res.Outcome = StatusUnchanged
		res.Explanation = say.line("edit_unchanged")
		if edit.Undo {
			res.Explanation = say.line("edit_undo")
		}
		return tidied(res)
	}
	change.Summary = Summary(diff, change.Name, req.Base, done.Bundle, set.Language)
	change.Groups = groups(req.Base, edit.Ops, done, diff, change.Name, set)
	res.Explanation = strings.Join(change.Summary, "\n")
	b := done.Bundle
	b.Workspace = set.Workspace
	res.Problems = engine.Validate(b)
	res.Graph, res.Creatives = &b.Graph, b.Creatives
	return tidied(res)
}

func tidied(r Result) Result {
	r.tidy()
	return r
}

func sameLinks(a, b engine.Bundle) bool {
	return reflect.DeepEqual(sortedEdges(a.Graph), sortedEdges(b.Graph)) && len(a.Creatives) == len(b.Creatives)
}

func sortedEdges(g engine.Graph) []string {
	out := make([]string, 0, len(g.Edges))
	for _, e := range g.Edges {
		out = append(out, e.From+"."+e.Port+">"+e.To)
	}
	slices.Sort(out)
	return out
}

// NewErrors are the errors of a document that an earlier one did not have.
func NewErrors(before, after engine.Bundle, ws *engine.Workspace) []engine.Problem {
	before.Workspace, after.Workspace = ws, ws
	known := map[string]bool{}
	for _, p := range Errors(engine.Validate(before)) {
		known[p.Code+" "+p.Node+" "+p.Field+" "+p.Port] = true
	}
	var out []engine.Problem
	for _, p := range Errors(engine.Validate(after)) {
		if p.Code == "REF_MISSING" { // the person makes it, or picks another one
			continue
		}
		if !known[p.Code+" "+p.Node+" "+p.Field+" "+p.Port] {
			out = append(out, p)
		}
	}
	return out
}

// Select is a proposal with some of its groups only: what the others would do is left as it was. The error says what is wrong with
// that choice.
func Select(base engine.Bundle, ops []Op, accepted []int, set Setting) (Edited, []engine.Problem) {
	all := Apply(base, ops, set, nil)
	chosen := map[int]bool{}
	for _, g := range groups(base, ops, all, nil, all.Name, set) {
		if slices.Contains(accepted, g.ID) {
			for _, op := range g.Ops {
				chosen[op] = true
			}
		}
	}
	done := Apply(base, ops, set, func(op int) bool { return chosen[op] })
	return done, slices.Concat(done.Problems, NewErrors(base, done.Bundle, set.Workspace))
}

// groups sorts operations that touch the same thing together.
func groups(base engine.Bundle, ops []Op, done Edited, diff []engine.Change, name string, set Setting) []Group {
	root := make([]int, len(ops))
	for i := range root {
		root[i] = i
	}
	var find func(int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	owner := map[string]int{}
	for i, keys := range done.touched {
		for _, key := range keys {
			if other, ok := owner[key]; ok {
				root[max(find(i), find(other))] = min(find(i), find(other))
			} else {
				owner[key] = i
			}
		}
		if ops[i].Do == opSetting && strings.HasPrefix(ops[i].At, "trigger") {
			for j := range i {
				if ops[j].Do == opSetting && strings.HasPrefix(ops[j].At, "trigger") {
					root[find(i)] = find(j)
				}
			}
		}
	}
	at := map[int]int{}
	out := []Group{}
	for i := range ops {
		r := find(i)
		n, ok := at[r]
		if !ok {
			n = len(out)
			at[r] = n
			out = append(out, Group{ID: n, Steps: []string{}, Summary: []string{}})
		}
		out[n].Ops = append(out[n].Ops, i)
		for _, key := range done.touched[i] {
			if id, isNode := strings.CutPrefix(key, "node:"); isNode && !slices.Contains(out[n].Steps, id) {
				out[n].Steps = append(out[n].Steps, id)
			}
		}
	}
	for i := range out {
		mine := diff[:0:0]
		for _, c := range diff {
			if slices.Contains(out[i].Steps, c.Node) {
				mine = append(mine, c)
			}
		}
		named := ""
		if slices.ContainsFunc(out[i].Ops, func(op int) bool { return ops[op].Do == opSetting && ops[op].At == "name" }) {
			named = name
		}
		out[i].Summary = Summary(mine, named, base, done.Bundle, set.Language)
	}
	return out
}
