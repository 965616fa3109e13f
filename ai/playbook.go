package ai

import (
	"embed"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed playbooks/*.json
var playbookFiles embed.FS

// playbook is a funnel that works in practice, as data: playbooks/playbooks.json. A new one is an entry there, its cues in the
// lexicons and its texts in the copy library.
type playbook struct {
	ID      string            `json:"id"`
	Starts  []start           `json:"starts"` // the first one that can be drawn is taken
	Reentry string            `json:"reentry"`
	Goal    string            `json:"goal"`
	Silence float64           `json:"silence"` // hours without the starting event before the first message, when Starts says silent
	Touches []touch           `json:"touches"`
	Keep    []string          `json:"keep"`  // roles to keep first when fewer messages are asked for
	More    []string          `json:"more"`  // roles of further messages
	Gap     float64           `json:"gap"`   // hours between further messages
	Lead    bool              `json:"lead"`  // a single time in the prompt is that of the first message
	Roles   map[string]string `json:"roles"` // what a role named in the prompt means here
}

// start is one way to let people in. Like finds the workspace's own event of that kind; Event names what the event means.
type start struct {
	Kind   string `json:"kind"`
	Ref    string `json:"ref"`
	Like   string `json:"like"`
	Event  string `json:"event"`
	Silent bool   `json:"silent"` // the funnel is about nothing happening for a time after it
}

// touch is one message: Role names its text, Hours count from the start.
type touch struct {
	Role    string  `json:"role"`
	Hours   float64 `json:"hours"`
	Channel string  `json:"-"`
	Offer   Offer   `json:"-"`
}

var playbooks = func() []playbook {
	var out []playbook
	mustRead(playbookFiles, "playbooks/playbooks.json", &out)
	return out
}()

func playbookByID(id string) *playbook {
	for i := range playbooks {
		if playbooks[i].ID == id {
			return &playbooks[i]
		}
	}
	return nil
}

// nearest returns the playbooks the prompt speaks of, the likeliest first.
func (r *reading) nearest() []*playbook {
	type scored struct {
		id    string
		score float64
		first int
	}
	byID := map[string]*scored{}
	covered := -1
	r.each("playbook", func(m mark) {
		if m.at < covered {
			return
		}
		covered = m.end()
		if r.excluded(m.at) {
			return
		}
		s := byID[m.value]
		if s == nil {
			s = &scored{id: m.value, first: m.at}
			byID[m.value] = s
		}
		s.score += float64(m.n)
	})
	// "After a purchase" with nothing but a review only says when to ask; with thanks or tips the review is one of several.
	if rr, pp := byID["review_request"], byID["post_purchase"]; rr != nil && pp != nil {
		if r.any("role", "thanks", "tips", "next") {
			pp.score += rr.score
		} else {
			rr.score += pp.score
		}
	}
	order := make([]*scored, 0, len(byID))
	for _, id := range sortedKeys(byID) {
		order = append(order, byID[id])
	}
	slices.SortStableFunc(order, func(a, b *scored) int {
		if a.score != b.score {
			return int(b.score*2 - a.score*2)
		}
		return a.first - b.first
	})
	var out []*playbook
	for _, s := range order {
		if p := playbookByID(s.id); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// excluded tells whether the cue stands behind "stop when" or "until": what ends the funnel is not what it is about.
func (r *reading) excluded(i int) bool { return r.before(i, 4, "stop") }

// begin chooses how people come in: what the prompt says, if it fits, else the playbook's first way that can be drawn.
func (p *playbook) begin(s Slots, set Setting) start {
	for _, st := range p.Starts {
		if s.Trigger.Kind == st.Kind && st.Kind != "api_event" && set.Kinds.HasTrigger(st.Kind) && (s.Trigger.Ref != "" && s.Trigger.Ref != st.Ref || st.Kind != "list_join") {
			st.Ref = s.Trigger.Ref
			return st
		}
	}
	switch s.Trigger.Kind {
	case "booking_made", "form_submit", "payment_made":
		if p.Reentry == "restart" {
			break
		}
		return start{Kind: s.Trigger.Kind, Ref: s.Trigger.Ref}
	case "tag_added", "manual":
		return start{Kind: s.Trigger.Kind, Ref: s.Trigger.Ref}
	case "api_event":
		for _, st := range p.Starts {
			if st.Kind == "api_event" {
				st.Ref, st.Event = s.Trigger.Ref, ""
				return st
			}
		}
		return start{Kind: "api_event", Ref: s.Trigger.Ref}
	}
	for _, st := range p.Starts {
		if !set.Kinds.HasTrigger(st.Kind) {
			continue
		}
		if st.Kind == "list_join" {
			ref, ok := listOf(st.Ref, set.Workspace)
			if !ok {
				continue
			}
			st.Ref = ref
		}
		if st.Kind == "api_event" {
			st.Ref = eventOf(st, set)
		}
		return st
	}
	return p.Starts[len(p.Starts)-1]
}

// listOf takes a list the workspace has for one the playbook names: the same, one that sounds alike, or the only one.
func listOf(name string, ws *engine.Workspace) (string, bool) {
	if ws == nil || slices.Contains(ws.Lists, name) {
		return name, true
	}
	for _, l := range ws.Lists {
		if strings.Contains(l, "news") || likeness(l, name) >= 0.85 {
			return l, true
		}
	}
	if len(ws.Lists) == 1 {
		return ws.Lists[0], true
	}
	return "", false
}

// eventOf takes the name under which the workspace already receives the event.
func eventOf(st start, set Setting) string {
	if st.Event != "" {
		return set.eventName(st.Event, st.Ref)
	}
	if set.Workspace == nil || st.Like == "" {
		return st.Ref
	}
	if _, ok := set.Workspace.Events[st.Ref]; ok {
		return st.Ref
	}
	for _, name := range sortedKeys(set.Workspace.Events) {
		if strings.Contains(name, st.Like) && !engine.IsInternalEvent(name) {
			return name
		}
	}
	return st.Ref
}

// role turns a role named in the prompt into one of this playbook.
func (p *playbook) role(named string) string {
	if p != nil && p.Roles[named] != "" {
		return p.Roles[named]
	}
	if asked, ok := generalRoles[named]; ok {
		return asked
	}
	return named
}

// generalRoles are the texts for roles that have none of their own name.
var generalRoles = map[string]string{"feature": "note", "case": "proof", "ending": "remind"}
