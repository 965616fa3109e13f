package engine

import "time"

// waitConfig says how long a person stays. Mode decides which of the others count.
type waitConfig struct {
	Mode     string      `json:"mode"`
	For      Duration    `json:"for"`
	At       *TimeOfDay  `json:"at"`
	Date     string      `json:"date"`
	Field    string      `json:"field"`
	Offset   *Offset     `json:"offset"`
	Weekdays []string    `json:"weekdays"`
	Event    *EventMatch `json:"event"`
	Rule     *Question   `json:"rule"`
	Timeout  Duration    `json:"timeout"`
}

// The modes of a wait.
const (
	waitDuration   = "duration"
	waitDate       = "date"
	waitDateField  = "date_field"
	waitWeekday    = "weekday"
	waitUntilEvent = "until_event"
	waitUntilRule  = "until_rule"
)

var timeModes = []ShowIf{{Key: "mode", In: []string{waitDuration, waitDate, waitDateField, waitWeekday}}}

var untilModes = []ShowIf{{Key: "mode", In: []string{waitUntilEvent, waitUntilRule}}}

var _ = Define(Spec[waitConfig]{
	Kind: Kind{
		Kind: "wait", Family: FamilyWait, Order: 1,
		Title:   "Wait",
		Purpose: "Holds the person for a time, until a date or weekday, or until something happens.",
		Synonyms: []string{"delay", "pause", "sleep", "until", "timer", "czekaj", "poczekaj", "opóźnienie", "pauza",
			"подождать", "ждать", "пауза", "задержка", "ожидание"},
		Fields: []Field{
			{Key: "mode", Type: TypeSelect, Label: "Wait", Required: true, Default: waitDuration, Options: []Option{
				{Value: waitDuration, Label: "for a time"},
				{Value: waitDate, Label: "until a date"},
				{Value: waitDateField, Label: "until a date of the person"},
				{Value: waitWeekday, Label: "until a weekday"},
				{Value: waitUntilEvent, Label: "until something happens"},
				{Value: waitUntilRule, Label: "until a rule is true"},
			}},
			{Key: "for", Type: TypeDuration, Label: "How long", Required: true, Min: new(0.0),
				Help:    "Minutes and hours are exact. Days and weeks are calendar days where the person lives.",
				Default: Duration{Amount: 3, Unit: Days}, ShowIf: []ShowIf{{Key: "mode", In: []string{waitDuration}}}},
			{Key: "field", Type: TypeRef, Of: "field", Label: "Date", Required: true,
				Help:   "A date field of the person. Who has none, or whose date has passed, goes on at once.",
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitDateField}}}},
			{Key: "offset", Type: TypeOffset, Label: "Before or after it", Help: "Empty: on the date itself.",
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitDateField}}}},
			{Key: "at", Type: TypeTimeOfDay, Label: "At",
				Help:   "Where the person lives. After a number of days or weeks, or on the day.",
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitDuration, waitDateField, waitWeekday}}}},
			{Key: "date", Type: TypeDateTime, Label: "Date and time", Required: true,
				Help:   "Where the person lives. When it has passed they go on at once.",
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitDate}}}},
			{Key: "weekdays", Type: TypeMulti, Label: "Days", Required: true, Options: weekdayOptions,
				Default: []string{"mon"}, ShowIf: []ShowIf{{Key: "mode", In: []string{waitWeekday}}}},
			{Key: "event", Type: TypeEvent, Label: "Until this happens", Required: true,
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitUntilEvent}}}},
			{Key: "rule", Type: TypeRule, Label: "Until this is true", Required: true,
				ShowIf: []ShowIf{{Key: "mode", In: []string{waitUntilRule}}}},
			{Key: "timeout", Type: TypeDuration, Label: "At most", Required: true, Min: new(1.0),
				Default: Duration{Amount: 7, Unit: Days}, ShowIf: untilModes},
		},
		Ports: []PortSpec{
			{ID: portNext, ShowIf: timeModes},
			{ID: portNext, Label: "It happened", ShowIf: untilModes},
			{ID: portTimeout, Label: "Time is up", ShowIf: untilModes},
		},
	},
	Check: checkWait,
	Run:   waitConfig.run,
	Wakes: func(c waitConfig) []string {
		if c.Mode == waitUntilEvent {
			return eventsOf(c.Event)
		}
		return nil
	},
	Watches: func(c waitConfig) []*Question {
		if c.Mode == waitUntilRule {
			return questions(c.Rule)
		}
		return nil
	},
	Local: func(c waitConfig) bool { return c.local() },
	Slow:  func(c waitConfig) bool { return c.slow() },
})

var weekdayOptions = []Option{
	{Value: "mon", Label: "Monday"},
	{Value: "tue", Label: "Tuesday"},
	{Value: "wed", Label: "Wednesday"},
	{Value: "thu", Label: "Thursday"},
	{Value: "fri", Label: "Friday"},
	{Value: "sat", Label: "Saturday"},
	{Value: "sun", Label: "Sunday"},
}

func checkWait(c waitConfig, k *Checker) {
	switch c.Mode {
	case waitDuration:
		_, exact := c.For.Exact()
		if c.At != nil && exact {
			k.Invalid("at", "A time of day goes with days or weeks. Take it away, or wait a number of days.").
				fix("Take the time of day away", "at", nil)
		}
		if c.For.IsZero() && (c.At == nil || exact) {
			k.Invalid("for.amount", "A wait takes at least 1. Enter a number of minutes, hours, days or weeks.").
				fix("Wait 1", "for.amount", 1)
		}
	case waitDateField:
		k.checkDateField("field", slugOf(c.Field))
	case waitWeekday:
		if c.At == nil {
			k.Required("at", "Enter the time of day at which the person goes on.").fix("At 09:00", "at", "09:00")
		}
	}
}

func (c waitConfig) run(m *Moment) Outcome {
	until := c.until(m)
	switch c.Mode {
	case waitDateField:
		return c.untilField(m, until)
	case waitUntilEvent:
		if c.Event.matches(m) {
			return m.leaveOnSignal(portNext)
		}
		return m.stayOrTimeout(until, time.Time{})
	case waitUntilRule:
		verdict := m.Ask(c.Rule)
		if verdict.True {
			return m.leaveOnTruth(portNext, verdict)
		}
		return m.stayOrTimeout(until, verdict.NextChange)
	default:
		return m.stayOrGo(until)
	}
}

// until is when the stay ends by time alone, counted from the instant the run was due here.
func (c waitConfig) until(m *Moment) time.Time {
	switch c.Mode {
	case waitDuration:
		return AddDuration(m.At, c.For, c.At, m.Zone)
	case waitDate:
		return localDate(c.Date, m.Zone)
	case waitDateField:
		return c.fieldDate(m)
	case waitWeekday:
		return NextWeekday(m.At, weekdaysOf(c.Weekdays), *c.At, m.Zone)
	default:
		return AddDuration(m.At, c.Timeout, nil, m.Zone)
	}
}

// local tells that the end of the stay depends on the person's zone.
func (c waitConfig) local() bool {
	span := c.For
	switch c.Mode {
	case waitDate, waitDateField, waitWeekday:
		return true
	case waitUntilEvent, waitUntilRule:
		span = c.Timeout
	}
	_, exact := span.Exact()
	return !exact
}

// slow tells that the wait always takes a minute: a date may have passed, an event may come at once.
func (c waitConfig) slow() bool {
	return c.Mode == waitWeekday || c.Mode == waitDuration && !c.For.IsZero()
}

// ends is the port by which time alone leads on.
func (c waitConfig) ends() string {
	switch c.Mode {
	case waitUntilEvent, waitUntilRule:
		return portTimeout
	default:
		return portNext
	}
}

func localDate(text string, zone *time.Location) time.Time {
	at, err := ParseLocal(text, zone)
	if err != nil {
		return time.Time{} // refused when the plan was compiled
	}
	return at
}

func weekdaysOf(names []string) []time.Weekday {
	days := make([]time.Weekday, 0, len(names))
	for _, name := range names {
		if day, err := ParseWeekday(name); err == nil {
			days = append(days, day)
		}
	}
	return days
}
