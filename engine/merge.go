package engine

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// The bounds of merge text. Together they keep the cost of a render linear in its length.
const (
	maxMergeText   = 100 * 1024 // bytes of a text
	maxMergeHoles  = 500        // holes in a text
	maxHoleText    = 2000       // bytes of one expression
	maxHoleNodes   = 200        // parts of one expression
	maxHoleOutput  = 64 * 1024  // bytes one hole may give
	maxMergeOutput = 256 * 1024 // bytes a whole text may give
)

// Merge is a text with holes: "Hello {{ first_name | default("there") }}". It is immutable and safe for concurrent use.
//
// A hole is an expression of names, members, literals, comparisons, and/or/not, ??, ?:, arithmetic and calls of Functions;
// "a | f(b)" is "f(a, b)". Whatever touches a missing value is missing, a comparison with one is false. An empty text is
// missing too.
type Merge struct {
	source   string
	literals []string // one more than holes
	holes    []*Hole
}

// Hole is one expression of a Merge.
type Hole struct {
	Source      string // without the braces
	Start, End  int    // bytes in the text, braces included
	Refs        []Ref
	hasFallback bool
	never       *MergeError // why a part of it has a value for nobody
	eval        evaluator
}

// Ref is one use of a variable.
type Ref struct {
	Path        string // "first_name", "event.cart.total"
	Offset      int    // byte in the text
	HasFallback bool   // the text still has a meaning when the variable is missing
}

// MergeScope holds the values of one render. Missing members are missing variables.
type MergeScope struct {
	Fields         map[string]any // of the contact, by key
	Event          map[string]any // properties of the trigger event
	Item           any            // the element a repeat block is at
	Vars           map[string]any // of the run
	Workspace      map[string]any // name, address
	UnsubscribeURL string
	ViewURL        string
	Zone           *time.Location // for dates; nil is UTC
	Language       string         // en (default), pl or ru: months, numbers, money, plurals
	Currency       string         // of money without one
}

// MergeFault says why a text could not be filled.
type MergeFault string

// The faults of merge text.
const (
	MergeSyntax  MergeFault = "syntax"  // it cannot be read
	MergeMissing MergeFault = "missing" // a variable has no value and no fallback
	MergeType    MergeFault = "type"    // a value does not fit its use
	MergeUnsafe  MergeFault = "unsafe"  // a value must not stand there: a line break in a subject, a script address
	MergeTooLong MergeFault = "too_long"
)

// MergeError is the one error of reading and filling merge text.
type MergeError struct {
	Fault    MergeFault
	Variable string // the variable to blame, if one is
	Hole     string // source of the hole
	Offset   int    // byte in the text
	Message  string // for people
}

// Error says what is wrong.
func (e *MergeError) Error() string { return e.Message }

// mergeCache keeps what was parsed lately: the same few texts are asked for again and again.
var mergeCache struct {
	sync.Mutex

	texts map[string]*Merge
}

const maxMergeCache = 2048

// ParseMerge reads a text with holes. The error is a *MergeError.
func ParseMerge(text string) (*Merge, error) {
	mergeCache.Lock()
	merge := mergeCache.texts[text]
	mergeCache.Unlock()
	if merge != nil {
		return merge, nil
	}
	merge, err := parseMerge(text)
	if err != nil {
		return nil, err
	}
	mergeCache.Lock()
	defer mergeCache.Unlock()
	if mergeCache.texts == nil || len(mergeCache.texts) >= maxMergeCache {
		mergeCache.texts = make(map[string]*Merge)
	}
	if len(text) <= maxHoleText { // the long ones are held by their artifact
		mergeCache.texts[text] = merge
	}
	return merge, nil
}

func parseMerge(text string) (*Merge, error) {
	if len(text) > maxMergeText {
		return nil, &MergeError{Fault: MergeTooLong, Message: fmt.Sprintf("This text is too long: at most %d KB.", maxMergeText/1024)}
	}
	if !utf8.ValidString(text) {
		return nil, &MergeError{Fault: MergeSyntax, Message: "This text is not valid UTF-8."}
	}
	merge := &Merge{source: text}
	rest := 0
	for {
		open := strings.Index(text[rest:], "{{")
		if open < 0 {
			merge.literals = append(merge.literals, text[rest:])
			return merge, nil
		}
		open += rest
		length := closing(text[open+2:])
		if length < 0 {
			return nil, &MergeError{Fault: MergeSyntax, Offset: open, Hole: shorten(text[open+2:], 40),
				Message: fmt.Sprintf("The braces opened at %q are not closed. Add }}.", shorten(text[open:], 30))}
		}
		if len(merge.holes) == maxMergeHoles {
			return nil, &MergeError{Fault: MergeTooLong, Offset: open, Message: fmt.Sprintf("This text has more than %d variables.", maxMergeHoles)}
		}
		hole, err := parseHole(text[open+2:open+2+length], open+2)
		if err != nil {
			return nil, err
		}
		hole.Start, hole.End = open, open+length+4
		merge.literals = append(merge.literals, text[rest:open])
		merge.holes = append(merge.holes, hole)
		rest = hole.End
	}
}

// closing finds the braces that close a hole, looking past those inside quotes; -1 if there are none.
func closing(text string) int {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '}' && strings.HasPrefix(text[i:], "}}"):
			return i
		}
	}
	return -1
}

// Source is the text as it was written.
func (m *Merge) Source() string { return m.source }

// Holes lists the holes in order.
func (m *Merge) Holes() []*Hole { return m.holes }

// Literals lists the texts around the holes: one more than there are holes.
func (m *Merge) Literals() []string { return m.literals }

// Refs lists every use of a variable in order.
func (m *Merge) Refs() []Ref {
	var refs []Ref
	for _, hole := range m.holes {
		refs = append(refs, hole.Refs...)
	}
	return refs
}

// Render fills the text for one place. In URL context the literals are the author's and stand as they are; a hole at the
// very start is a whole address, any other a part of one.
func (m *Merge) Render(scope *MergeScope, context MergeContext) (string, error) {
	var out strings.Builder
	for i, literal := range m.literals {
		out.WriteString(escapeLiteral(literal, context))
		if i == len(m.holes) {
			break
		}
		here := context
		if context == ContextURL && out.Len() > 0 {
			here = ContextURLPart
		}
		text, err := m.holes[i].Text(scope, here)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		if out.Len() > maxMergeOutput {
			return "", &MergeError{Fault: MergeTooLong, Hole: m.holes[i].Source, Offset: m.holes[i].Start,
				Message: fmt.Sprintf("This text grew too long when it was filled: at most %d KB.", maxMergeOutput/1024)}
		}
	}
	if context == ContextHeader && hasLineBreak(out.String()) {
		return "", &MergeError{Fault: MergeUnsafe, Message: "A line break cannot stand in a subject or address."}
	}
	return out.String(), nil
}

// Value fills the text for storing: a text that is one single hole gives the hole's value with its type, any other a
// string.
func (m *Merge) Value(scope *MergeScope) (any, error) {
	if len(m.holes) == 1 && strings.TrimSpace(m.literals[0]+m.literals[1]) == "" {
		return m.holes[0].Value(scope)
	}
	return m.Render(scope, ContextPlain)
}

// Value evaluates the hole. It is a string, float64, bool, time.Time, []any or map[string]any; a missing variable without
// fallback is a *MergeError.
func (h *Hole) Value(scope *MergeScope) (any, error) {
	run := &mergeRun{scope: scope}
	value, err := h.eval(run)
	if err != nil {
		return nil, h.blame(err, run)
	}
	if isMissing(value) && len(h.Refs) > 0 && (value == nil || !h.hasFallback) {
		return nil, h.blame(&MergeError{Fault: MergeMissing, Variable: run.missing}, run)
	}
	if number, ok := numberOf(value); ok {
		return number, nil
	}
	return value, nil
}

// Text evaluates the hole and escapes it for its place.
func (h *Hole) Text(scope *MergeScope, context MergeContext) (string, error) {
	value, err := h.Value(scope)
	if err != nil {
		return "", err
	}
	text, ok := display(value, scope)
	if !ok {
		return "", h.blame(&MergeError{Fault: MergeType, Message: "it is a group of values. Choose one of them"}, nil)
	}
	if len(text) > maxHoleOutput {
		return "", h.blame(&MergeError{Fault: MergeTooLong, Message: fmt.Sprintf("the value is longer than %d KB", maxHoleOutput/1024)}, nil)
	}
	escaped, fault := escape(text, context)
	if fault != "" {
		return "", h.blame(&MergeError{Fault: MergeUnsafe, Message: fault}, nil)
	}
	return escaped, nil
}

// blame completes an error with the hole and, where it can be told, the variable.
func (h *Hole) blame(err error, run *mergeRun) error {
	var fault *MergeError
	if !errors.As(err, &fault) {
		return err
	}
	if fault.Variable == "" && run != nil {
		fault.Variable = run.missing
	}
	if fault.Variable == "" && len(h.Refs) > 0 {
		fault.Variable = h.Refs[0].Path
	}
	fault.Hole, fault.Offset = strings.TrimSpace(h.Source), h.Start
	if fault.Fault == MergeMissing {
		fault.Message = fmt.Sprintf("%q has no value for this person, and {{ %s }} gives no fallback.", fault.Variable, fault.Hole)
	} else {
		fault.Message = fmt.Sprintf("{{ %s }} cannot be filled: %s.", fault.Hole, fault.Message)
	}
	return fault
}
