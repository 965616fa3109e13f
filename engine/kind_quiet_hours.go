package engine

import "time"

var _ = Define(Spec[QuietHours]{
	Kind: Kind{
		Kind: "quiet_hours", Family: FamilyWait, Order: 3,
		Title:   "Quiet hours",
		Purpose: "From here on, marketing messages of this funnel do not leave at these hours. They leave when the hours are over.",
		Synonyms: []string{"quiet", "night", "do not disturb", "silence", "cisza nocna", "godziny ciszy", "noc", "nie przeszkadzać",
			"тихие часы", "ночь", "не беспокоить"},
		Fields: []Field{
			{Key: "from", Type: TypeTimeOfDay, Label: "From", Required: true, Default: "21:00", Help: "Where the person lives."},
			{Key: "to", Type: TypeTimeOfDay, Label: "To", Required: true, Default: "08:00",
				Help: "An earlier time is that of the next day; the same time makes a whole day."},
			{Key: "days", Type: TypeMulti, Label: "Days", Options: weekdayOptions,
				Help: "On which they begin. None chosen: every day."},
		},
		Ports: []PortSpec{{ID: portNext}},
	},
	Check: func(q QuietHours, k *Checker) {
		if _, ever := OpenFrom(time.Time{}.AddDate(2000, 0, 0), []QuietHours{q}, time.UTC); !ever {
			k.Invalid("to", "These hours never end, so no message would ever leave. Choose another time, or fewer days.").
				fix("Until 08:00", "to", "08:00")
		}
	},
	Run: func(q QuietHours, _ *Moment) Outcome {
		return Outcome{Port: portNext, Quiet: &q, Detail: map[string]any{"hours": q}}
	},
})
