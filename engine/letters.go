package engine

import (
	"errors"
	"time"
)

// Letters are the texts of a bundle's creatives, read once to be filled in for many people.
type Letters struct{ texts map[string][]letterText }

type letterText struct {
	title  bool // it is the headline
	merge  *Merge
	within []Block
}

// NewLetters reads the texts of a bundle. A text that cannot be read is left out: it is the validator's business.
func NewLetters(bundle Bundle) *Letters {
	l := &Letters{texts: map[string][]letterText{}}
	for slug, creative := range bundle.Creatives {
		texts, _ := creative.Texts()
		headline := creative.Headline()
		for _, text := range texts {
			if merge, err := ParseMerge(text.Text); err == nil {
				l.texts[slug] = append(l.texts[slug], letterText{title: text.Text == headline, merge: merge, within: text.Within})
			}
		}
	}
	return l
}

// Lacks is the variable that has no value when the creative is filled in for a person, "" when all have.
func (l *Letters) Lacks(run *Run, person *Contact, creative string, zone *time.Location) string {
	scope := letterScope(run, person, zone)
	missing := ""
	for _, text := range l.texts[creative] {
		err := scope.EachWithin(text.within, func(inner *MergeScope) error {
			_, err := text.merge.Render(inner, ContextPlain)
			return err
		})
		if fault := (*MergeError)(nil); errors.As(err, &fault) && fault.Fault == MergeMissing {
			missing = fault.Variable
		}
	}
	return missing
}

// Title is the subject, or the text of a message without one, as the person would read it; "" when it cannot be filled in.
func (l *Letters) Title(run *Run, person *Contact, creative string, zone *time.Location) string {
	for _, text := range l.texts[creative] {
		if text.title {
			filled, err := text.merge.Render(letterScope(run, person, zone), ContextPlain)
			if err != nil {
				return ""
			}
			return filled
		}
	}
	return ""
}

func letterScope(run *Run, person *Contact, zone *time.Location) *MergeScope {
	return &MergeScope{
		Fields: person.Fields, Event: run.Event, Vars: run.Vars,
		Workspace:      map[string]any{"name": "Lejek", "address": "-"},
		UnsubscribeURL: "https://example.com/u", ViewURL: "https://example.com/v", Zone: zone,
	}
}
