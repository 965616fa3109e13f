package engine

import (
	"maps"
	"slices"
)

// The changes of a contact.
const (
	ChangeAddTag     = "add_tag"
	ChangeRemoveTag  = "remove_tag"
	ChangeAddList    = "add_list"
	ChangeRemoveList = "remove_list"
	ChangeSetField   = "set_field"
)

// membership is a change that puts a contact into a set of theirs, or takes them out, and the event it becomes.
type membership struct {
	joins bool
	event string
	prop  string // of the event: which member
	of    func(*Contact) *[]string
}

var memberships = map[string]membership{
	ChangeAddTag:     {true, "tag_added", "tag", tagsOf},
	ChangeRemoveTag:  {false, "tag_removed", "tag", tagsOf},
	ChangeAddList:    {true, "list_joined", "list", listsOf},
	ChangeRemoveList: {false, "list_left", "list", listsOf},
}

func tagsOf(c *Contact) *[]string { return &c.Tags }

func listsOf(c *Contact) *[]string { return &c.Lists }

// membershipOf finds the change an event tells of.
func membershipOf(event string) (op string, known bool) {
	for op, change := range memberships {
		if change.event == event {
			return op, true
		}
	}
	return "", false
}

// changes tells whether the change makes a difference to the contact.
func (c membership) changes(contact *Contact, name string) bool {
	return slices.Contains(*c.of(contact), name) != c.joins
}

// Changed is the contact after a change; the original keeps its own tags, lists and fields.
func (c *Contact) Changed(op, name string, value any) *Contact {
	after := *c
	change, member := memberships[op]
	switch {
	case member && !change.changes(c, name):
	case member && change.joins:
		*change.of(&after) = append(slices.Clone(*change.of(c)), name)
	case member:
		*change.of(&after) = slices.DeleteFunc(slices.Clone(*change.of(c)), func(s string) bool { return s == name })
	case op == ChangeSetField:
		after.Fields = maps.Clone(c.Fields)
		if after.Fields == nil {
			after.Fields = map[string]any{}
		}
		after.Fields[name] = value
	}
	return &after
}

// Change asks for a change of the contact. Later nodes of the same advance already see it.
func (m *Moment) Change(op, name string, value any) {
	m.Do(ChangeContact{Seq: m.Seq, Node: m.Node, Op: op, Name: name, Value: value})
	m.Contact = m.Contact.Changed(op, name, value)
}

// changeMembership puts the person into a set of theirs, or takes them out, and goes on. The journal tells when there was
// nothing to do.
func (m *Moment) changeMembership(op, ref string) Outcome {
	change, name := memberships[op], slugOf(ref)
	detail := map[string]any{change.prop: name}
	switch {
	case change.changes(m.Contact, name):
	case change.joins:
		detail["already"] = true
	default:
		detail["absent"] = true
	}
	m.Change(op, name, nil)
	return leave(portNext, detail)
}
