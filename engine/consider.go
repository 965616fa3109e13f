package engine

// Opening is one way into a funnel: the kind of trigger, and the event that fires it, as far as its config says.
type Opening struct {
	Kind  string
	Event Event // without id and time
}

// Openings are the triggers of the funnel, in their order.
func (p *Plan) Openings() []Opening {
	openings := make([]Opening, len(p.triggers))
	for i, t := range p.triggers {
		openings[i] = Opening{Kind: t.kind, Event: Event{Name: t.event.Name, Props: t.event.Usual}}
	}
	return openings
}

// Consider answers what Admit would if the opening fired now for the person: filter, key and goals. What only a real event
// can tell, such as its own properties, is missing.
func (p *Plan) Consider(opening Opening, in Input) Admission {
	event := opening.Event
	event.At = in.Now
	m := &Moment{
		Now: in.Now, At: in.Now, Node: p.entry.id, Contact: &in.Contact, Signal: &event,
		Zone: ZoneOf(in.Contact.Zone, in.Zone), Home: ZoneOf(in.Zone),
		Run: Run{Event: event.Props, StartedAt: in.Now},
	}
	admission := Admission{Trigger: opening.Kind, Reentry: p.reentry}
	p.judge(&admission, m)
	return admission
}

// NextOf is the step a run comes to by the first port of a node, "" when it ends there.
func (p *Plan) NextOf(node string) string {
	n := p.nodes[node]
	if n == nil || len(n.ports) == 0 {
		return ""
	}
	return n.next[n.ports[0].ID]
}

// Awaits is the event that ends a wait before its time, in words; false where a rule does, or nothing.
func (p *Plan) Awaits(node string) (Title, bool) {
	n := p.nodes[node]
	if n == nil {
		return Title{}, false
	}
	config, waits := n.step.config.(waitConfig)
	if !waits || config.Mode != waitUntilEvent || config.Event == nil {
		return Title{}, false
	}
	return eventTitle(config.Event.Name), true
}

// Until tells that a node is a wait that something may end before its time.
func (p *Plan) Until(node string) bool {
	n := p.nodes[node]
	if n == nil {
		return false
	}
	config, waits := n.step.config.(waitConfig)
	return waits && (config.Mode == waitUntilEvent || config.Mode == waitUntilRule)
}
