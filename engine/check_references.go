package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (k *Checker) checkRef(field *Field, raw json.RawMessage) {
	ref, ok := k.text(field.Key, field.Label, raw)
	if !ok {
		return
	}
	slug, ok := refTo(field.Of, ref)
	if !ok {
		problem := k.Invalid(field.Key, fmt.Sprintf("%s must name a %s, such as %s.", quote(field.Label), field.Of, quote(field.Of+":name"))).
			with("field", field.Key).with("value", ref)
		if slugPattern.MatchString(ref) {
			problem.fix("Use "+quote(field.Of+":"+ref), field.Key, field.Of+":"+ref)
		}
		return
	}
	switch {
	case field.Of == "creative":
		k.checkCreativeRef(field.Key, slug)
	case k.bundle.Workspace != nil:
		k.checkWorkspaceRef(field, slug)
	}
}

// checkCreativeRef looks a message up in the document itself, so it needs no workspace.
func (k *Checker) checkCreativeRef(key, slug string) {
	if !k.content {
		return
	}
	if _, known := k.bundle.Creatives[slug]; known {
		return
	}
	known := sortedKeys(k.bundle.Creatives)
	message := fmt.Sprintf("The message %s is not there. Write it, or choose another.", quote(slug))
	problem := k.Error(CodeCreativeMissing, key, message).with("name", slug)
	if near := Nearest(slug, known); near != "" {
		problem.fix("Use "+quote(near), key, "creative:"+near)
	}
}

func (k *Checker) checkWorkspaceRef(field *Field, slug string) {
	workspace := k.bundle.Workspace
	known := workspace.slugs(field.Of)
	if !slices.Contains(known, slug) {
		message := fmt.Sprintf("There is no %s %s. Create it, or choose another.", field.Of, quote(slug))
		near := Nearest(slug, known)
		if near != "" {
			message = fmt.Sprintf("There is no %s %s. Did you mean %s?", field.Of, quote(slug), quote(near))
		}
		problem := k.Error(CodeRefMissing, field.Key, message).with("of", field.Of).with("name", slug)
		if near != "" {
			problem.fix("Use "+quote(near), field.Key, field.Of+":"+near)
		}
		return
	}
	switch field.Of {
	case "sender":
		k.checkSender(field.Key, slug)
	case "connection":
		k.checkConnection(field, slug)
	}
}

// checkConnection refuses a connection of a kind the step can do nothing with.
func (k *Checker) checkConnection(field *Field, slug string) {
	fitting := make([]string, 0, len(field.Options))
	for _, option := range field.Options {
		fitting = append(fitting, option.Value)
	}
	for _, connection := range k.bundle.Workspace.Connections {
		if connection.Slug == slug && len(fitting) > 0 && !slices.Contains(fitting, connection.Kind) {
			k.Invalid(field.Key, fmt.Sprintf("The connection %s is one of the kind %s. Choose one of the kind %s.",
				quote(slug), connection.Kind, strings.Join(fitting, " or "))).with("field", field.Key).with("value", connection.Kind)
		}
	}
}

func (k *Checker) checkSender(key, slug string) {
	for _, sender := range k.bundle.Workspace.Senders {
		if sender.Slug == slug && !sender.Verified {
			k.Warning(CodeSenderUnverified, key,
				fmt.Sprintf("The sender %s is not verified, so mail may be refused or land in spam. Verify it in Settings.", quote(sender.Email))).
				with("sender", sender.Email)
		}
	}
}

// slugs lists what a workspace has of a kind of reference.
func (w *Workspace) slugs(of string) []string {
	switch of {
	case "tag":
		return w.Tags
	case "list":
		return w.Lists
	case "segment":
		return w.Segments
	case "topic":
		return w.Topics
	case "funnel":
		return w.Funnels
	case "resource":
		return w.Resources
	case "form":
		var slugs []string
		for _, form := range w.Forms {
			slugs = append(slugs, form.Slug)
		}
		return slugs
	case "sender":
		var slugs []string
		for _, sender := range w.Senders {
			slugs = append(slugs, sender.Slug)
		}
		return slugs
	case "connection":
		var slugs []string
		for _, connection := range w.Connections {
			slugs = append(slugs, connection.Slug)
		}
		return slugs
	case "field":
		var keys []string
		for _, field := range w.ContactFields() {
			keys = append(keys, field.Key)
		}
		return keys
	default:
		return nil
	}
}

func (k *Checker) checkZone(field *Field, raw json.RawMessage) {
	if name, ok := k.text(field.Key, field.Label, raw); ok {
		if _, err := LoadZone(name); err != nil {
			k.Invalid(field.Key, fmt.Sprintf("%s is not a time zone. Choose one such as Europe/Warsaw.", quote(name))).with("value", name)
		}
	}
}

// checkAudience judges a reference to a segment or a list.
func (k *Checker) checkAudience(field *Field, raw json.RawMessage) {
	of := *field
	of.Of = "segment"
	var ref string
	if json.Unmarshal(raw, &ref) == nil && strings.HasPrefix(ref, "list:") {
		of.Of = "list"
	}
	k.checkRef(&of, raw)
}

func (k *Checker) checkEventName(field *Field, raw json.RawMessage) {
	if name, ok := k.text(field.Key, field.Label, raw); ok {
		k.checkName(field.Key, name)
	}
}

func (k *Checker) checkName(key, name string) {
	if IsEventName(name) {
		return
	}
	problem := k.Invalid(key, fmt.Sprintf(
		"%s is no name of an event. Use small letters, digits, _ and . and begin with a letter, such as order_placed.", quote(name))).
		with("value", name)
	if better := eventNameLike(name); IsEventName(better) {
		problem.fix("Use "+quote(better), key, better)
	}
}

// eventNameLike is what somebody who wrote "Order Placed" meant.
func eventNameLike(name string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return '_'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}

func (k *Checker) checkEvent(field *Field, raw json.RawMessage) {
	var shape struct {
		Name  string          `json:"name"`
		Where json.RawMessage `json:"where"`
		Step  string          `json:"step"`
	}
	if err := decodeStrict(raw, &shape); err != nil {
		k.Invalid(field.Key, fmt.Sprintf("%s: %s.", quote(field.Label), clean(err))).with("field", field.Key)
		return
	}
	part := k.inside(field.Key)
	if shape.Name == "" {
		part.Required("name", "Choose the event.").with("field", field.Key)
		return
	}
	part.checkName("name", shape.Name)
	if !isEmpty(shape.Where) {
		part.checkWhere("where", shape.Name, shape.Where)
	}
	if shape.Step == "" {
		return
	}
	if !aboutMessages(shape.Name) {
		part.Invalid("step", fmt.Sprintf("%s is not about a message. Take the step away.", quote(shape.Name))).
			fix("Take the step away", "step", nil)
	} else if !slices.Contains(k.senders, shape.Step) {
		part.Error(CodeRefMissing, "step", fmt.Sprintf("This funnel has no message step %s. Choose one.", quote(shape.Step))).
			with("name", shape.Step)
	}
}

func (k *Checker) checkRule(field *Field, raw json.RawMessage) {
	if field.Of == "event" {
		var event string
		_ = json.Unmarshal(k.members["name"], &event) // what is no name is said of the name
		k.checkWhere(field.Key, event, raw)
		return
	}
	rule, problems := DecodeRule(raw)
	if len(problems) == 0 {
		problems = rule.Check(RuleScope{Workspace: k.bundle.Workspace, Events: k.triggerEvents, Run: true, Steps: k.senders})
	}
	k.take(problems, field.Key)
}

// checkWhere judges a rule on the properties of an event; the name "" is one not known here.
func (k *Checker) checkWhere(key, event string, raw json.RawMessage) {
	rule, problems := decodeWhere(raw)
	if len(problems) == 0 && event != "" {
		problems = rule.Check(RuleScope{Workspace: k.bundle.Workspace, Where: event})
	}
	k.take(problems, key)
}

// take adds the problems of a part of the config.
func (k *Checker) take(problems []Problem, key string) {
	for _, p := range PlaceProblems(problems, k.node, strings.TrimSuffix(k.prefix+key, ".")) {
		if p.Code == CodeRefMissing && !k.content {
			continue
		}
		*k.problems = append(*k.problems, p)
	}
}

func (k *Checker) checkTriggers(field *Field, raw json.RawMessage) {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		k.Invalid(field.Key, "The triggers must be a list.")
		return
	}
	for i, element := range elements {
		k.inside(joinPath(field.Key, strconv.Itoa(i))).checkTrigger(element)
	}
}

func (k *Checker) checkTrigger(raw json.RawMessage) {
	var config triggerConfig
	if json.Unmarshal(raw, &config) != nil || config.Kind == "" {
		k.Required("kind", "Choose what starts the funnel.")
		return
	}
	definition := triggerKinds[config.Kind]
	if definition == nil {
		k.unknownKind("kind", config.Kind, sortedKeys(triggerKinds), "trigger")
		return
	}
	before := len(*k.problems)
	counted := k.checkFields(definition.Kind, config.Config)
	if found := (*k.problems)[before:]; hasError(found) && !onlyReferences(found) {
		return
	}
	sound, err := json.Marshal(counted)
	if err != nil {
		return
	}
	if bound, err := definition.bind(sound); err == nil && bound.check != nil {
		bound.check(k)
	}
}

// unknownKind adds KIND_UNKNOWN.
func (k *Checker) unknownKind(key, kind string, known []string, what string) {
	message := fmt.Sprintf("There is no %s of the kind %s. Choose one of %s.", what, quote(kind), strings.Join(known, ", "))
	problem := k.Error(CodeKindUnknown, key, message).with("kind", kind)
	if near := Nearest(kind, known); near != "" {
		problem.fix("Use "+quote(near), key, near)
	}
}
