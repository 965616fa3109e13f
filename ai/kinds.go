package ai

import (
	"slices"

	"github.com/lejek/lejek/engine"
)

// Kinds is what can be drawn now: the node kinds and trigger kinds of the engine's catalogue.
type Kinds struct {
	nodes    []engine.Kind
	triggers []engine.Kind
}

// NewKinds takes the two lists of a catalogue.
func NewKinds(nodes, triggers []engine.Kind) Kinds { return Kinds{nodes: nodes, triggers: triggers} }

// Drawable is what a plan can be drawn with: the whole catalogue.
func Drawable() Kinds {
	c := engine.Catalogue()
	return NewKinds(c.Nodes, c.Triggers)
}

// HasNode tells whether a step kind can be drawn.
func (k Kinds) HasNode(kind string) bool { return has(k.nodes, kind) }

// HasTrigger tells whether a trigger kind can be drawn.
func (k Kinds) HasTrigger(kind string) bool { return has(k.triggers, kind) }

func has(kinds []engine.Kind, kind string) bool {
	return slices.ContainsFunc(kinds, func(k engine.Kind) bool { return k.Kind == kind })
}

// nodeOf maps a word of the plan to the node kind it compiles to.
var nodeOf = map[string]string{doWait: "wait", doWaitUntil: "wait", doIf: "condition", doSplit: "split", doGoal: "goal", doSendWhatsApp: doSendSMS}

// can tells whether a step of the plan can be drawn.
func (k Kinds) can(do string) bool {
	if kind, ok := nodeOf[do]; ok {
		return k.HasNode(kind)
	}
	return k.HasNode(do)
}

// planEvents are the events a plan may name. The ones no part of the product emits yet are events of the customer's own
// application and compile to a name of the workspace ([eventName]).
var planEvents = []string{
	"message_opened", "link_clicked", "message_replied", "page_visit", "form_submit", "booking_made", "payment_made",
	"tag_added", "list_join", "api_event",
}

// planTriggers are the trigger kinds a plan may name, in the order of the schema.
var planTriggers = []string{
	"form_submit", "list_join", "contact_created", "tag_added", "segment_enter", "page_visit", "message_opened",
	"link_clicked", "booking_made", "payment_made", "date_field", "schedule", "manual", "api_event",
}

// structural kinds are drawn by the compiler itself, never named by a plan.
var structural = []string{"entry", "join", "wait", "condition", "split", "goal"}

// written kinds have a step of their own in the schema.
var written = []string{
	doSendEmail, doSendSMS, doSendPush, doSendLetter, doNotify, doAddTag, doRemoveTag, doAddToList, doRemoveFromList, doSetField, doRequest,
	doPayment, doBook, doEnterFunnel, doExitFunnel, doGenerate, doThrottle, doQuietHours,
}

// derived returns the catalogue's kinds that the schema knows only through their fields: those of later releases.
func (k Kinds) derived() []engine.Kind {
	var out []engine.Kind
	for _, n := range k.nodes {
		if !slices.Contains(structural, n.Kind) && !slices.Contains(written, n.Kind) && plain(n) {
			out = append(out, n)
		}
	}
	return out
}

// plain tells whether all a kind requires can be written as simple values.
func plain(n engine.Kind) bool {
	for _, f := range n.Fields {
		if f.Required && len(f.ShowIf) == 0 && fieldSchema(f) == nil {
			return false
		}
	}
	return true
}

func filter(words []string, keep func(string) bool) []string {
	var out []string
	for _, w := range words {
		if keep(w) {
			out = append(out, w)
		}
	}
	return out
}
