package engine

import "encoding/json"

// Bundle is what validate, simulate, generate, import and export speak: a graph with all it refers to.
type Bundle struct {
	Graph     Graph               `json:"graph"`
	Creatives map[string]Creative `json:"creatives,omitempty"` // by slug, without the "creative:" prefix
	Layout    json.RawMessage     `json:"layout,omitempty"`    // positions and notes; no meaning here
	Workspace *Workspace          `json:"workspace,omitempty"` // nil: references are not checked
	Tests     json.RawMessage     `json:"tests,omitempty"`
}

// Creative is the content of one message. Channel decides which members count; all but Channel, Name and Template are merge
// text:
//
//	email          Subject, Preheader, ReplyTo, Blocks
//	sms, whatsapp  Text; Template is the name of a template WhatsApp approved, "" is none
//	push           Title, Text, URL (where a tap leads), Icon (address of a picture)
//	letter         Blocks (heading, text, divider, spacer), below an address made from the person's fields
type Creative struct {
	Channel   string  `json:"channel"` // one of Channels
	Name      string  `json:"name,omitempty"`
	Subject   string  `json:"subject,omitempty"`
	Preheader string  `json:"preheader,omitempty"`
	ReplyTo   string  `json:"reply_to,omitempty"`
	Title     string  `json:"title,omitempty"`
	Text      string  `json:"text,omitempty"`
	URL       string  `json:"url,omitempty"`
	Icon      string  `json:"icon,omitempty"`
	Template  string  `json:"template,omitempty"`
	Blocks    []Block `json:"blocks"` // [] for the channels without; never null
}

// MarshalJSON writes no blocks as [].
func (c Creative) MarshalJSON() ([]byte, error) {
	type members Creative
	if c.Blocks == nil {
		c.Blocks = []Block{}
	}
	return json.Marshal(members(c))
}

// Block is one part of a message. Type decides which of the other members count:
//
//	heading  Text, Level (1 to 3)          text     Doc (rich text as Tiptap JSON)
//	button   Text, URL                     image    URL, Alt, Href
//	divider  -                             spacer   Height (px)
//	footer   - (sender's postal address and the unsubscribe link; mandatory in marketing mail)
//	repeat   Over, Blocks (once for each element of a list, such as event.items, which is "item" in them)
//	show_if  When, Blocks (only where it has a value that is not false)
type Block struct {
	ID     string          `json:"id"`
	Type   string          `json:"type"`
	Text   string          `json:"text,omitempty"`
	Level  int             `json:"level,omitempty"`
	Doc    json.RawMessage `json:"doc,omitempty"`
	URL    string          `json:"url,omitempty"`
	Alt    string          `json:"alt,omitempty"`
	Href   string          `json:"href,omitempty"`
	Over   string          `json:"over,omitempty"`
	When   string          `json:"when,omitempty"` // an expression of merge text, without its braces
	Blocks []Block         `json:"blocks,omitempty"`
	Height int             `json:"height,omitempty"`
	Align  string          `json:"align,omitempty"` // left (default), center, right
}

// Workspace is what a funnel may refer to. Members are slugs without their prefix.
type Workspace struct {
	Zone     string              `json:"zone"`               // IANA name; empty is UTC
	Language string              `json:"language,omitempty"` // en, pl, ru
	Currency string              `json:"currency,omitempty"`
	Quiet    []QuietHours        `json:"quiet,omitempty"`  // in which no marketing leaves
	Fields   []ContactField      `json:"fields,omitempty"` // custom fields; the built-in ones are always known
	Events   map[string][]string `json:"events,omitempty"` // known event names with their known properties
	Tags     []string            `json:"tags,omitempty"`
	Lists    []string            `json:"lists,omitempty"`
	Segments []string            `json:"segments,omitempty"`
	Topics   []string            `json:"topics,omitempty"`
	Senders  []Sender            `json:"senders,omitempty"`
	Funnels  []string            `json:"funnels,omitempty"`

	Self  string                 `json:"self,omitempty"`  // slug of the funnel itself; empty is not known
	Calls map[string]FunnelCalls `json:"calls,omitempty"` // what the other live funnels call, by slug

	Connections []Connection `json:"connections,omitempty"`
	Forms       []Form       `json:"forms,omitempty"`
	Resources   []string     `json:"resources,omitempty"` // what can be booked
}

// Form is what people fill in on a page. Answers are the keys of its fields: properties of the event form_submitted.
type Form struct {
	Slug    string   `json:"slug"`
	Name    string   `json:"name,omitempty"`
	Answers []string `json:"answers,omitempty"`
}

// Connection is a saved way to reach a service. Kind is http, slack, telegram or stripe.
type Connection struct {
	Slug string `json:"slug"`
	Kind string `json:"kind"`
	Name string `json:"name,omitempty"`
}

// ContactField is a custom field: Type is text, number, boolean or date (an instant or a day).
type ContactField struct {
	Key   string `json:"key"`
	Type  string `json:"type"`
	Label string `json:"label,omitempty"`
}

// Sender is an address messages leave from.
type Sender struct {
	Slug     string `json:"slug"`
	Email    string `json:"email"`
	Name     string `json:"name,omitempty"`
	Verified bool   `json:"verified"`
}
