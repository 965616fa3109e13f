package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// KindAIGenerate is the kind of the step that has texts written for one person.
const KindAIGenerate = "ai_generate"

// aiGenerateConfig says which texts are written, and what about the person may be told to the model.
type aiGenerateConfig struct {
	Variables  []Written `json:"variables"`
	Attributes []string  `json:"attributes"`
	Texts      string    `json:"texts"`
}

// The kinds of texts a step takes: those a model writes when they are needed, or only those somebody looked at and approved.
const (
	textsLive     = "live"
	textsApproved = "approved"
)

// Written is one variable a model writes. Fallback is what it holds when no usable text comes; Max bounds it in characters.
type Written struct {
	Name        string `json:"name"`
	Instruction string `json:"instruction"`
	Max         int    `json:"max"`
	Fallback    string `json:"fallback"`
	Links       bool   `json:"links,omitempty"` // addresses of the web may stand in it
}

// WriteRequest is what the step asks of its caller. Attributes are keys of the contact's fields: their values are read when
// the call is made.
type WriteRequest struct {
	Variables  []Written `json:"variables"`
	Attributes []string  `json:"attributes"`
	Approved   bool      `json:"approved,omitempty"` // only texts that somebody approved
}

// The bounds of what is written.
const (
	maxWritten     = 10
	maxWrittenText = 1000
	maxInstruction = 1000
	writeLimit     = 10 * time.Minute // then the fallbacks hold
)

var _ = Define(Spec[aiGenerateConfig]{
	Kind: Kind{
		Kind: KindAIGenerate, Family: FamilyAction, Order: 8,
		Title:   "Write with AI",
		Purpose: "Has short texts written for this person, to stand in later messages. Where none comes, the fallback stands.",
		Synonyms: []string{"ai", "gpt", "generate", "personalise", "write", "model",
			"sztuczna inteligencja", "napisz", "generuj", "ии", "нейросеть", "сгенерировать", "написать"},
		Fields: []Field{
			{Key: "variables", Type: TypeVariables, Label: "Texts", Required: true,
				Help: "Each one is a variable of later messages, such as {{ vars.opening }}."},
			{Key: "attributes", Type: TypeAttributes, Label: "What the model may know of the person",
				Help: "Nothing else of the person is sent to it."},
			{Key: "texts", Type: TypeSelect, Label: "Which texts are sent", Default: textsLive,
				Help: "Approved texts are written in advance, one for each combination of what the model may know. Where none is approved, the fallback stands.",
				Options: []Option{
					{Value: textsLive, Label: "those the model writes when they are needed"},
					{Value: textsApproved, Label: "only those somebody approved"},
				}},
		},
		Ports: []PortSpec{{ID: portNext}},
		Vars:  []VarSpec{{Each: "variables"}},
	},
	Run: func(c aiGenerateConfig, m *Moment) Outcome {
		out := m.call(KindAIGenerate, c.request(), m.Now.Add(writeLimit), portNext)
		if out.Port != "" {
			out.Vars = c.orFallback(out.Vars)
		}
		return out
	},
	Surely: true,
})

// request is what the step asks for.
func (c aiGenerateConfig) request() WriteRequest {
	return WriteRequest{Variables: c.written(), Attributes: c.fields(), Approved: c.Texts == textsApproved}
}

// written are the variables with their usual limit.
func (c aiGenerateConfig) written() []Written {
	list := slices.Clone(c.Variables)
	for i := range list {
		if list[i].Max == 0 {
			list[i].Max = 200
		}
	}
	return list
}

// fields are the attributes as keys of fields.
func (c aiGenerateConfig) fields() []string {
	keys := make([]string, len(c.Attributes))
	for i, ref := range c.Attributes {
		keys[i] = slugOf(ref)
	}
	return keys
}

// orFallback gives every variable a text.
func (c aiGenerateConfig) orFallback(vars map[string]any) map[string]any {
	whole := maps.Clone(vars)
	if whole == nil {
		whole = map[string]any{}
	}
	for _, v := range c.Variables {
		if text, ok := whole[v.Name].(string); !ok || text == "" {
			whole[v.Name] = v.Fallback
		}
	}
	return whole
}

// checkVariables judges a list of Written.
func (k *Checker) checkVariables(field *Field, raw json.RawMessage) {
	var list []Written
	if err := decodeStrict(raw, &list); err != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s: %s.", quote(field.Label), clean(err))).with("field", field.Key)
		return
	}
	if len(list) > maxWritten {
		k.Invalid(field.Key, fmt.Sprintf("One step writes at most %d texts, not %d. Use a second step.", maxWritten, len(list))).
			with("max", strconv.Itoa(maxWritten))
	}
	seen := map[string]bool{}
	for i, v := range list {
		part := k.inside(joinPath(field.Key, strconv.Itoa(i)))
		switch {
		case !variablePattern.MatchString(v.Name):
			part.Invalid("name", fmt.Sprintf("%s is no name of a variable. Use small letters, digits and _, such as opening.", quote(v.Name))).with("value", v.Name)
		case seen[v.Name]:
			part.Error(CodeIDTwice, "name", fmt.Sprintf("Two texts have the name %s. Give one of them another.", quote(v.Name))).with("id", v.Name)
		}
		seen[v.Name] = true
		part.checkWritten(v)
	}
}

func (k *Checker) checkWritten(v Written) {
	if strings.TrimSpace(v.Instruction) == "" {
		k.Required("instruction", "Say what is to be written.").with("field", "instruction")
	}
	checkLength(v.Instruction, "instruction", maxInstruction, k)
	most := v.Max
	switch {
	case most == 0:
		most = 200
	case most < 1 || most > maxWrittenText:
		k.Invalid("max", fmt.Sprintf("A text has 1 to %d characters, not %d.", maxWrittenText, v.Max)).with("max", strconv.Itoa(maxWrittenText))
		most = maxWrittenText
	}
	if strings.TrimSpace(v.Fallback) == "" {
		k.Required("fallback", "Write what stands there when no text comes. A message must never have a hole.").with("field", "fallback")
	} else if length := utf8.RuneCountInString(v.Fallback); length > most {
		k.Invalid("fallback", fmt.Sprintf("The fallback is %d characters long, but the text has at most %d.", length, most)).
			with("max", strconv.Itoa(most))
	}
}

// Singular tells the fields that name one person, or differ from person to person: no model is told them, and no text is written from them.
func Singular(field string) bool {
	switch field {
	case "email", "phone", "external_id", "created_at", "updated_at":
		return true
	}
	return false
}

// checkAttributes judges a list of references to contact fields.
func (k *Checker) checkAttributes(field *Field, raw json.RawMessage) {
	var refs []string
	if json.Unmarshal(raw, &refs) != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s must be a list of fields.", quote(field.Label))).with("field", field.Key)
		return
	}
	for i, ref := range refs {
		if !strings.Contains(ref, ":") {
			ref = "field:" + ref // a bare key is one too
		}
		if key := slugOf(ref); Singular(key) {
			k.Invalid(joinPath(field.Key, strconv.Itoa(i)), fmt.Sprintf("%s is not told to a model: it is another one for each person. Name something that many have in common, such as a city.", quote(key))).
				with("field", key)
			continue
		}
		one := Field{Key: joinPath(field.Key, strconv.Itoa(i)), Label: field.Label, Of: "field"}
		text, err := json.Marshal(ref)
		if err == nil {
			k.checkRef(&one, text)
		}
	}
}
