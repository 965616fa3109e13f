package engine

// segmentEnterConfig names the segment somebody comes to belong to.
type segmentEnterConfig struct {
	Segment string `json:"segment"`
}

var _ = DefineTrigger(TriggerSpec[segmentEnterConfig]{
	Kind: Kind{
		Kind: "segment_enter", Family: FamilyTrigger, Order: 6,
		Title:   "Somebody enters a segment",
		Purpose: "A contact starts to match a segment: by what they do, by what changes about them, or because time has passed.",
		Synonyms: []string{"segment", "audience", "group", "inactive", "segment odbiorców", "grupa", "nieaktywny", "wchodzi do segmentu",
			"сегмент", "группа", "аудитория", "неактивный"},
		Fields: []Field{{Key: "segment", Type: TypeRef, Of: "segment", Label: "Segment", Required: true}},
		Ports:  []PortSpec{},
	},
	Event: func(c segmentEnterConfig) TriggerEvent {
		usual := map[string]any{"segment": slugOf(c.Segment)}
		return TriggerEvent{Name: EventSegmentEntered, Props: []string{"segment"}, Usual: usual, Stays: "segment"}
	},
	Matches: func(c segmentEnterConfig, m *Moment) bool { return m.signalProp("segment") == slugOf(c.Segment) },
})
