package engine

import "slices"

// Standing is a trigger that somebody may fulfil already, before it ever fires: who is on the list, who has the tag.
type Standing struct {
	List, Tag string // slug; one of them is set
	Event     Event  // what would have fired it; without id and time
}

// Standing are the triggers of the funnel of that sort, in their order.
func (p *Plan) Standing() []Standing {
	var standing []Standing
	for _, t := range p.triggers {
		slug, _ := t.event.Usual[t.event.Stays].(string)
		if slug == "" {
			continue
		}
		s := Standing{Event: Event{Name: t.event.Name, Props: t.event.Usual}}
		if t.event.Stays == "list" {
			s.List = slug
		} else {
			s.Tag = slug
		}
		standing = append(standing, s)
	}
	return standing
}

// Holds tells whether the person fulfils the trigger now.
func (s Standing) Holds(c Contact) bool {
	return s.List != "" && slices.Contains(c.Lists, s.List) || s.Tag != "" && slices.Contains(c.Tags, s.Tag)
}
