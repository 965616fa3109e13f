package engine

import (
	"encoding/json"
	"fmt"
	"strings"
)

// jsonText is a text as it stands between the quotes of JSON.
func jsonText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil { // a string has no way to fail
		panic(err)
	}
	return string(quoted[1 : len(quoted)-1])
}

// RenderJSON fills a text that is JSON. A hole between quotes gives a part of that text, any other hole a whole value of its own
// type, so that a value can never become syntax: {"name": "{{ first_name }}", "total": {{ event.total }}}. What comes out is
// JSON, or the error says that the text is none.
func (m *Merge) RenderJSON(scope *MergeScope) (string, error) {
	var out strings.Builder
	quoted := false
	for i, literal := range m.literals {
		quoted = quotedAfter(literal, quoted)
		out.WriteString(literal)
		if i == len(m.holes) {
			break
		}
		text, err := m.holes[i].json(scope, quoted)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
		if out.Len() > maxMergeOutput {
			return "", &MergeError{Fault: MergeTooLong, Hole: m.holes[i].Source, Offset: m.holes[i].Start,
				Message: fmt.Sprintf("This text grew too long when it was filled: at most %d KB.", maxMergeOutput/1024)}
		}
	}
	if !json.Valid([]byte(out.String())) {
		return "", &MergeError{Fault: MergeSyntax, Message: "This is no JSON once it is filled. Look at its quotes, commas and braces."}
	}
	return out.String(), nil
}

func (h *Hole) json(scope *MergeScope, quoted bool) (string, error) {
	if quoted {
		return h.Text(scope, ContextJSON)
	}
	value, err := h.Value(scope)
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return "", h.blame(&MergeError{Fault: MergeType, Message: "the value has no form in JSON"}, nil)
	}
	if len(raw) > maxHoleOutput {
		return "", h.blame(&MergeError{Fault: MergeTooLong, Message: fmt.Sprintf("the value is longer than %d KB", maxHoleOutput/1024)}, nil)
	}
	return string(raw), nil
}

// quotedAfter tells whether a text of JSON ends between quotes.
func quotedAfter(text string, quoted bool) bool {
	for i := 0; i < len(text); i++ {
		switch {
		case quoted && text[i] == '\\':
			i++
		case text[i] == '"':
			quoted = !quoted
		}
	}
	return quoted
}

// renderParts fills a text whose literals stand as their author wrote them: only what the holes give is escaped.
func (m *Merge) renderParts(scope *MergeScope, context MergeContext) (string, error) {
	var out strings.Builder
	for i, literal := range m.literals {
		out.WriteString(literal)
		if i == len(m.holes) {
			break
		}
		text, err := m.holes[i].Text(scope, context)
		if err != nil {
			return "", err
		}
		out.WriteString(text)
	}
	return out.String(), nil
}
