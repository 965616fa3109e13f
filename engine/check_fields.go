package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// checkFields compares a config with the fields of its kind. It gives the members that count: those that are known, shown
// and not null. What a hidden field holds is neither read nor judged.
func (k *Checker) checkFields(kind Kind, config json.RawMessage) map[string]json.RawMessage {
	counted := map[string]json.RawMessage{}
	members := map[string]json.RawMessage{}
	if len(config) > 0 && json.Unmarshal(config, &members) != nil {
		k.Invalid("", "The settings of this step are not an object.")
		return counted
	}
	k.members = members
	for i := range kind.Fields {
		field := &kind.Fields[i]
		if !shown(field.ShowIf, members, kind.Fields) {
			continue
		}
		raw := members[field.Key]
		if isEmpty(raw) {
			k.checkEmpty(field)
			continue
		}
		counted[field.Key] = raw
		judgeOf(field.Type)(k, field, raw)
	}
	k.checkUnknown(kind, members)
	return counted
}

func (k *Checker) checkEmpty(field *Field) {
	switch {
	case !field.Required:
	case field.Type == TypeTriggers:
		k.Error(CodeEntryOne, field.Key, "Nothing starts this funnel. Add a trigger.")
	default:
		problem := k.Required(field.Key, fmt.Sprintf("%s is empty. Fill it in.", quote(field.Label))).with("field", field.Key)
		if field.Default != nil {
			problem.fix("Use the usual value", field.Key, field.Default)
		}
	}
}

func (k *Checker) checkUnknown(kind Kind, members map[string]json.RawMessage) {
	keys := make([]string, 0, len(kind.Fields))
	for i := range kind.Fields {
		keys = append(keys, kind.Fields[i].Key)
	}
	for _, key := range sortedKeys(members) {
		if slices.Contains(keys, key) {
			continue
		}
		message := fmt.Sprintf("%s has no setting %s. Remove it.", quote(kind.Title), quote(key))
		if near := Nearest(key, keys); near != "" {
			message = fmt.Sprintf("%s has no setting %s. Did you mean %s?", quote(kind.Title), quote(key), quote(near))
		}
		k.Error(CodeFieldUnknown, key, message).with("field", key)
	}
}

// isEmpty tells a value that is as good as none.
func isEmpty(raw json.RawMessage) bool {
	switch text := strings.TrimSpace(string(raw)); text {
	case "", "null", "[]", "{}":
		return true
	default:
		var s string
		return text[0] == '"' && json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) == ""
	}
}

// judge is how the value of a field is judged.
type judge func(*Checker, *Field, json.RawMessage)

func judgeOf(t FieldType) judge { //nolint:gocyclo // one line a type; a table would be an initialization cycle, since triggers have fields of their own
	switch t {
	case TypeText, TypeMerge, TypeLines:
		return (*Checker).checkText
	case TypeNumber:
		return (*Checker).checkNumber
	case TypeBool:
		return decodes[bool]("true or false")
	case TypeSelect:
		return (*Checker).checkSelect
	case TypeMulti:
		return (*Checker).checkMulti
	case TypeDuration:
		return (*Checker).checkDuration
	case TypeOffset:
		return decodes[Offset]("an offset, such as 3 days before")
	case TypeTimeOfDay:
		return decodes[TimeOfDay]("a time of day")
	case TypeDateTime:
		return (*Checker).checkDateTime
	case TypeRef:
		return (*Checker).checkRef
	case TypeEvent:
		return (*Checker).checkEvent
	case TypeEventName:
		return (*Checker).checkEventName
	case TypeRecurrence:
		return decodes[Recurrence]("a recurring time")
	case TypeZone:
		return (*Checker).checkZone
	case TypeAudience:
		return (*Checker).checkAudience
	case TypeRule:
		return (*Checker).checkRule
	case TypeTriggers:
		return (*Checker).checkTriggers
	case TypeArms:
		return (*Checker).checkArms
	case TypeReentry:
		return (*Checker).checkReentry
	case TypePairs:
		return (*Checker).checkPairs
	case TypeCompare:
		return (*Checker).checkComparison
	case TypeMessage:
		return (*Checker).checkMessage
	case TypeVariables:
		return (*Checker).checkVariables
	case TypeAttributes:
		return (*Checker).checkAttributes
	}
	panic("engine: no judge of the field type " + string(t))
}

// text reads a string and says so when it is none.
func (k *Checker) text(key, label string, raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		k.Invalid(key, fmt.Sprintf("%s must be a text.", quote(label))).with("field", key)
		return "", false
	}
	return text, true
}

func (k *Checker) checkText(field *Field, raw json.RawMessage) {
	text, ok := k.text(field.Key, field.Label, raw)
	if !ok {
		return
	}
	if length := utf8.RuneCountInString(text); field.Max != nil && length > int(*field.Max) {
		k.Invalid(field.Key, fmt.Sprintf("%s is %d characters long. Shorten it to %d.", quote(field.Label), length, int(*field.Max))).
			with("field", field.Key).with("max", strconv.Itoa(int(*field.Max)))
	}
}

func (k *Checker) checkNumber(field *Field, raw json.RawMessage) {
	var n float64
	if json.Unmarshal(raw, &n) != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s must be a number.", quote(field.Label))).with("field", field.Key)
		return
	}
	k.checkBounds(field, field.Key, n)
}

func (k *Checker) checkBounds(field *Field, key string, n float64) {
	if field.Min != nil && n < *field.Min {
		k.Invalid(key, fmt.Sprintf("%s must be at least %g.", quote(field.Label), *field.Min)).
			with("field", field.Key).with("min", fmt.Sprint(*field.Min)).fix(fmt.Sprintf("Make it %g", *field.Min), key, *field.Min)
	}
	if field.Max != nil && n > *field.Max {
		k.Invalid(key, fmt.Sprintf("%s must be at most %g.", quote(field.Label), *field.Max)).
			with("field", field.Key).with("max", fmt.Sprint(*field.Max)).fix(fmt.Sprintf("Make it %g", *field.Max), key, *field.Max)
	}
}

// decodes judges a value by whether a T can be read from it.
func decodes[T any](what string) judge {
	return func(k *Checker, field *Field, raw json.RawMessage) {
		var value T
		if err := json.Unmarshal(raw, &value); err != nil {
			k.Invalid(field.Key, fmt.Sprintf("%s must be %s: %s.", quote(field.Label), what, clean(err))).with("field", field.Key)
		}
	}
}

func (k *Checker) checkSelect(field *Field, raw json.RawMessage) {
	if text, ok := k.text(field.Key, field.Label, raw); ok {
		k.checkOption(field, field.Key, text)
	}
}

func (k *Checker) checkMulti(field *Field, raw json.RawMessage) {
	var choices []string
	if json.Unmarshal(raw, &choices) != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s must be a list of choices.", quote(field.Label))).with("field", field.Key)
		return
	}
	for i, choice := range choices {
		k.checkOption(field, joinPath(field.Key, strconv.Itoa(i)), choice)
	}
}

func (k *Checker) checkOption(field *Field, key, choice string) {
	values := make([]string, 0, len(field.Options))
	for _, option := range field.Options {
		values = append(values, option.Value)
	}
	if slices.Contains(values, choice) {
		return
	}
	problem := k.Invalid(key, fmt.Sprintf("%s cannot be %s. Choose one of %s.", quote(field.Label), quote(choice), strings.Join(values, ", "))).
		with("field", field.Key).with("value", choice)
	if near := Nearest(choice, values); near != "" {
		problem.fix("Use "+quote(near), key, near)
	}
}

func (k *Checker) checkDuration(field *Field, raw json.RawMessage) {
	var duration Duration
	if err := json.Unmarshal(raw, &duration); err != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s: %s.", quote(field.Label), clean(err))).with("field", field.Key)
		return
	}
	k.checkBounds(field, joinPath(field.Key, "amount"), float64(duration.Amount))
}

func (k *Checker) checkDateTime(field *Field, raw json.RawMessage) {
	text, ok := k.text(field.Key, field.Label, raw)
	if !ok {
		return
	}
	if _, err := ParseLocal(text, ZoneOf()); err != nil {
		k.Invalid(field.Key, upperFirst(clean(err))+".").with("field", field.Key)
	}
}

var armPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

func (k *Checker) checkArms(field *Field, raw json.RawMessage) {
	var arms []Arm
	if err := json.Unmarshal(raw, &arms); err != nil {
		k.Invalid(field.Key, "The ways of a split must each have an id, a label and a whole percentage.")
		return
	}
	if len(arms) < 2 || len(arms) > 20 {
		k.Invalid(field.Key, fmt.Sprintf("A split has 2 to 20 ways, not %d.", len(arms)))
	}
	seen := map[string]bool{}
	for i, arm := range arms {
		at := joinIndex("", field.Key, i)
		switch {
		case !armPattern.MatchString(arm.ID):
			k.Invalid(joinPath(at, "id"), fmt.Sprintf("The id %s of a way must be short: small letters, digits and -.", quote(arm.ID)))
		case seen[arm.ID]:
			k.Error(CodeIDTwice, joinPath(at, "id"), fmt.Sprintf("Two ways have the id %s. Give one of them another.", quote(arm.ID))).
				with("id", arm.ID)
		}
		seen[arm.ID] = true
		if arm.Weight < 0 || arm.Weight > 100 {
			k.Error(CodeSplitWeights, joinPath(at, "weight"), fmt.Sprintf("A way gets 0 to 100 %%, not %d %%.", arm.Weight)).
				with("total", strconv.Itoa(arm.Weight))
		}
	}
}

func (k *Checker) checkReentry(field *Field, raw json.RawMessage) {
	var reentry Reentry
	if err := decodeStrict(raw, &reentry); err != nil {
		k.Invalid(field.Key, "How often one person may go through: "+clean(err)+".")
		return
	}
	at := func(key string) string { return joinPath(field.Key, key) }
	switch reentry.rule() {
	case ReentryOnce, ReentryRestart, ReentryAfterExit:
	case ReentryEach:
		if reentry.Key == "" {
			k.Required(at("key"), "Name the property of the event that tells runs apart, such as cart_id.").with("field", at("key"))
		} else if !keyPattern.MatchString(reentry.Key) {
			k.Invalid(at("key"), fmt.Sprintf("%s is no property of an event. Write a name such as cart_id or cart.id.", quote(reentry.Key)))
		}
	default:
		k.Invalid(at("rule"), fmt.Sprintf("%s is not known. Choose once, after_exit, restart or each.", quote(reentry.Rule))).
			with("value", reentry.Rule)
	}
}

var keyPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*){0,3}$`)

func quote(text string) string { return `"` + shorten(text, 80) + `"` }

// clean is an error that is about a document, in words for its author.
func clean(err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &wrong) || strings.HasPrefix(err.Error(), "json: ") {
		return JSONFault(err)
	}
	return strings.TrimSuffix(err.Error(), ".")
}
