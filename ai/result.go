package ai

import (
	"github.com/lejek/lejek/engine"
)

// Offline is the engine of a result that no model drew.
const Offline = "offline"

// Result is the answer to a prompt: a proposal, a question or a refusal. It changes nothing by itself.
type Result struct {
	Outcome     Status                     `json:"outcome"`
	Engine      string                     `json:"engine"` // the model that drew it, or "offline"
	Language    string                     `json:"language"`
	Graph       *engine.Graph              `json:"graph,omitempty"`
	Creatives   map[string]engine.Creative `json:"creatives,omitempty"`
	Explanation string                     `json:"explanation,omitempty"` // what the graph does, computed from the graph
	Assumptions []string                   `json:"assumptions"`           // what was assumed, substituted or left out; failures of a model first
	Questions   []string                   `json:"questions"`             // when outcome is clarify
	Choices     [][]string                 `json:"choices,omitempty"`     // answers to click, per question
	Topics      []string                   `json:"topics,omitempty"`      // what each question is about: trigger, goal, content, count, timing, channel
	Coverage    *Coverage                  `json:"coverage,omitempty"`    // what the built-in planner understood of the prompt
	Reason      string                     `json:"reason"`                // of a refusal: consent, deception, out_of_scope, or the model's own words
	Message     string                     `json:"message,omitempty"`     // the refusal said to a person
	Problems    []engine.Problem           `json:"problems"`              // the validator's; a proposal has no errors
	Why         string                     `json:"why,omitempty"`         // why no model was asked: quota, off
	Calls       int                        `json:"calls"`                 // requests made to models
	Change      *Change                    `json:"change,omitempty"`      // of an edit: what it would do
	Name        string                     `json:"name,omitempty"`        // a name for the funnel, from the prompt
}

// Bundle is the proposal as the validator, the simulator and the canvas take it.
func (r *Result) Bundle() engine.Bundle {
	if r.Graph == nil {
		return engine.Bundle{}
	}
	return engine.Bundle{Graph: *r.Graph, Creatives: r.Creatives}
}

func (r *Result) tidy() {
	if r.Assumptions == nil {
		r.Assumptions = []string{}
	}
	if r.Questions == nil {
		r.Questions = []string{}
	}
	if r.Problems == nil {
		r.Problems = []engine.Problem{}
	}
}

func (r *Result) ask(questions []Question) {
	for _, q := range questions {
		r.Questions = append(r.Questions, q.Text)
		r.Choices = append(r.Choices, q.Options)
		r.Topics = append(r.Topics, q.About)
	}
}

// Headline says in a few words what the answer is and who gave it, in its language.
func (r *Result) Headline() string {
	say := sayIn(r.Language)
	by := r.Engine
	if by == Offline {
		by = say.line("h_offline")
	}
	return say.line("h_"+string(r.Outcome)) + " (" + by + ")"
}
