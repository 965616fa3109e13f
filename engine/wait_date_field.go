package engine

import (
	"fmt"
	"time"
)

// untilField stays until the date of the person. It is looked up anew whenever something about them has changed.
func (c waitConfig) untilField(m *Moment, until time.Time) Outcome {
	field := slugOf(c.Field)
	if until.IsZero() {
		out := leave(portNext, map[string]any{"field": field, "missing": true})
		if !m.Run.Deadline.IsZero() {
			out.At = m.Now // the date was taken away while the person waited for it
		}
		return out
	}
	out := m.stayOrGo(until)
	if out.Detail != nil {
		out.Detail["field"], out.Detail["value"] = field, m.Contact.Fields[field]
	}
	return out
}

// fieldDate is when the wait for the person's date ends; zero when they have no such date.
func (c waitConfig) fieldDate(m *Moment) time.Time {
	date, ok := readDate(m.Contact.Fields[slugOf(c.Field)])
	if !ok {
		return time.Time{}
	}
	offset := Offset{Duration: Duration{Unit: Days}, Direction: After}
	if c.Offset != nil {
		offset = *c.Offset
	}
	return offset.From(date, c.At, m.Zone)
}

// checkDateField refuses a field of the contact that is known and no date.
func (k *Checker) checkDateField(key, field string) {
	if k.bundle.Workspace == nil {
		return
	}
	var dates []string
	for _, f := range k.bundle.Workspace.ContactFields() {
		if f.Type == "date" {
			dates = append(dates, f.Key)
		}
	}
	for _, f := range k.bundle.Workspace.ContactFields() {
		if f.Key != field || f.Type == "date" {
			continue
		}
		problem := k.Invalid(key, fmt.Sprintf("%s is no date. Choose a date field.", quote(field))).with("field", key).with("value", field)
		if near := Nearest(field, dates); near != "" {
			problem.fix("Use "+quote(near), key, "field:"+near)
		}
	}
}
