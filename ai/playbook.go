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
	Starts  []start           `json:"starts"` // the first one is taken where the prompt does not say
	Reentry string            `json:"reentry"`
	Pause   int               `json:"pause"` // days, for after_days
	Goal    string            `json:"goal"`
	Steps   []play            `json:"steps"`
	More    []string          `json:"more"`  // roles of further messages
	Gap     float64           `json:"gap"`   // hours between further messages
	Lead    bool              `json:"lead"`  // a single time in the prompt is that of the first message
	Field   string            `json:"field"` // the date its messages are counted from
	Roles   map[string]string `json:"roles"` // what a role named in the prompt means here
	Limits  bool              `json:"limits"`

	Touches []touch `json:"-"` // its messages, in order
}

// start is one way to let people in. Like finds the workspace's own event of that kind.
type start struct {
	Kind       string `json:"kind"`
	Ref        string `json:"ref"`
	Like       string `json:"like"`
	When       string `json:"when"`
	OffsetDays int    `json:"offset_days"`
	Times      int    `json:"times"`
}

// play is one step of a playbook: a message, a deed, or a question with what follows.
type play struct {
	Send    string   `json:"send"`
	Channel string   `json:"channel"`
	At      float64  `json:"at"`     // hours from the start
	Before  *float64 `json:"before"` // hours before the date
	Do      string   `json:"do"`
	Name    string   `json:"name"`
	Ask     string   `json:"ask"`
	Ref     string   `json:"ref"`
	Op      string   `json:"op"`
	Value   string   `json:"value"`
	Not     bool     `json:"not"`
	Within  float64  `json:"within"`
	Then    []play   `json:"then"`
	Else    []play   `json:"else"`
}

// touch is one message: Role names its text, Hours count from the start.
type touch struct {
	Role    string  `json:"role"`
	Hours   float64 `json:"hours"`
	Channel string  `json:"channel,omitempty"`

	before *float64
}

var playbooks = func() []playbook {
	var out []playbook
	mustRead(playbookFiles, "playbooks/playbooks.json", &out)
	for i := range out {
		out[i].Touches = touchesOf(out[i].Steps)
	}
	return out
}()

func touchesOf(steps []play) []touch {
	var out []touch
	for _, s := range steps {
		if s.Send != "" {
			out = append(out, touch{Role: s.Send, Hours: s.At, Channel: s.Channel, before: s.Before})
		}
		out = append(append(out, touchesOf(s.Then)...), touchesOf(s.Else)...)
	}
	return out
}

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
	covered := map[int]bool{}
	first, begun := len(r.tokens), r.begins(nil)
	r.each("channel", func(m mark) {
		if !r.ruledOut(m) && !r.taken[m.at] {
			first = min(first, m.at)
		}
	})
	r.each("playbook", func(m mark) {
		if covered[m.at] || m.at > begun && r.before(m.at, 4, "if", "unless") || r.before(m.at, 4, "stop") || r.taken[m.at] && r.taken[m.end()-1] {
			return
		}
		for i := m.at; i < m.end(); i++ {
			covered[i] = true
		}
		s := byID[m.value]
		if s == nil {
			s = &scored{id: m.value, first: m.at}
			byID[m.value] = s
		}
		weight := 1 + float64(m.n)/2
		if m.n > 1 && m.value != "post_purchase" {
			weight++
		}
		if m.at > first {
			weight *= 0.4 // what a message is about is not what the funnel is about
		}
		s.score += weight
	})
	if id := r.bookOfEvent(); id != "" && len(byID) == 0 {
		byID[id] = &scored{id: id, score: 1}
	}
	order := make([]*scored, 0, len(byID))
	for _, id := range sortedKeys(byID) {
		order = append(order, byID[id])
	}
	slices.SortStableFunc(order, func(a, b *scored) int {
		if a.score != b.score {
			return int(b.score*4 - a.score*4)
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

// bookOfEvent is the playbook that the name of the starting event speaks of: "cart_updated" is about a cart.
func (r *reading) bookOfEvent() string {
	words := tokenize(strings.ReplaceAll(r.named(), "_", " "))
	for i := range words {
		for _, c := range lexicons["en"].cues[[]rune(words[i].text)[0]] {
			if c.class != "playbook" || c.at(words, i, false) == 0 {
				continue
			}
			if p := playbookByID(c.value); p != nil && slices.ContainsFunc(p.Starts, func(s start) bool { return s.Kind == "api_event" }) {
				return c.value
			}
		}
	}
	return ""
}

// begin chooses how people come in: what the prompt says outright or what fits the playbook, else the playbook's own way.
func (p *playbook) begin(c opening, set Setting) Trigger {
	own := p.Starts[0]
	for _, st := range p.Starts {
		if st.Kind == c.Kind {
			own = st
			if c.strength > 0 && (c.Ref != "" || st.Kind != "api_event") {
				return p.fitted(c, st, set)
			}
			break
		}
	}
	if c.Kind == "contact_created" && c.strength <= 3 && p.Starts[0].Kind == "form_submit" {
		return p.usual(own, set) // "webinar signup" is its form
	}
	if c.strength >= 3 && c.Kind != p.Goal {
		return c.Trigger
	}
	if c.Kind == "tag_added" || c.Kind == "api_event" && c.Ref != "" {
		return c.Trigger
	}
	return p.usual(own, set)
}

// fitted takes the prompt's own words for a start the playbook has too.
func (p *playbook) fitted(c opening, st start, set Setting) Trigger {
	t := c.Trigger
	if st.Kind == "list_join" && (t.Ref == "" || t.Ref == st.Ref) || t.Ref == "" {
		t.Ref = p.usual(st, set).Ref
	}
	if t.When == "" {
		t.When = st.When
	}
	if t.Times == 0 {
		t.Times = st.Times
	}
	if t.OffsetDays == 0 {
		t.OffsetDays = st.OffsetDays
	}
	return t
}

func (p *playbook) usual(st start, set Setting) Trigger {
	t := Trigger{Kind: st.Kind, Ref: st.Ref, When: st.When, OffsetDays: st.OffsetDays, Times: st.Times}
	switch st.Kind {
	case "list_join":
		ref, ok := listOf(st.Ref, set.Workspace)
		if !ok {
			return Trigger{Kind: "contact_created"} // a workspace without a list
		}
		t.Ref = ref
	case "api_event":
		t.Ref = eventOf(st, set)
	}
	return t
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
