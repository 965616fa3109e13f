package ai

import (
	"slices"
	"strings"
)

// wish is what a prompt asks for, as code read it: what starts the funnel, what ends it, what limits it, and the script of what happens
// in between, in the order of the prompt.
type wish struct {
	trigger opening
	goals   []string
	limits  []Step // quiet hours and throttles, at the front
	cap     int    // messages at most
	minGap  float64
	every   float64
	span    float64
	since   float64
	atToken int    // where the time of day stands
	at      string // time of day of the messages
	reentry int    // days before somebody may come again
	repeats bool   // goes on until it is ended
	split   []int
	splits  bool      // a split whose shares do not add up
	arms    []stretch // what each share of the split gets, where the prompt says it share by share
	hold    int       // percent of the people that get nothing, for comparison
	idle    int       // 1 more than the place of the arm that gets nothing
	offers  []Offer
	loose   []Offer // that no message is named for
	script  []beat
	fieldAt int
	field   string // the date messages are counted from, by the name the prompt gives it
	other   string // a channel that does not exist
	forbid  []string
	oneOff  bool
	told    []node // the script as the story tells it, where it does
}

// beatKind is what a beat of the script is.
type beatKind int

const (
	sendBeat beatKind = iota
	deedBeat
	condBeat
	elseBeat
	timeBeat // a time that still looks for its message
	splitBeat
	breakBeat // the end of a sentence
)

// beat is one thing of the script.
type beat struct {
	kind beatKind
	at   int // its first token
	word int // of a message: the word that says it
	lead bool
	stop bool // of a break: a full stop, a line, not an arrow or a question mark

	timed  bool
	time   timing
	also   []timing // further times of the same message
	trail  bool     // the time stands behind the message
	joined bool     // goes out together with the one before
	then   bool     // of a message: at the time the words before it name
	later  bool     // of a message: a word says that it comes behind the one before
	means  bool     // only says by which channel what stands before it goes: "..., by sms"
	frame  bool     // names the whole: "an email series"
	alone  bool     // of a topic: it makes up its clause, behind what starts the funnel
	names  bool     // of a time: words nobody knows say what happens then

	channel string // "" is open
	noun    bool   // a channel was named
	count   int    // 0 is not said
	plural  bool
	ordinal int
	role    string
	roles   []string
	quote   string
	again   bool // "once more"
	further bool // "2 more": there is one before
	verb    bool
	offer   Offer

	step  Step // of a deed
	reach int  // of a question: how many beats behind it hang on it; 0 is to the end of the sentence
	glued bool // of a question: it stands behind a message in its clause, and the next clause has a time of its own
	cond  condition
	who   bool // of a question: it says who gets what stands before it
}

// condition is a question the script asks.
type condition struct {
	event    string
	ref      string
	op       string
	value    string
	not      bool
	within   float64
	until    bool // the answer is taken as soon as it is there
	answered bool // and the prompt says what follows it
}

// wish reads the whole of a prompt.
func (r *reading) wish() *wish {
	w := &wish{}
	r.readShareOut(w)
	r.readNextDays()
	r.readSchedule(w)
	r.readLimits(w)
	r.readDeeds(w)
	times := r.readAwaited(w, r.withDays(r.timings()))
	r.readStops(w)
	r.readTrigger(w, times)
	if w.trigger.Kind == "tag_added" { // giving the tag that starts the funnel is no deed of it
		w.script = slices.DeleteFunc(w.script, func(b beat) bool {
			return b.kind == deedBeat && b.step.Do == doAddTag && slug(b.step.Name) == slug(w.trigger.Ref)
		})
	}
	times = r.readConditions(w, times)
	w.plainWaits()
	r.readSplit(w)
	r.readOffers(w, times)
	times = r.whole(w, times)
	r.readBeats(w, times)
	w.moveDeeds(r)
	w.inTotal(r)
	r.readChannels(w)
	return w
}

// whole takes the times that speak of the whole out of the list.
func (r *reading) whole(w *wish, times []timing) []timing {
	var rest []timing
	for _, t := range times {
		if t.kind != weekdayTiming && r.taken[min(t.at+t.n-1, len(r.taken)-1)] && r.taken[t.at] {
			continue
		}
		if slices.Contains([]timingKind{everyTiming, spanTiming, withinTiming, sinceTiming, aboutTiming}, t.kind) {
			r.take(t.at, t.end())
		}
		switch t.kind {
		case everyTiming:
			w.every = t.hours
		case spanTiming, withinTiming:
			w.span = t.hours
		case sinceTiming:
			w.since = t.hours
		case aboutTiming:
		case beforeTiming, gapTiming, offsetTiming, afterTiming, weekdayTiming:
			rest = append(rest, t)
		}
	}
	return rest
}

// readChannels finds channels that do not exist, and those the prompt rules out.
func (r *reading) readChannels(w *wish) {
	r.each("other", func(m mark) {
		if w.other == "" && !r.taken[m.at] && !r.before(m.at, 2, "not") && !r.notifiedBy(m.at) && !(m.at > 3 && slices.Contains([]string{"tell", "daj", "сообщить", "сообщи"}, r.tokens[m.at-4].text)) {
			w.other = r.tokens[m.at].raw
		}
	})
	r.each("channel", func(m mark) {
		if r.ruledOut(m) && !r.taken[m.at] && !r.before(m.at, 14, "if") && !slices.Contains(w.forbid, m.value) {
			w.forbid = append(w.forbid, m.value)
		}
	})
}

// notifiedBy tells whether a place names the way by which the team is told, which is no channel to people.
func (r *reading) notifiedBy(i int) bool {
	from, _ := r.clause(i)
	for j := max(from, i-5); j < i; j++ {
		if _, channel := r.at(j, "channel"); r.word(j, "notify") && !channel {
			return true
		}
	}
	return false
}

// ruledOut tells whether a channel is named to be left out: "no sms", "bez maili".
func (r *reading) ruledOut(m mark) bool {
	if _, event := r.find(m.end(), m.end()+3, "event"); m.end() < len(r.tokens) && slices.Contains([]string{"не", "nie"}, r.tokens[m.end()].text) && !event {
		return true // "писем не надо"
	}
	if m.at > 0 && slices.Contains([]string{"more", "further", "wiecej", "dalszych", "больше"}, r.tokens[m.at-1].text) {
		return false // "no more mails"
	}
	return r.before(m.at, 1, "not", "without") || r.before(m.at, 2, "without") && !r.commaBetween(m.at-2, m.at) && (r.stops(r.tokens[m.at-1].text) || slices.Contains([]string{"any", "all", "zadnych", "zadnego", "jakichkolwiek", "никаких", "любых"}, r.tokens[m.at-1].text))
}

// sends counts the messages a script names, with those of counted series.
func (w *wish) sends() int {
	n := 0
	for _, b := range w.script {
		if b.kind == sendBeat {
			n += max(1, b.count)
		}
	}
	return n
}

// counted is the number of messages the prompt says outright, by channel; nil where it says none.
func (w *wish) counted() map[string]int {
	out := map[string]int{}
	for _, b := range w.script {
		if b.kind == sendBeat && b.count > 1 {
			channel := b.channel
			if channel == "" {
				channel = "any"
			}
			out[channel] += b.count
		}
	}
	return out
}

// quoted returns the first quotation in a range of tokens.
func (r *reading) quoted(from, to int) (string, int) {
	for i := max(from, 0); i < to && i < len(r.tokens); i++ {
		if r.tokens[i].kind == aQuote && !r.aside[i] {
			return strings.TrimSpace(r.tokens[i].raw), i
		}
	}
	return "", -1
}

// eventAt returns the event that begins at a place.
func (r *reading) eventAt(i int) (mark, bool) { return r.at(i, "event") }

// negatedAt tells whether what stands at a place is denied: "did not open", "nie kliknie", "no reply".
func (r *reading) negatedAt(i int) bool {
	if e, ok := r.eventAt(i); ok && r.deniedBehind(e.end()) {
		return true
	}
	for j := i - 1; j >= 0 && j >= i-4; j-- {
		if r.tokens[j].kind != aWord && r.tokens[j].kind != aNumber {
			return false
		}
		if r.word(j, "not", "without", "unless") {
			return true
		}
		if r.conjunction(j) {
			return false
		}
	}
	return false
}

// deniedBehind tells whether the words behind what may have happened deny it: "заказа нет", "doc_signed не пришло", "zamówienia brak".
func (r *reading) deniedBehind(i int) bool {
	if i >= len(r.tokens) || r.tokens[i].kind != aWord {
		return false
	}
	switch r.tokens[i].text {
	case "нет", "brak", "missing":
		return i+1 >= len(r.tokens) || r.tokens[i+1].kind != aWord || !r.word(i+1, "if")
	case "не", "nie":
		return i+1 < len(r.tokens) && slices.ContainsFunc([]string{"было", "был", "поступ", "приш", "прише", "произош", "случ", "nadesz", "przysz", "bylo", "ma", "wplyn", "nastap"}, func(stem string) bool { return begunWith(r.tokens[i+1].text, stem) })
	case "neither", "none", "nothing", "nic", "zadnego", "ничего":
		return true
	case "hasnt", "havent", "didnt":
		return i+1 < len(r.tokens) && slices.Contains([]string{"come", "arrived", "happened", "arrive", "happen", "fired"}, r.tokens[i+1].text)
	}
	return false
}
