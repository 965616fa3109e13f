package engine

import "slices"

// EventFormSubmitted is the event of a form that counts: confirmed, where the address has to be.
const EventFormSubmitted = "form_submitted"

const propForm = "form"

// formSubmitConfig names the form, and narrows its answers.
type formSubmitConfig struct {
	Form  string `json:"form"`
	Where *Where `json:"where"`
}

var _ = DefineTrigger(TriggerSpec[formSubmitConfig]{
	Kind: Kind{
		Kind: "form_submit", Family: FamilyTrigger, Order: 6,
		Title:   "A form is sent",
		Purpose: "Somebody fills in one of your forms. With double opt-in it counts once they have confirmed their address.",
		Synonyms: []string{"form", "sign-up form", "lead", "landing page", "formularz", "zapis", "wysłanie formularza",
			"форма", "анкета", "заявка"},
		Fields: []Field{
			{Key: "form", Type: TypeRef, Of: "form", Label: "Form", Required: true},
			{Key: "where", Type: TypeRule, Of: "event", Label: "Only when",
				Help: "A rule on the answers, by the keys of the form's fields."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c formSubmitConfig) TriggerEvent {
		return TriggerEvent{
			Name: EventFormSubmitted, Props: []string{propForm, "submission_id"}, Open: true, Usual: map[string]any{propForm: slugOf(c.Form)},
		}
	},
	Matches: func(c formSubmitConfig, m *Moment) bool {
		return m.signalProp(propForm) == slugOf(c.Form) && m.picks(c.Where)
	},
	Check: func(c formSubmitConfig, k *Checker) {
		workspace := k.bundle.Workspace
		if c.Where == nil || workspace == nil || !slices.Contains(workspace.slugs(propForm), slugOf(c.Form)) {
			return
		}
		answers := *workspace
		answers.Events = map[string][]string{EventFormSubmitted: append([]string{propForm, "submission_id"}, workspace.answers(slugOf(c.Form))...)}
		k.take(c.Where.Check(RuleScope{Workspace: &answers, Where: EventFormSubmitted}), "where")
	},
})

// answers are the keys a form asks for.
func (w *Workspace) answers(form string) []string {
	for _, f := range w.Forms {
		if f.Slug == form {
			return f.Answers
		}
	}
	return nil
}
