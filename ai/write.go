package ai

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lejek/lejek/engine"
)

//go:embed copy/*.json
var copyFiles embed.FS

// library are the built-in texts of one language, by role.
type library struct {
	Greeting  string                 `json:"greeting"`
	Signature string                 `json:"signature"`
	Offer     map[string]string      `json:"offer"`
	Texts     map[string]libraryText `json:"texts"`
}

// libraryText is one message. A paragraph "[offer]" stands for the offer of the prompt and goes when there is none.
type libraryText struct {
	Name      string         `json:"name"`
	Subject   string         `json:"subject"`
	Preheader string         `json:"preheader"`
	Body      []string       `json:"body"`
	Button    *libraryButton `json:"button"`
}

// libraryButton opens an address the starting event carries.
type libraryButton struct {
	Text     string `json:"text"`
	Property string `json:"property"`
}

var libraries = func() map[string]library {
	out := map[string]library{}
	for _, lang := range languages {
		var l library
		mustRead(copyFiles, "copy/"+lang+".json", &l)
		out[lang] = l
	}
	return out
}()

func libraryIn(lang string) library {
	if l, ok := libraries[lang]; ok {
		return l
	}
	return libraries["en"]
}

func textOf(lang, role string) libraryText {
	l := libraryIn(lang)
	if t, ok := l.Texts[role]; ok {
		return t
	}
	return l.Texts["note"]
}

func hasText(role string) bool { _, ok := libraries["en"].Texts[role]; return ok }

// letter is a message before it is a creative: paragraphs of merge text and at most one button.
type letter struct {
	name, subject, preheader string
	body                     []string
	button, url              string
	property                 string // of the event that the button opens
	offer                    string
}

// template writes the built-in text of a message.
func (w writer) template(m Brief) letter {
	lib := libraryIn(w.lang)
	t := textOf(w.lang, cmp.Or(m.Role, guessRole(m.Brief+" "+m.ID, w.lang)))
	out := letter{name: t.Name, subject: t.Subject, preheader: t.Preheader, body: []string{lib.Greeting}}
	for _, p := range t.Body {
		if p != "[offer]" {
			out.body = append(out.body, p)
			continue
		}
		if !m.Offer.None() {
			out.offer = offerText(lib, m.Offer)
			out.body = append(out.body, out.offer)
			out.subject = withOffer(lib, out.subject, m.Offer)
		}
	}
	if m.Quote != "" {
		out.subject = plainText(m.Quote)
		out.body = slices.Insert(out.body, 1, plainText(m.Quote))
	}
	out.body = append(out.body, lib.Signature)
	if t.Button != nil && w.carries(t.Button.Property) {
		out.button, out.property = t.Button.Text, t.Button.Property
		out.url = "{{ event." + t.Button.Property + " | default(view_url) }}"
	}
	return out
}

// spareRoles are texts that fit into any series.
var spareRoles = []string{"note", "news", "remind", "checkin", "proof", "favourites", "story", "last"}

// guessRole finds the built-in text that is nearest to what a model wants to say.
func guessRole(brief, lang string) string {
	r := read(brief, lang)
	for _, p := range r.nearest() {
		return p.Touches[0].Role
	}
	for _, m := range r.marks {
		if m.class == "role" {
			return (*playbook)(nil).role(m.value)
		}
	}
	return "note"
}

func offerText(lib library, o Offer) string {
	var parts []string
	switch {
	case o.Percent > 0:
		parts = append(parts, strings.ReplaceAll(lib.Offer["percent"], "{n}", fmt.Sprint(o.Percent)))
	case o.Amount != "":
		parts = append(parts, strings.ReplaceAll(lib.Offer["amount"], "{n}", plainText(o.Amount)))
	}
	if o.Code != "" {
		parts = append(parts, strings.ReplaceAll(lib.Offer["code"], "{code}", plainText(o.Code)))
	}
	return strings.Join(parts, " ")
}

func withOffer(lib library, subject string, o Offer) string {
	short := ""
	switch {
	case o.Percent > 0:
		short = fmt.Sprintf("%d%%", o.Percent)
	case o.Code != "":
		short = plainText(o.Code)
	default:
		return subject
	}
	return strings.NewReplacer("{subject}", subject, "{short}", short).Replace(lib.Offer["subject"])
}

// plainText takes the braces of merge text out of a word of the prompt.
func plainText(s string) string {
	return strings.NewReplacer("{{", "", "}}", "", "<", "", ">", "").Replace(s)
}

// writer fills the creatives of a draft.
type writer struct {
	lang  string
	set   Setting
	event string // the event that starts the funnel, "" when it is none of the application's
}

func newWriter(d Draft, s Spec, set Setting) writer {
	w := writer{lang: cmp.Or(set.Language, s.Lang), set: set}
	if !slices.Contains(languages, w.lang) {
		w.lang = "en"
	}
	var entry struct {
		Triggers []struct {
			Kind string `json:"kind"`
			Name string `json:"name"`
		} `json:"triggers"`
	}
	for _, n := range d.Bundle.Graph.Nodes {
		if n.ID == "entry" && json.Unmarshal(n.Config, &entry) == nil && len(entry.Triggers) == 1 && entry.Triggers[0].Kind == "api_event" {
			w.event = entry.Triggers[0].Name
		}
	}
	return w
}

// carries tells whether the starting event may have a property: it is the application's own and its properties are not known
// to lack it.
func (w writer) carries(property string) bool {
	if w.event == "" {
		return false
	}
	if w.set.Workspace == nil {
		return true
	}
	known := w.set.Workspace.Events[w.event]
	return len(known) == 0 || slices.Contains(known, property)
}

// on is the letter as a channel carries it.
func (l letter) on(channel string) engine.Creative {
	link := ""
	if l.property != "" {
		link = "{{ event." + l.property + ` | default("") }}`
	}
	switch channel {
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		parts := []string{sentence(l.subject), sentence(l.preheader), l.offer, link}
		return engine.Creative{Channel: channel, Name: l.name, Text: strings.Join(filter(parts, func(s string) bool { return s != "" }), " "), Blocks: []engine.Block{}}
	case engine.ChannelPush:
		text := strings.TrimSpace(sentence(l.preheader) + " " + l.offer)
		return engine.Creative{Channel: channel, Name: l.name, Title: l.subject, Text: text, URL: link, Blocks: []engine.Block{}}
	case engine.ChannelLetter:
		return engine.Creative{Channel: channel, Name: l.name, Blocks: []engine.Block{{ID: "text", Type: "text", Doc: richText(l.body)}}}
	default:
		return l.creative()
	}
}

// sentence ends a line with a full stop where it has no end of its own.
func sentence(line string) string {
	if line = strings.TrimSpace(line); line == "" || strings.ContainsAny(line[len(line)-1:], ".!?)") {
		return line
	}
	return line + "."
}

// creative makes blocks of a letter: the text, a button, the footer that marketing mail must have.
func (l letter) creative() engine.Creative {
	c := engine.Creative{Channel: "email", Name: l.name, Subject: l.subject, Preheader: l.preheader}
	c.Blocks = append(c.Blocks, engine.Block{ID: "text", Type: "text", Doc: richText(l.body)})
	if l.button != "" && l.url != "" {
		c.Blocks = append(c.Blocks, engine.Block{ID: "button", Type: "button", Text: l.button, URL: l.url, Align: "center"})
	}
	c.Blocks = append(c.Blocks, engine.Block{ID: "footer", Type: "footer"})
	return c
}

// richText writes paragraphs as the editor's document: line breaks within a paragraph, variables as chips.
func richText(paragraphs []string) json.RawMessage {
	content := make([]fields, 0, len(paragraphs))
	for _, p := range paragraphs {
		var inline []fields
		for i, line := range strings.Split(strings.TrimSpace(p), "\n") {
			if i > 0 {
				inline = append(inline, fields{"type": "hardBreak"})
			}
			inline = append(inline, chips(line)...)
		}
		if len(inline) > 0 {
			content = append(content, fields{"type": "paragraph", "content": inline})
		}
	}
	return quote(fields{"type": "doc", "content": content})
}

var chip = regexp.MustCompile(`\{\{\s*([a-z_][\w.]*)\s*(?:\|\s*default\("([^"]*)"\)\s*)?\}\}`)

// chips cuts a line into texts and variables.
func chips(line string) []fields {
	var out []fields
	text := func(s string) {
		if s != "" {
			out = append(out, fields{"type": "text", "text": s})
		}
	}
	last := 0
	for _, m := range chip.FindAllStringSubmatchIndex(line, -1) {
		text(line[last:m[0]])
		attrs := fields{"expr": line[m[2]:m[3]]}
		if m[4] >= 0 {
			attrs["fallback"] = line[m[4]:m[5]]
		}
		out = append(out, fields{"type": "variable", "attrs": attrs})
		last = m[1]
	}
	text(line[last:])
	return out
}

// write fills all creatives from the built-in library and returns the event properties its buttons use.
func (w writer) write(d *Draft, s Spec) (buttons []string) {
	used := map[string]bool{}
	for _, m := range s.Messages {
		key := slug(m.ID)
		empty, sent := d.Bundle.Creatives[key]
		if !sent {
			continue
		}
		if m.Role == "" { // a model's: no text goes out twice while there are others
			m.Role = guessRole(m.Brief+" "+m.ID, w.lang)
			for _, other := range spareRoles {
				if used[m.Role] {
					m.Role = other
				}
			}
		}
		used[m.Role] = true
		l := w.template(m)
		d.Bundle.Creatives[key] = l.on(empty.Channel)
		if l.button != "" {
			if p := textOf(w.lang, m.Role).Button; p != nil && !slices.Contains(buttons, p.Property) {
				buttons = append(buttons, p.Property)
			}
		}
	}
	for key, c := range d.Bundle.Creatives {
		if len(c.Blocks) == 0 && c.Text == "" { // a message the plan sends without listing it
			d.Bundle.Creatives[key] = w.template(Brief{ID: key}).on(c.Channel)
		}
	}
	return buttons
}
