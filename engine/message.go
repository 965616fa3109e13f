package engine

import (
	"slices"
	"time"
)

// The channels of creatives, messages and consents.
const (
	ChannelEmail    = "email"
	ChannelSMS      = "sms"
	ChannelWhatsApp = "whatsapp"
	ChannelPush     = "push"
	ChannelLetter   = "letter"
)

// Channels are all of them, in the order people meet them.
var Channels = []string{ChannelEmail, ChannelSMS, ChannelWhatsApp, ChannelPush, ChannelLetter}

// The classes of a message: marketing needs the person's consent, transactional answers something they did.
const (
	ClassMarketing     = "marketing"
	ClassTransactional = "transactional"
)

var defaultExpiry = Duration{Amount: 24, Unit: Hours}

// messageConfig is what every step that sends a message is set by, whatever the channel: which message, on what ground, and
// until when.
type messageConfig struct {
	Creative string    `json:"creative"`
	Class    string    `json:"class"`
	Topic    string    `json:"topic"`
	Expires  *Duration `json:"expires"`
}

// messageFields are the settings of such a step; those of the kind itself stand after the message.
func messageFields(own ...Field) []Field {
	return slices.Concat([]Field{
		{Key: "creative", Type: TypeRef, Of: "creative", Label: "Message", Required: true},
	}, own, []Field{
		{Key: "class", Type: TypeSelect, Label: "Kind of message", Default: ClassMarketing,
			Help: "Transactional is for receipts and the like: it needs no consent and no unsubscribe link.",
			Options: []Option{
				{Value: ClassMarketing, Label: "Marketing"},
				{Value: ClassTransactional, Label: "Transactional"},
			}},
		{Key: "topic", Type: TypeRef, Of: "topic", Label: "Topic", Help: "People who left this topic do not get the message."},
		{Key: "expires", Type: TypeDuration, Label: "Not later than", Min: new(1.0), Default: defaultExpiry,
			Help: "When it cannot leave within this time after it was due, it is not sent at all."},
	})
}

// send asks for the message and goes on; the gate decides later whether it may leave.
func (c messageConfig) send(m *Moment, channel, sender string) Outcome {
	m.Do(SendMessage{
		Seq: m.Seq, Node: m.Node, Channel: channel, Sender: sender,
		Creative: slugOf(c.Creative), Class: c.class(), Topic: slugOf(c.Topic),
		Quiet: m.Run.Quiet, Due: m.At, ExpiresAt: c.expiry(m.At, m.Zone),
	})
	return leave(portNext, nil)
}

func (c messageConfig) expiry(due time.Time, zone *time.Location) time.Time {
	return AddDuration(due, c.limit(), nil, zone)
}

// limit is how long after it was due the message may leave.
func (c messageConfig) limit() Duration {
	if c.Expires != nil {
		return *c.Expires
	}
	return defaultExpiry
}

// class is the class of the message; a config that does not say so is marketing, the stricter one.
func (c messageConfig) class() string {
	if c.Class == "" {
		return ClassMarketing
	}
	return c.Class
}

// sending makes the message visible to checks and to the plan, whatever its channel.
func (c messageConfig) sending(channel string) sending {
	return sending{Creative: slugOf(c.Creative), Channel: channel, Class: c.class(), Topic: slugOf(c.Topic), Expires: c.limit()}
}
