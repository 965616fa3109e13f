package creative

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/mail"
	"strings"

	"github.com/lejek/lejek/backend/splice"
	"github.com/lejek/lejek/engine"
)

// Artifact is a compiled creative. Subject, Preheader and ReplyTo are merge text.
type Artifact struct {
	Hash      string      `json:"hash"` // of everything below; equal content has an equal hash
	Format    int         `json:"format"`
	Channel   string      `json:"channel,omitempty"` // "" is e-mail
	Language  string      `json:"language"`          // of the text, "" if it was not told
	Subject   string      `json:"subject"`
	Preheader string      `json:"preheader"`
	ReplyTo   string      `json:"reply_to"`
	HTML      Body        `json:"html"`
	Text      Body        `json:"text"`
	Links     []Link      `json:"links"`
	Title     string      `json:"title,omitempty"` // of a push notification, with URL and Icon
	URL       string      `json:"url,omitempty"`
	Icon      string      `json:"icon,omitempty"`
	Template  string      `json:"template,omitempty"` // that WhatsApp approved
	Letter    []Paragraph `json:"letter,omitempty"`
}

// format is raised when the same creative has to compile anew.
const format = 1

// Body is a text with slots cut out of it.
type Body struct {
	Source string `json:"source"`
	Holes  []Hole `json:"holes"` // by At
}

// Hole is a place where a value goes: merge text, filled and escaped for its place.
type Hole struct {
	At    int    `json:"at"` // byte in Source
	Text  string `json:"text,omitempty"`
	Place Place  `json:"place"`
	Link  int    `json:"link,omitempty"` // 1 + index of the link whose address this is
	Word  Word   `json:"word,omitempty"` // a text of ours, in the person's language
	Mark  *Mark  `json:"mark,omitempty"` // no value: a part that is repeated or shown on a condition begins or ends here
}

// Mark begins a part that is repeated or shown on a condition, or, with neither, ends the one begun last.
type Mark struct {
	Over string `json:"over,omitempty"`
	When string `json:"when,omitempty"`
}

func (m *Mark) begins() bool { return m.Over != "" || m.When != "" }

// block is the part as the engine reads it.
func (m *Mark) block() engine.Block {
	if m.Over != "" {
		return engine.Block{Type: engine.BlockRepeat, Over: m.Over}
	}
	return engine.Block{Type: engine.BlockShowIf, When: m.When}
}

// Place is where a hole lies.
type Place string

// The places a hole may lie in.
const (
	InText  Place = "text"  // between tags of HTML
	InAttr  Place = "attr"  // in a quoted attribute, or in a title
	InURL   Place = "url"   // the whole of a quoted attribute that is an address
	InPlain Place = "plain" // in the text version
)

// Link is one link of the message, the same in HTML and text.
type Link struct {
	URL     string `json:"url"`               // merge text
	Text    string `json:"text,omitempty"`    // what is clicked, for people: merge text
	Word    Word   `json:"word,omitempty"`    // or one of our own texts
	Block   string `json:"block"`             // id of the block it stands in
	Service bool   `json:"service,omitempty"` // unsubscribe, view in browser, mailto, tel: never tracked
	Inside  bool   `json:"inside,omitempty"`  // of a part that is repeated or shown on a condition: each time it may lead elsewhere
}

// Rendered is a message for one person. The channel decides which members are filled.
type Rendered struct {
	Subject   string         `json:"subject"`
	Preheader string         `json:"preheader"`
	ReplyTo   string         `json:"reply_to"`
	HTML      string         `json:"html"`
	Text      string         `json:"text"`
	Links     []RenderedLink `json:"links"`

	HTMLParts []splice.Part `json:"-"` // of an e-mail: HTML and Text as parts of the artifact's sources
	TextParts []splice.Part `json:"-"`

	Title    string   `json:"title,omitempty"` // of a push notification
	URL      string   `json:"url,omitempty"`   // where a tap leads, tracked
	Icon     string   `json:"icon,omitempty"`
	Template string   `json:"template,omitempty"`
	Address  []string `json:"address,omitempty"` // of a letter, as its window shows it
	PDF      []byte   `json:"pdf,omitempty"`
	Pages    int      `json:"pages,omitempty"`
}

// RenderedLink is a link as this person gets it. URL is where it leads in the end, before tracking.
type RenderedLink struct {
	URL  string `json:"url"`
	Text string `json:"text"`
}

// Track rewrites the address of the i-th link of Artifact.Links. It is not asked about service links.
type Track func(i int, url string) string

// Render fills the artifact for one person. Track may be nil. The error is a *engine.MergeError when a value is missing
// without a fallback or does not fit; Scope needs UnsubscribeURL and ViewURL if the creative has a footer.
func (a *Artifact) Render(scope *engine.MergeScope, track Track) (Rendered, error) {
	r := filler{artifact: a, scope: scope, addresses: make([]string, len(a.Links))}
	out := Rendered{Template: a.Template, Links: []RenderedLink{}}
	switch a.Channel {
	case engine.ChannelSMS, engine.ChannelWhatsApp:
		r.phone(&out, track)
	case engine.ChannelPush:
		r.push(&out, track)
	case engine.ChannelLetter:
		r.letter(&out)
	default:
		r.mail(&out, track)
	}
	if r.err != nil {
		return Rendered{}, r.err
	}
	return out, nil
}

// mail fills an e-mail.
func (r *filler) mail(out *Rendered, track Track) {
	a := r.artifact
	out.Subject = r.merge(a.Subject, engine.ContextHeader)
	out.Preheader = r.merge(a.Preheader, engine.ContextPlain)
	out.ReplyTo = r.merge(a.ReplyTo, engine.ContextHeader)
	r.track = track
	for i, link := range a.Links {
		if !link.Inside {
			r.addresses[i] = r.address(i)
		}
	}
	out.HTML, out.HTMLParts = r.body(&a.HTML)
	out.Links, r.told = r.links, true
	out.Text, out.TextParts = r.body(&a.Text)
	if r.err == nil && out.ReplyTo != "" {
		if _, err := mail.ParseAddress(out.ReplyTo); err != nil {
			r.err = &engine.MergeError{Fault: engine.MergeUnsafe, Hole: a.ReplyTo,
				Message: fmt.Sprintf("The reply-to %q is not an e-mail address.", out.ReplyTo)}
		}
	}
}

// filler fills the parts of one message and keeps the first error.
type filler struct {
	artifact  *Artifact
	scope     *engine.MergeScope
	addresses []string // of the links, tracked
	track     Track
	links     []RenderedLink
	told      bool // every link is among them: the text version repeats those of the HTML
	err       error
}

// address fills the address of a link, notes the link, and tracks it.
func (r *filler) address(i int) string {
	link := r.artifact.Links[i]
	address := r.merge(link.URL, engine.ContextURL)
	if r.err == nil {
		var fault string
		if address, fault = engine.SafeURL(address); fault != "" {
			r.err = &engine.MergeError{Fault: engine.MergeUnsafe, Hole: link.URL, Message: "A link of this message leads nowhere: " + fault + "."}
		}
	}
	if !r.told {
		text := r.merge(link.Text, engine.ContextPlain)
		if link.Word != "" {
			text = r.say(link.Word)
		}
		r.links = append(r.links, RenderedLink{URL: address, Text: text})
	}
	if r.track != nil && !link.Service && strings.HasPrefix(address, "http") && r.err == nil {
		return r.track(i, address)
	}
	return address
}

// leadsTo is where a link leads.
func (r *filler) leadsTo(link int) string {
	if r.artifact.Links[link].Inside {
		return r.address(link)
	}
	return r.addresses[link]
}

func (r *filler) merge(text string, context engine.MergeContext) string {
	if r.err != nil || text == "" {
		return ""
	}
	merge, err := engine.ParseMerge(text)
	if err != nil {
		r.err = err
		return ""
	}
	out, err := merge.Render(r.scope, context)
	r.err = err
	return out
}

func (r *filler) say(word Word) string {
	if r.scope == nil {
		return word.say(r.artifact.Language)
	}
	return word.say(r.scope.Language, r.artifact.Language)
}

// body fills a text, and answers it also as parts of its source.
func (r *filler) body(b *Body) (string, []splice.Part) {
	parts := make([]splice.Part, 0, len(b.Holes)+1)
	r.stretch(&parts, b, 0, len(b.Holes), 0, len(b.Source))
	text, err := splice.Join(b.Source, parts)
	if r.err == nil {
		r.err = err
	}
	return text, parts
}

func (r *filler) whole(b *Body) string {
	text, _ := r.body(b)
	return text
}

// stretch fills the holes from first to last, and what stands around them from one byte to another.
func (r *filler) stretch(out *[]splice.Part, b *Body, first, last, from, to int) {
	done := from
	for i := first; i < last; i++ {
		hole := &b.Holes[i]
		part := splice.Part{From: done, To: hole.At}
		done = hole.At
		if hole.Mark == nil {
			part.Text = r.value(hole)
			*out = append(*out, part)
			continue
		}
		*out = append(*out, part)
		end := b.endOf(i)
		scope := r.scope
		err := scope.Each(hole.Mark.block(), func(inner *engine.MergeScope) error {
			r.scope = inner
			r.stretch(out, b, i+1, end, hole.At, b.Holes[end].At)
			return r.err
		})
		r.scope = scope
		if r.err == nil {
			r.err = err
		}
		i, done = end, b.Holes[end].At
	}
	*out = append(*out, splice.Part{From: done, To: to})
}

// endOf is the hole at which the part ends that begins at one.
func (b *Body) endOf(begin int) int {
	depth := 0
	for i := begin; i < len(b.Holes); i++ {
		switch mark := b.Holes[i].Mark; {
		case mark == nil:
		case mark.begins():
			depth++
		default:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(b.Holes) - 1
}

func (r *filler) value(hole *Hole) string {
	switch {
	case hole.Word != "" && hole.Place == InPlain:
		return r.say(hole.Word)
	case hole.Word != "":
		return html.EscapeString(r.say(hole.Word))
	case hole.Link > 0 && hole.Place == InURL:
		return html.EscapeString(r.leadsTo(hole.Link - 1))
	case hole.Link > 0:
		return r.leadsTo(hole.Link - 1)
	}
	switch hole.Place {
	case InText:
		return r.merge(hole.Text, engine.ContextHTML)
	case InAttr:
		return r.merge(hole.Text, engine.ContextAttr)
	case InURL:
		return html.EscapeString(r.merge(hole.Text, engine.ContextURL))
	default:
		return r.merge(hole.Text, engine.ContextPlain)
	}
}

// seal names the artifact by its content.
func (a *Artifact) seal() error {
	a.Hash = ""
	raw, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("seal artifact: %w", err)
	}
	sum := sha256.Sum256(raw)
	a.Hash = hex.EncodeToString(sum[:])
	return nil
}
