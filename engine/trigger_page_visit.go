package engine

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
)

// EventPageVisited is the event of a page somebody known has seen.
const EventPageVisited = "page_visited"

const propURL = "url"

// pageVisitConfig says which page, and how often within what time.
type pageVisitConfig struct {
	URL    string   `json:"url"`
	Times  float64  `json:"times"`
	Within Duration `json:"within"`
}

var _ = DefineTrigger(TriggerSpec[pageVisitConfig]{
	Kind: Kind{
		Kind: "page_visit", Family: FamilyTrigger, Order: 7,
		Title:   "A page is visited",
		Purpose: "Somebody you know looks at a page of your site that carries the script, once or several times.",
		Synonyms: []string{"page view", "visit", "website", "url", "odwiedziny strony", "wizyta", "strona",
			"посещение страницы", "визит", "сайт"},
		Fields: []Field{
			{Key: "url", Type: TypeText, Label: "Page", Required: true, Max: new(500.0),
				Help: "An address, or its path such as /pricing. A * stands for anything."},
			{Key: "times", Type: TypeNumber, Label: "At least so many times", Min: new(1.0), Max: new(100.0)},
			{Key: "within", Type: TypeDuration, Label: "Within", Min: new(1.0), Help: "Empty: ever."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c pageVisitConfig) TriggerEvent {
		return TriggerEvent{
			Name: EventPageVisited, Props: internalEvents[EventPageVisited], Again: c.times() - 1,
			Usual: map[string]any{propURL: strings.ReplaceAll(c.URL, "*", "")},
		}
	},
	Matches: pageVisitConfig.matches,
	Counts: func(c pageVisitConfig) []string {
		if c.times() > 1 {
			return []string{EventPageVisited}
		}
		return nil
	},
	Check: func(c pageVisitConfig, k *Checker) {
		if strings.ContainsAny(c.URL, " \t\n#") {
			k.Invalid("url", fmt.Sprintf("%s is no address of a page. Write one such as /pricing or https://shop.example/cart*, without # and spaces.", quote(c.URL))).
				with("value", c.URL)
		}
		if c.Times != float64(int(c.Times)) {
			k.Invalid("times", "The number of visits must be whole.").with("field", "times").fix("Round it", "times", int(c.Times))
		}
		if !c.Within.IsZero() && c.times() == 1 {
			k.Invalid("within", "A time goes with more than one visit. Take it away, or ask for two visits.").fix("Take the time away", "within", nil)
		}
	},
})

func (c pageVisitConfig) times() int { return max(int(c.Times), 1) }

// matches tells that the visit at hand is the one that makes them enough: so many are there now, and there were not at the visit before. Each
// visit after that one is one more, and starts nothing.
func (c pageVisitConfig) matches(m *Moment) bool {
	if !MatchURL(c.URL, m.signalProp(propURL)) {
		return false
	}
	if c.times() == 1 {
		return true
	}
	var earlier []time.Time
	for _, e := range m.Contact.Events {
		if e.Name != EventPageVisited || e.ID == m.Signal.ID && (e.ID != 0 || e.At.Equal(m.Signal.At)) || e.At.After(m.Now) {
			continue
		}
		if address, _ := e.Props[propURL].(string); MatchURL(c.URL, address) {
			earlier = append(earlier, e.At)
		}
	}
	if len(earlier) == 0 || !c.enough(earlier, m.Now, 1) {
		return false
	}
	return !c.enough(earlier, slices.MaxFunc(earlier, time.Time.Compare), 0)
}

// enough counts the visits up to an instant, and some more.
func (c pageVisitConfig) enough(visits []time.Time, at time.Time, more int) bool {
	since := time.Time{}
	if !c.Within.IsZero() {
		since = at.Add(-c.Within.Window())
	}
	for _, visit := range visits {
		if visit.After(since) && !visit.After(at) {
			more++
		}
	}
	return more >= c.times()
}

// MatchURL tells whether an address is one a pattern means. A * in the pattern stands for anything. A pattern that begins with / is compared
// with the path, one without a scheme with host and path, any other with the whole address; a query counts only where the pattern has one.
// Case does not count in the host, nor does a slash at the end.
func MatchURL(pattern, address string) bool {
	parsed, err := url.Parse(address)
	if err != nil {
		return false
	}
	path := parsed.EscapedPath()
	if decoded, err := url.PathUnescape(path); err == nil {
		path = decoded
	}
	text := path
	if !strings.HasPrefix(pattern, "/") {
		text = strings.ToLower(parsed.Host) + path
		if scheme, rest, found := strings.Cut(pattern, "://"); found {
			text = strings.ToLower(parsed.Scheme) + "://" + text
			host, path, slash := strings.Cut(rest, "/")
			pattern = strings.ToLower(scheme+"://"+host) + slashed(path, slash)
		} else {
			host, path, slash := strings.Cut(pattern, "/")
			pattern = strings.ToLower(host) + slashed(path, slash)
		}
	}
	if strings.Contains(pattern, "?") {
		text += "?" + parsed.RawQuery
	}
	return wildcard(strings.TrimSuffix(pattern, "/"), strings.TrimSuffix(text, "/"))
}

func slashed(path string, slash bool) string {
	if slash {
		return "/" + path
	}
	return ""
}

// wildcard compares a text with a pattern whose * stand for anything, in time linear in both for each *.
func wildcard(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	return !slices.ContainsFunc(parts[1:len(parts)-1], func(part string) bool {
		_, rest, found := strings.Cut(text, part)
		text = rest
		return !found
	})
}
