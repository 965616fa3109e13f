package engine

import "slices"

// RuleFacts is what has to be known of a person, besides their own fields, tags and lists, to answer a rule.
type RuleFacts struct {
	Events   []string // names whose events are looked at one by one, sorted
	Rollups  bool     // counts by name
	Consents bool
	Segments bool
}

// Facts says what the rule asks of a person.
func (r *Rule) Facts() RuleFacts {
	var facts RuleFacts
	names := set{}
	r.walk("", func(_ string, leaf *Rule) {
		switch {
		case leaf.Event != nil && (leaf.Event.Within != nil || leaf.Event.Where != nil || leaf.Event.Property != ""):
			names.add(leaf.Event.Name)
		case leaf.Event != nil:
			facts.Rollups = true
		case leaf.Consent != nil:
			facts.Consents = true
		case leaf.Segment != "":
			facts.Segments = true
		}
	})
	facts.Events = names.sorted()
	return facts
}

// Changers lists the events after which the rule's answer about a person may be another one, sorted. Any rule may become
// true of somebody who is new.
func (r *Rule) Changers() []string {
	names := append(changersOf(r), "contact_created")
	slices.Sort(names)
	return slices.Compact(names)
}

// SegmentSlugs lists the segments the rule is made of.
func (r *Rule) SegmentSlugs() []string {
	var slugs []string
	r.walk("", func(_ string, leaf *Rule) {
		if leaf.Segment != "" {
			slugs = append(slugs, leaf.Segment)
		}
	})
	return slugs
}

// DependsOnZone tells whether the rule compares days or local times, which the workspace's zone decides.
func (r *Rule) DependsOnZone() bool {
	depends := false
	r.walk("", func(_ string, leaf *Rule) {
		op, value := leaf.Op, leaf.Value
		if leaf.Event != nil {
			op, value = leaf.Event.Op, leaf.Event.Value
			if leaf.Event.Where != nil && leaf.Event.Where.DependsOnZone() {
				depends = true
			}
		}
		if row := operatorOf(op); row != nil {
			if f, ok := row.formFor(value); ok && f.kind == kindDate {
				depends = true
			}
		}
	})
	return depends
}
