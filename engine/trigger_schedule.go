package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// scheduleConfig is a recurring time for everybody of a segment or list.
type scheduleConfig struct {
	RRule    Recurrence `json:"rrule"`
	Zone     string     `json:"zone"`
	Audience string     `json:"audience"`
}

// Schedule is a recurring time a plan starts on: at each of its times the event schedule_due happens to everybody of the
// audience.
type Schedule struct {
	Key        string     `json:"key"` // the same for the same settings
	Recurrence Recurrence `json:"rrule"`
	Zone       string     `json:"zone,omitempty"` // empty is the workspace's
	Audience   string     `json:"audience"`       // segment:<slug> or list:<slug>
}

func (c scheduleConfig) schedule() *Schedule {
	return &Schedule{Key: keyOfSettings(c.RRule.String(), c.Zone, c.Audience), Recurrence: c.RRule, Zone: c.Zone, Audience: c.Audience}
}

// keyOfSettings is a short name for settings, the same for the same ones.
func keyOfSettings(settings ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(settings, "\x00")))
	return hex.EncodeToString(sum[:8])
}

var _ = DefineTrigger(TriggerSpec[scheduleConfig]{
	Kind: Kind{
		Kind: "schedule", Family: FamilyTrigger, Order: 13,
		Title:   "At a recurring time",
		Purpose: "Every Monday at nine, on the first of the month, once a year: starts everybody of a segment or list, each once per time.",
		Synonyms: []string{"schedule", "recurring", "weekly", "monthly", "every", "cron", "harmonogram", "cyklicznie", "co tydzień", "co miesiąc",
			"расписание", "еженедельно", "ежемесячно", "каждый"},
		Fields: []Field{
			{Key: "rrule", Type: TypeRecurrence, Label: "When", Required: true, Default: "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0"},
			{Key: "zone", Type: TypeZone, Label: "Time zone", Help: "Empty: that of the workspace."},
			{Key: "audience", Type: TypeAudience, Label: "For", Required: true, Help: "Everybody who is in the segment or on the list at that time."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c scheduleConfig) TriggerEvent {
		usual := map[string]any{"schedule": c.schedule().Key}
		return TriggerEvent{Name: EventScheduleDue, Props: []string{"schedule", "audience"}, Usual: usual}
	},
	Matches:  func(c scheduleConfig, m *Moment) bool { return m.signalProp("schedule") == c.schedule().Key },
	Recurs:   func(scheduleConfig) bool { return true },
	Schedule: func(c scheduleConfig) *Schedule { return c.schedule() },
})
