package campaigns

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// Document is what people edit of a campaign. It is saved whatever it says; Check tells what keeps it from being sent.
type Document struct {
	Channel    string      `json:"channel"` // email, sms or push
	Audience   Audience    `json:"audience"`
	Sender     string      `json:"sender,omitempty"` // "sender:main"; "" is the workspace's own
	Topic      string      `json:"topic,omitempty"`  // "topic:news"
	Variants   []Variant   `json:"variants"`         // one, or those of a test
	Experiment *Experiment `json:"experiment,omitempty"`
	Goal       *Goal       `json:"goal,omitempty"`
	When       When        `json:"when"`
	Throttle   *Throttle   `json:"throttle,omitempty"`
}

// Audience is who is in any of Include and in none of Exclude; both name segments and lists, such as "segment:x" or "list:y".
type Audience struct {
	Include []string `json:"include"`
	Exclude []string `json:"exclude,omitempty"`
}

// Variant is one wording of the message. Weights share out those who take part in the test.
type Variant struct {
	ID       string          `json:"id"`
	Weight   int             `json:"weight"`
	Creative engine.Creative `json:"creative"`
}

// Experiment holds most people back until one variant has won.
type Experiment struct {
	Share  int             `json:"share"`  // percent of the audience who get the variants first; 100 holds nobody back
	Metric string          `json:"metric"` // opened, clicked or goal
	After  engine.Duration `json:"after"`  // how long to watch
}

// Goal is what people are to do after the message.
type Goal struct {
	Event  string          `json:"event"`
	Within engine.Duration `json:"within"`
}

// When says when the campaign starts.
type When struct {
	Mode string `json:"mode"`           // now, at (one instant for all) or local (that time where each person lives)
	At   string `json:"at,omitempty"`   // as a clock on the wall shows it, such as 2026-12-24T09:00
	Zone string `json:"zone,omitempty"` // of mode at; "" is the workspace's
}

// Throttle is the campaign's own limit.
type Throttle struct {
	Count int    `json:"count"`
	Per   string `json:"per"` // minute, hour or day
}

// The modes of When.
const (
	ModeNow   = "now"
	ModeAt    = "at"
	ModeLocal = "local"
)

// What an Experiment is decided by.
const (
	MetricOpened  = "opened"
	MetricClicked = "clicked"
	MetricGoal    = "goal"
)

// Channels a campaign can use.
var Channels = []string{engine.ChannelEmail, engine.ChannelSMS, engine.ChannelPush}

const (
	maxDocument = 2 << 20
	maxVariants = 4
	maxRefs     = 20
	everybody   = 100
)

// Blank is what a new campaign begins with.
func Blank(channel string) Document {
	return Document{
		Channel: channel, Audience: Audience{Include: []string{}}, When: When{Mode: ModeNow},
		Variants: []Variant{{ID: "a", Weight: 1, Creative: engine.Creative{Channel: channel, Blocks: []engine.Block{
			{ID: "text-1", Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph"}]}`)}, {ID: "footer-2", Type: "footer"},
		}}}},
	}
}

// Decode reads a document. What it does not know it refuses, so that nothing is lost unseen.
func Decode(raw json.RawMessage) (Document, error) {
	var d Document
	if len(raw) > maxDocument {
		return d, fault.New(fault.TooLarge, "The campaign is larger than %d MB. Shorten its texts.", maxDocument>>20)
	}
	if bytes.Contains(raw, []byte(`\u0000`)) {
		return d, fault.InvalidField("document", "A text contains the character U+0000, which cannot be stored. Remove it.")
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		return d, fault.InvalidField("document", "The campaign's document is not understood: %s.", engine.JSONFault(err))
	}
	if !slices.Contains(Channels, d.Channel) {
		return d, fault.InvalidField("document.channel", "Choose one of %s.", strings.Join(Channels, ", "))
	}
	if len(d.Variants) == 0 || len(d.Variants) > maxVariants {
		return d, fault.InvalidField("document.variants", "A campaign has 1 to %d variants of its message.", maxVariants)
	}
	seen := map[string]bool{}
	for i := range d.Variants {
		v := &d.Variants[i]
		if v.ID == "" || len(v.ID) > 16 || strings.Trim(v.ID, "abcdefghijklmnopqrstuvwxyz0123456789") != "" || seen[v.ID] {
			return d, fault.InvalidField("document.variants", "Each variant has an id of its own of small letters and digits, such as a.")
		}
		seen[v.ID] = true
		v.Creative.Channel = d.Channel
	}
	if d.Audience.Include == nil {
		d.Audience.Include = []string{}
	}
	if d.Experiment != nil && d.Experiment.After.Unit == "" {
		d.Experiment.After = engine.Duration{Amount: 4, Unit: engine.Hours}
	}
	if d.Goal != nil && d.Goal.Within.Unit == "" {
		d.Goal.Within = engine.Duration{Amount: 7, Unit: engine.Days}
	}
	if len(d.Audience.Include)+len(d.Audience.Exclude) > maxRefs {
		return d, fault.InvalidField("document.audience", "An audience is made of %d segments and lists at most. Make a segment of them.", maxRefs)
	}
	return d, nil
}

// Rule is the audience as a rule, as segments have them.
func (a Audience) Rule() json.RawMessage {
	leaves := func(refs []string) []map[string]string {
		list := make([]map[string]string, len(refs))
		for i, ref := range refs {
			kind, _, _ := strings.Cut(ref, ":")
			list[i] = map[string]string{kind: ref}
		}
		return list
	}
	rule := map[string]any{"any": leaves(a.Include)}
	if len(a.Exclude) > 0 {
		rule = map[string]any{"all": []any{rule, map[string]any{"not": map[string]any{"any": leaves(a.Exclude)}}}}
	}
	raw, err := json.Marshal(rule)
	if err != nil {
		panic(err) // texts in maps always are JSON
	}
	return raw
}

// Subject names the message in lists: the subject of the first variant, or how it begins.
func (d *Document) Subject() string {
	c := d.Variants[0].Creative
	text := []rune(cmp.Or(c.Subject, c.Title, c.Text))
	return string(text[:min(len(text), maxName)])
}

// tested is the percent of the audience that gets the variants first.
func (d *Document) tested() int {
	if d.Experiment == nil || len(d.Variants) < 2 {
		return everybody
	}
	return d.Experiment.Share
}

// seats shares people out among the variants: the i-th person of the shuffled audience gets seats[i mod len].
func (d *Document) seats() []string {
	total, common := 0, 0
	for _, v := range d.Variants {
		total += v.Weight
		common = divisor(common, v.Weight)
	}
	if total == 0 {
		return []string{d.Variants[0].ID}
	}
	// Whoever is furthest behind their share comes next, so that few people are shared out well too.
	seats, given := make([]string, 0, total/common), make([]int, len(d.Variants))
	for n := 1; n <= total/common; n++ {
		best, behind := 0, -1<<62
		for i, v := range d.Variants {
			if lag := n*v.Weight - given[i]*total; lag > behind {
				best, behind = i, lag
			}
		}
		given[best]++
		seats = append(seats, d.Variants[best].ID)
	}
	// Each variant has one of the first seats: it is tried by somebody, however few people there are.
	seen := map[string]bool{}
	first, others := make([]string, 0, len(seats)), make([]string, 0, len(seats))
	for _, seat := range seats {
		if seen[seat] {
			others = append(others, seat)
		} else {
			seen[seat] = true
			first = append(first, seat)
		}
	}
	return append(first, others...)
}

// Trial is how a test of variants shares out people.
type Trial struct {
	People int64 // who get a variant before there is a winner; all of them if nobody is held back
	Least  int64 // who get the rarest variant
}

// trial shares out an audience; nil if there is nothing to test.
func (d *Document) trial(audience int64) *Trial {
	if len(d.Variants) < 2 {
		return nil
	}
	people := (audience*int64(d.tested()) + everybody - 1) / everybody
	people = min(max(people, int64(len(d.Variants))), audience)
	given, seats := map[string]int64{}, d.seats()
	round, rest := people/int64(len(seats)), people%int64(len(seats))
	for i, seat := range seats {
		given[seat] += round
		if int64(i) < rest {
			given[seat]++
		}
	}
	trial := Trial{People: people, Least: people}
	for _, v := range d.Variants {
		trial.Least = min(trial.Least, given[v.ID])
	}
	return &trial
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// period is how long one unit of a throttle is, in seconds; 0 is an unknown one.
func (t *Throttle) period() int {
	return map[string]int{"minute": 60, "hour": 3600, "day": 86400}[t.Per]
}
