package ai

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lejek/lejek/engine"
)

// labels are what people call the steps of a funnel: what each does, with a number where several do the same. No two are alike.
type labels struct {
	teller *explainer
	of     map[string]string // by id
}

func labelsOf(b engine.Bundle, lang string) labels {
	l := labels{teller: tellerOf(b, lang), of: map[string]string{}}
	order := walkOrder(b.Graph)
	alike := map[string][]string{}
	for _, id := range order {
		title := oneLine(l.teller.title(id))
		alike[fold(title)] = append(alike[fold(title)], id)
		l.of[id] = title
	}
	for _, ids := range alike {
		for i, id := range ids {
			if len(ids) > 1 {
				l.of[id] = l.teller.say.line("edit_nth", l.of[id], strconv.Itoa(i+1), strconv.Itoa(len(ids)))
			}
		}
	}
	return l
}

// inWords puts what steps are called in the place of their ids.
func (l labels) inWords(text string) string {
	return nodeID.ReplaceAllStringFunc(text, func(id string) string {
		if label := l.of[id]; label != "" {
			return l.teller.say.line("edit_quoted", label)
		}
		return id
	})
}

// option is an answer to choose: what the step is called that it names, else its own words.
func (l labels) option(words string) string {
	words = strings.TrimSpace(words)
	if label := l.of[words]; label != "" {
		return label
	}
	if id := idAtStart(words, l.teller.b.Graph); id != "" {
		return l.of[id]
	}
	return l.inWords(words)
}

// labelled is the step that a line calls by its label, in whatever language that was said; "" for none.
func labelled(line string, b engine.Bundle) string {
	line = fold(oneLine(line))
	if line == "" {
		return ""
	}
	for _, lang := range languages {
		l := labelsOf(b, lang)
		for _, id := range sortedKeys(l.of) {
			if fold(l.of[id]) == line {
				return id
			}
		}
	}
	return ""
}

// withIDs writes the ids of steps before the lines of a request that are answers to a question, for a model.
func withIDs(prompt string, b engine.Bundle) string {
	lines := strings.Split(prompt, "\n")
	for i, line := range lines {
		if i == 0 || idAtStart(strings.TrimSpace(line), b.Graph) != "" {
			continue
		}
		if id := labelled(line, b); id != "" {
			lines[i] = id + " · " + line
		}
	}
	return strings.Join(lines, "\n")
}

// trouble says in the person's language why a change cannot be made. The validator speaks English; in another language its code is said.
func trouble(p engine.Problem, b engine.Bundle, say phrases) string {
	l := labelsOf(b, say.Language)
	if say.Language == "en" {
		return l.inWords(p.Message)
	}
	step := l.of[p.Node]
	if step == "" {
		step = say.line("edit_the_funnel")
	}
	key := "edit_p_" + p.Code
	if slices.Contains([]string{"FIELD_INVALID", "FIELD_REQUIRED", "FIELD_UNKNOWN"}, p.Code) {
		key = "edit_p_FIELD"
	}
	if line := say.line(key, step); line != key {
		return line
	}
	return say.line("edit_p", step)
}

// editTongue is the language in which a change is answered: the one asked for, else that of the words of the request.
func editTongue(req Request) string {
	if slices.Contains(languages, req.Language) {
		return req.Language
	}
	if lang := editLanguage(req.Prompt, req.Language); slices.Contains(languages, lang) {
		return lang
	}
	return "en"
}
