package engine

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// AnyMessage stands for every message in a field of the type "message".
const AnyMessage = "any"

// messageRef names the messages of one step of one funnel, or any.
type messageRef string

// picks tells whether an event about a message is about one of these.
func (r messageRef) picks(m *Moment) bool {
	if r == "" || r == AnyMessage {
		return true
	}
	funnel, step, _ := strings.Cut(string(r), "/")
	return m.signalProp(PropFunnel) == slugOf(funnel) && m.signalProp(PropStep) == step
}

// usual is what an event about such a message carries.
func (r messageRef) usual() map[string]any {
	funnel, step, one := strings.Cut(string(r), "/")
	if !one {
		return map[string]any{}
	}
	return map[string]any{PropFunnel: slugOf(funnel), PropStep: step}
}

// messageField lets people choose whose opens and clicks count.
func messageField() Field {
	return Field{Key: "message", Type: TypeMessage, Label: "Of which message", Default: AnyMessage}
}

// checkMessage judges a reference to messages.
func (k *Checker) checkMessage(field *Field, raw json.RawMessage) {
	ref, ok := k.text(field.Key, field.Label, raw)
	if !ok || ref == AnyMessage {
		return
	}
	funnel, step, both := strings.Cut(ref, "/")
	funnel = slugOf(funnel)
	if !both || !slugPattern.MatchString(funnel) || !slugPattern.MatchString(step) {
		k.Invalid(field.Key, fmt.Sprintf("%s is no message. Choose any, or a funnel and its step, such as welcome/mail-1.", quote(ref))).
			with("field", field.Key).with("value", ref).fix("Take any message", field.Key, AnyMessage)
		return
	}
	workspace := k.bundle.Workspace
	if workspace == nil || slices.Contains(workspace.Funnels, funnel) {
		return
	}
	problem := k.Error(CodeRefMissing, field.Key, fmt.Sprintf("There is no funnel %s. Choose another message.", quote(funnel))).
		with("of", "funnel").with("name", funnel)
	if near := Nearest(funnel, workspace.Funnels); near != "" {
		problem.fix("Use "+quote(near), field.Key, near+"/"+step)
	}
}
