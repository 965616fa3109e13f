package providers

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

// Parcel is one message on its way to whoever carries it. The channel decides which members are filled.
type Parcel struct {
	Workspace, Message uuid.UUID

	Channel  string
	From     string // address, or what a phone shows
	FromName string
	To       string
	ReplyTo  string
	Headers  []mailwire.Header // the whole head of an e-mail but its subject
	Subject  string            // or title
	HTML     string
	Text     string
	Link     string   // where a tap leads
	Icon     string   //
	Template string   // that WhatsApp approved
	Address  []string // of a letter, line by line
	PDF      []byte
	Devices  []Device // of a push notification
	Expires  time.Time
}

// Key is what a provider tells a second hand-over by.
func (p Parcel) Key() string { return p.Message.String() }

// Device is where a push notification goes.
type Device struct{ Platform, Token string }

// Outcome is what became of one parcel.
type Outcome struct {
	mailwire.Answer

	After time.Duration // how long the provider wants to be left alone; zero is not said
	Slow  bool          // it said that we are too fast
	Gone  []string      // tokens of devices that are no more
}

// Adapter hands parcels of one account over. It is safe for use by many goroutines.
type Adapter interface {
	// Send answers for each parcel in its place. What is not begun when ctx ends stays so.
	Send(ctx context.Context, parcels []Parcel, progress Progress) []Outcome
	// Check signs in without sending anything. The error is for the person who set it up.
	Check(ctx context.Context) error
	// Close ends connections, after those who use them.
	Close() error
}

// Settings are what an adapter is made from.
type Settings struct {
	Config  json.RawMessage
	Secret  Secrets
	Client  *outgoing.Client
	Dial    func(ctx context.Context, network, address string) (net.Conn, error)
	Now     func() time.Time // machine
	Signers map[string]*mailwire.Signer
	Name    string // of this installation's host
}

// Secrets are what is sealed, by the name of their field.
type Secrets map[string]string

// Progress is told of each parcel, by any goroutine: right before it may leave, and what became of it.
type Progress struct {
	Begun func(i int)
	Ended func(i int, outcome Outcome)
}

// Kind is a kind of provider.
type Kind struct {
	Name     string
	Channels []string
	Fields   []Field

	// Idempotent is for how long the provider knows a key again; zero is not at all.
	Idempotent time.Duration

	// Mailer says that we sign for the domain ourselves.
	Mailer bool

	open func(Settings) (Adapter, error)
}

// Field is one thing to fill in.
type Field struct {
	Name     string `json:"name"`
	Secret   bool   `json:"secret"`
	Required bool   `json:"required"`
	Example  string `json:"example"`
}

// Open makes the adapter of an account.
func (k Kind) Open(s Settings) (Adapter, error) { return k.open(s) }

// Carries tells whether it carries messages of a channel.
func (k Kind) Carries(channel string) bool { return slices.Contains(k.Channels, channel) }

var kinds []Kind

func register(k Kind) bool {
	kinds = append(kinds, k)
	return true
}

// Kinds are all there are, by name.
func Kinds() []Kind {
	sorted := slices.Clone(kinds)
	slices.SortFunc(sorted, func(a, b Kind) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
	return sorted
}

// KindOf finds a kind by its name.
func KindOf(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return Kind{}, false
	}
	return kinds[i], true
}
