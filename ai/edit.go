package ai

import (
	"github.com/lejek/lejek/engine"
)

// StatusOps is the status of an [Edit] that has operations, and StatusUnchanged the outcome of one that changes nothing.
const (
	StatusOps       Status = "ops"
	StatusUnchanged Status = "unchanged"
)

// Edit is a change of a funnel as a model or the planner writes it: operations on the steps of a decompiled funnel, which all
// happen or none does.
type Edit struct {
	Status    Status     `json:"status"`
	Plan      string     `json:"plan"`
	Questions []Question `json:"questions"`
	Reason    string     `json:"reason"`
	Ops       []Op       `json:"ops"`
	Undo      bool       `json:"undo,omitempty"` // the person wants the last change back
	Notes     []string   `json:"notes,omitempty"`
}

// Op is one operation. Do tells which members count:
//
//	put      How (after, before, replace, new_block), At, Port, Steps, Next ("" goes on as before)
//	update   At, Fields            remove  At            move  At, After
//	branch   At, Port, To          message At, Brief, Subject, Body, CopyOf
//	replace  Find, Text, At (a message, "" is all of them)
//	setting  At (name, reentry, reentry_days, trigger_kind, trigger_ref, trigger_when, trigger_offset_days), Text
type Op struct {
	Do      string      `json:"do"`
	How     string      `json:"how,omitempty"`
	At      string      `json:"at,omitempty"`
	Port    string      `json:"port,omitempty"`
	Next    string      `json:"next,omitempty"`
	After   string      `json:"after,omitempty"`
	To      string      `json:"to,omitempty"`
	Steps   []Step      `json:"steps,omitempty"`
	Fields  []NamedText `json:"fields,omitempty"`
	Brief   string      `json:"brief,omitempty"`
	Subject string      `json:"subject,omitempty"`
	Body    string      `json:"body,omitempty"`
	CopyOf  string      `json:"copy_of,omitempty"`
	Find    string      `json:"find,omitempty"`
	Text    string      `json:"text,omitempty"`
}

// NamedText is a member of a step and its new value, as text.
type NamedText struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// The operations.
const (
	opPut     = "put"
	opUpdate  = "update"
	opRemove  = "remove"
	opMove    = "move"
	opBranch  = "branch"
	opMessage = "message"
	opReplace = "replace"
	opSetting = "setting"

	putAfter   = "after"
	putBefore  = "before"
	putReplace = "replace"
	putBlock   = "new_block"

	wayNext = "next" // where a put step's branch goes on as before
)

// Change is what an edit would do to a funnel: its operations, sorted into groups that can be accepted one by one, and what
// differs in the end. All of it is computed from the two documents.
type Change struct {
	Ops     []Op     `json:"ops"`
	Groups  []Group  `json:"groups"`
	Summary []string `json:"summary"`        // a sentence for each difference
	Name    string   `json:"name,omitempty"` // the funnel's new name, "" when it keeps its own
	Base    string   `json:"base"`           // fingerprint of the document the edit is about
	Undo    bool     `json:"undo,omitempty"`
}

// Group is operations that need one another.
type Group struct {
	ID      int      `json:"id"`
	Ops     []int    `json:"ops"`
	Steps   []string `json:"steps"`   // nodes it adds, changes, moves or removes
	Summary []string `json:"summary"` // as in Change
}

// Edited is a bundle after the operations of an edit.
type Edited struct {
	Bundle   engine.Bundle
	Name     string
	Notes    []string
	Problems []engine.Problem // faults of the operations themselves
	touched  [][]string       // what each operation reads or writes: "node:x", "edge:x.next", "text:slug"
}
