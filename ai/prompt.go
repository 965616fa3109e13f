package ai

import (
	_ "embed" // prompts are files
	"encoding/json"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed prompts/graph.txt
var graphPrompt string

//go:embed prompts/copy.txt
var copyPrompt string

//go:embed prompts/copy.schema.json
var copySchema json.RawMessage

// graphCall asks for a plan. What stays the same comes first, so that providers can cache it.
func (d *Drafter) graphCall(req Request, set Setting, s Slots, near []*playbook) call {
	return call{
		name: "flowspec", schema: d.kinds.Schema(), maxTokens: 2500,
		system: strings.NewReplacer("{{steps}}", d.kinds.describe(), "{{triggers}}", strings.Join(triggerNames(d.kinds), ", "), "{{lang}}", set.Language).Replace(graphPrompt),
		user: section("workspace", workspaceNames(req.Workspace, req.Prompt)) + section("extracted", s) + section("nearest", playbookHints(near)) +
			section("request", req.Prompt),
	}
}

// section writes data between tags as JSON, in which no tag can be closed.
func section(name string, v any) string {
	b, err := json.Marshal(v)
	if err != nil || string(b) == "null" {
		return ""
	}
	return "<" + name + ">" + string(b) + "</" + name + ">\n"
}

// playbookHints show how the nearest playbooks do it.
func playbookHints(near []*playbook) any {
	out := make([]any, 0, 2)
	for _, p := range near[:min(len(near), 2)] {
		out = append(out, fields{"name": p.ID, "start": p.Starts[len(p.Starts)-1].Ref, "reentry": p.Reentry, "goal": p.Goal, "messages": p.Touches})
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

func triggerNames(k Kinds) []string {
	out := make([]string, 0, len(k.triggers))
	for _, t := range k.triggers {
		out = append(out, t.Kind)
	}
	return out
}

// describe lists the steps that can be drawn, for providers that do not enforce the schema.
func (k Kinds) describe() string {
	var out strings.Builder
	for _, s := range k.steps() {
		out.WriteString("- " + skeleton(s) + "\n")
	}
	return strings.TrimSpace(out.String())
}

// skeleton writes a step's schema as an example of its form: names in order, choices with bars.
func skeleton(s shape) string {
	var o struct {
		Required   []string `json:"required"`
		Properties map[string]struct {
			Type any      `json:"type"`
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(s, &o); err != nil {
		return ""
	}
	parts := make([]string, 0, len(o.Required))
	for _, name := range o.Required {
		p := o.Properties[name]
		value := "text"
		switch t := p.Type.(type) {
		case string:
			value = map[string]string{"string": "text", "integer": "whole number", "array": "list", "boolean": "true or false", "number": "number", "object": "object"}[t]
		case []any:
			value = "value or null"
		}
		if len(p.Enum) > 0 {
			value = strings.Join(p.Enum, "|")
		}
		parts = append(parts, name+": "+value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// repairCall sends a plan back with what is wrong with it, as JSON lines with the steps named as in the plan.
func repairCall(c call, reply string, problems []string, unmet []Unmet) call {
	var out strings.Builder
	out.WriteString(c.user)
	out.WriteString(section("your_plan", short2(reply, 12_000)))
	out.WriteString("<errors>\n" + strings.Join(problems, "\n") + "\n</errors>\n")
	for _, u := range unmet {
		out.WriteString(section("unmet", u))
	}
	out.WriteString("Return the whole corrected plan in the same form. Change only what these lines ask for.")
	c.user = out.String()
	return c
}

func short2(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "")
}

// problemLines writes problems for a model: code, step of the plan, what to do.
func problemLines(problems []engine.Problem, steps map[string]string) []string {
	var out []string
	for _, p := range problems {
		at := p.Node
		if id, ok := steps[p.Node]; ok {
			at = id
		}
		line, err := json.Marshal(struct {
			Code  string `json:"code"`
			At    string `json:"at,omitempty"`
			Field string `json:"field,omitempty"`
			Msg   string `json:"msg"`
		}{p.Code, at, p.Field, p.Message})
		if err == nil {
			out = append(out, string(line))
		}
	}
	return out
}
