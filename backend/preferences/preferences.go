// Package preferences is the page on which people choose themselves what they get: which channels, and of each channel which topics.
//
// The link is signed and names the person, so it works without an account and for as long as a message lies in a mailbox. What the page
// shows of addresses is too little to write to: a forwarded message must not give away more than it says.
//
// What is chosen counts at once, and its proof is kept: the words that were shown, the language, a keyed hash of the network address.
package preferences

import (
	"context"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Source is what consents given here say of where they come from.
const Source = "preferences"

// Preferences read and write what people choose. All members are required.
type Preferences struct {
	DB      store.DB
	Clock   clock.Source
	People  *people.People
	Key     signed.Key
	BaseURL string
}

// Page is what a person sees.
type Page struct {
	Workspace store.Workspace
	Contact   store.Contact
	Language  string // of the person, else of the workspace
	Channels  []Channel
}

// Channel is one way to reach the person.
type Channel struct {
	Channel string
	Hint    string // of the address
	On      bool
	Blocked bool // the address does not work: it bounced
	Topics  []Topic
}

// Topic is what they can get by the channel.
type Topic struct {
	Slug, Name, Description string
	On                      bool
}

// URL is the person's page.
func (p *Preferences) URL(workspace, contact uuid.UUID) string {
	return p.BaseURL + "/p/" + p.Key.Make(signed.Preferences, signed.Token{First: workspace, Second: contact})
}

// Look reads what a link is about. One that was not made here, or whose person is gone, is fault.NotFound.
func (p *Preferences) Look(ctx context.Context, token string) (Page, error) {
	return p.look(ctx, p.DB, token)
}

func (p *Preferences) look(ctx context.Context, db store.DB, token string) (page Page, err error) {
	said, err := p.Key.Read(signed.Preferences, token)
	if err != nil {
		return page, fault.New(fault.NotFound, "This link is not complete. Open it again from the message.").WithErr(err)
	}
	if page.Contact, err = p.People.In(db).Get(ctx, said.First, said.Second); err != nil {
		return page, err
	}
	if page.Contact.ErasedAt != nil {
		return page, fault.New(fault.NotFound, "This person is no longer known here; nothing more will be sent.")
	}
	if page.Workspace, err = store.Q.Workspace(ctx, db, said.First); err != nil {
		return page, fmt.Errorf("read the workspace: %w", err)
	}
	if page.Language = page.Contact.Language; page.Language == "" {
		page.Language = page.Workspace.Language
	}
	topics, err := store.Q.Topics(ctx, db, said.First)
	if err != nil {
		return page, fmt.Errorf("read the topics: %w", err)
	}
	for _, channel := range []string{engine.ChannelEmail, engine.ChannelSMS, engine.ChannelWhatsApp, engine.ChannelPush, engine.ChannelLetter} {
		one, reached, err := p.channel(ctx, db, page.Contact, channel, topics)
		if err != nil {
			return page, err
		}
		if reached {
			page.Channels = append(page.Channels, one)
		}
	}
	return page, nil
}

// channel asks the gate what would leave now: what is shown is what holds.
func (p *Preferences) channel(ctx context.Context, db store.DB, contact store.Contact, channel string, topics []store.Topic) (Channel, bool, error) {
	one := Channel{Channel: channel, Hint: people.Hint(channel, people.Address(contact, channel))}
	asks := []people.Ask{{Contact: contact.ID, Channel: channel, Class: engine.ClassMarketing}}
	for _, topic := range topics {
		asks = append(asks, people.Ask{Contact: contact.ID, Channel: channel, Class: engine.ClassMarketing, Topic: topic.Slug})
	}
	answers, err := p.People.In(db).Gate(ctx, db, contact.WorkspaceID, asks)
	if err != nil || answers[0].Reason == people.NoAddress || answers[0].Reason == people.NoGone {
		return one, false, err
	}
	one.On, one.Blocked = answers[0].Allowed, answers[0].Reason == people.NoSuppress
	for i, topic := range topics {
		one.Topics = append(one.Topics, Topic{topic.Slug, topic.Name, topic.Description, answers[i+1].Reason != people.NoTopic})
	}
	return one, true, nil
}

// Choice is what somebody chose: the channels that are on, each with its topics. A channel that is not named is off.
type Choice map[string]map[string]bool

// Call is how it was said.
type Call struct {
	Language string
	IP       string
	Text     func(channel, topic string) string // the words beside the box
}

// Save lets a choice count. Nudge the pump "inbox" afterwards.
func (p *Preferences) Save(ctx context.Context, token string, choice Choice, call Call) (Page, error) {
	return store.InTxV(ctx, p.DB, p.Clock, func(tx store.Tx) (Page, error) {
		page, err := p.look(ctx, tx, token)
		if err != nil {
			return page, err
		}
		var said []people.ConsentInput
		say := func(channel, topic, label string, on bool) {
			state := people.Denied
			if on {
				state = people.Granted
			}
			said = append(said, people.ConsentInput{Channel: channel, Topic: topic, State: state, Source: Source, Proof: map[string]any{
				"text": call.Text(channel, label), "chosen": on, "language": call.Language, "ip_hash": hex.EncodeToString(p.Key.Hash("ip", call.IP)),
				"page": "preferences", "at": tx.Now.UTC().Format(time.RFC3339),
			}})
		}
		for _, channel := range page.Channels {
			topics, on := choice[channel.Channel]
			// Who wants nothing has said no, also to what nobody asked them about or what does not reach them now.
			if len(choice) == 0 || on != channel.On && !channel.Blocked {
				say(channel.Channel, "", "", on)
			}
			for _, topic := range channel.Topics {
				if want := topics[topic.Slug]; on && want != topic.On {
					say(channel.Channel, topic.Slug, topic.Name, want)
				}
			}
		}
		if len(said) == 0 {
			return page, nil
		}
		if _, err := p.People.In(tx).SetConsents(ctx, page.Contact.WorkspaceID, page.Contact.ID, said); err != nil {
			return page, err
		}
		return p.look(ctx, tx, token)
	})
}
