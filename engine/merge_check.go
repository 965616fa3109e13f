package engine

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// VarScope is what merge text may use where it stands.
type VarScope struct {
	Workspace *Workspace // nil: names of fields and properties are not checked
	Events    []string   // names of the events event.* may come from; nil: there is no trigger event here
	NoEvent   []string   // triggers that bring no event with properties, so that event.* exists on some paths only
	Vars      []string   // names of vars.*
	Item      bool       // item exists: true inside a repeat block
	OpenVars  bool       // others may bring more vars.*: they call the funnel
	Links     bool       // unsubscribe_url and view_url exist: true in messages
}

// alwaysThere are the variables that are never missing where they exist.
var alwaysThere = []string{"email", "created_at", "workspace.name", "workspace.address", "unsubscribe_url", "view_url"}

// CheckMerge reads merge text and names everything wrong with it. Field of the problems is empty; see PlaceProblems.
func CheckMerge(text string, scope VarScope) []Problem {
	merge, err := ParseMerge(text)
	if err != nil {
		var fault *MergeError
		errors.As(err, &fault)
		return []Problem{unreadable(fault)}
	}
	return merge.Check(scope)
}

// unreadable is the problem of merge text that has a value for nobody.
func unreadable(fault *MergeError) Problem {
	return Problem{Code: "FIELD_INVALID", Severity: Error, Message: fault.Message, Params: Params{"hole": fault.Hole, "offset": strconv.Itoa(fault.Offset)}}
}

// Check names what does not fit whoever reads it and unknown variables (errors), and those that may be missing without a fallback or exist on some paths only
// (warnings).
func (m *Merge) Check(scope VarScope) []Problem {
	var problems []Problem
	for _, hole := range m.holes {
		if never := hole.never; never != nil {
			problems = append(problems, unreadable(never))
		}
		for _, ref := range hole.Refs {
			if problem, found := m.checkRef(hole, ref, scope); found {
				problems = append(problems, problem)
			}
		}
	}
	return problems
}

func (m *Merge) checkRef(hole *Hole, ref Ref, scope VarScope) (Problem, bool) {
	params := Params{"name": ref.Path, "hole": hole.Source, "offset": strconv.Itoa(ref.Offset)}
	known, checked, why := scope.names(ref.Path)
	if checked && !slices.Contains(known, ref.Path) && !hasProp(known, ref.Path) {
		problem := Problem{Code: "VAR_UNKNOWN", Severity: Error, Params: params, Message: why}
		if problem.Message == "" {
			problem.Message = fmt.Sprintf("There is no variable %q. Choose another or create it.", ref.Path)
		}
		if near := Nearest(ref.Path, known); near != "" {
			params["near"] = near
			problem.Message = fmt.Sprintf("There is no variable %q. Did you mean %q?", ref.Path, near)
			if fixed, ok := m.replaced(ref, near); ok {
				problem.Fix = &Fix{Label: fmt.Sprintf("Use %q", near), Value: fixed}
			}
		}
		return problem, true
	}
	if ref.HasFallback || slices.Contains(alwaysThere, ref.Path) {
		return Problem{}, false
	}
	if strings.HasPrefix(ref.Path, "event.") && len(scope.NoEvent) > 0 {
		params["paths"] = strings.Join(scope.NoEvent, ", ")
		return Problem{Code: "VAR_SOME_PATHS", Severity: Warning, Params: params, Fix: m.withDefault(hole),
			Message: fmt.Sprintf("%q has no value for people who start by %s. Add a fallback, such as {{ %s | default(\"…\") }}.",
				ref.Path, params["paths"], ref.Path)}, true
	}
	return Problem{Code: "VAR_NO_FALLBACK", Severity: Warning, Params: params, Fix: m.withDefault(hole),
		Message: fmt.Sprintf("%q may be missing for some people, and the message would not leave. Add a fallback, such as {{ %s | default(\"…\") }}.",
			ref.Path, ref.Path)}, true
}

// onSomePaths warns of a variable that a way through the funnel goes without.
func (m *Merge) onSomePaths(hole *Hole, ref Ref, way string) Problem {
	return Problem{
		Code: CodeVarSomePaths, Severity: Warning, Fix: m.withDefault(hole),
		Params: Params{"name": ref.Path, "hole": hole.Source, "offset": strconv.Itoa(ref.Offset), "paths": way},
		Message: fmt.Sprintf("%q has no value for people who come by %s. Add a fallback, such as {{ %s | default(\"…\") }}.",
			ref.Path, way, ref.Path),
	}
}

// names lists the variables that may stand for a path; checked is false when nothing can be said.
func (s VarScope) names(path string) (known []string, checked bool, why string) {
	root, rest, hasRest := strings.Cut(path, ".")
	switch root {
	case "event":
		if s.Events == nil {
			return nil, true, fmt.Sprintf("There is no event here to take %q from.", path)
		}
		props, sure := s.Workspace.knownProps(s.Events)
		return prefixed("event.", props), sure && hasRest, ""
	case "vars":
		return prefixed("vars.", s.Vars), (s.Workspace != nil || len(s.Vars) > 0) && !s.OpenVars, ""
	case "item":
		if s.Item {
			return nil, false, ""
		}
		return nil, true, fmt.Sprintf("%q exists inside a repeated part of a message only.", path)
	case "workspace":
		return []string{"workspace.name", "workspace.address"}, true, ""
	case "unsubscribe_url", "view_url":
		if s.Links {
			return []string{path}, true, ""
		}
		return nil, true, fmt.Sprintf("%q exists in messages only.", path)
	}
	if s.Workspace == nil {
		return nil, false, ""
	}
	for _, f := range s.Workspace.ContactFields() {
		known = append(known, f.Key)
	}
	if rest == "" && !slices.Contains(known, path) {
		known = append(known, "workspace.name", "workspace.address")
		if s.Links {
			known = append(known, "unsubscribe_url", "view_url")
		}
	}
	return known, true, ""
}

func prefixed(prefix string, names []string) []string {
	whole := make([]string, len(names))
	for i, name := range names {
		whole[i] = prefix + name
	}
	return whole
}

// replaced writes the text with another variable at a reference.
func (m *Merge) replaced(ref Ref, name string) (string, bool) {
	if !strings.HasPrefix(m.source[ref.Offset:], ref.Path) {
		return "", false
	}
	return m.source[:ref.Offset] + name + m.source[ref.Offset+len(ref.Path):], true
}

// withDefault offers the text with a fallback at a hole that is a plain variable.
func (m *Merge) withDefault(hole *Hole) *Fix {
	if len(hole.Refs) != 1 || hole.Source != hole.Refs[0].Path {
		return nil
	}
	return &Fix{Label: "Add a fallback", Value: m.source[:hole.Start] + "{{ " + hole.Source + ` | default("") }}` + m.source[hole.End:]}
}
