package delivery

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Sketch is a marketing message somebody thinks of sending to many people.
type Sketch struct {
	Workspace              uuid.UUID
	Channel, Topic, Sender string // topic and sender by slug
}

// Foreseen is what would become of a sketch's message to one person, were it due now.
type Foreseen struct {
	State  string // sent, queued (it would wait), skipped, expired or failed
	Reason string // as a message has it; "" of one that would be sent
}

// unwritable is the reason of everybody whose message cannot be written, whatever is wrong with a value.
const unwritable = "content"

// Foresee asks the gate about people and fills the message for those it lets through, as Drain would now, and writes nothing. Artifacts
// are compiled creatives, one for each person; where one is nil only the gate answers.
func (d *Deliverer) Foresee(ctx context.Context, tx store.Tx, s Sketch, contacts []uuid.UUID, artifacts [][]byte) ([]Foreseen, error) {
	provider, err := providerOf(ctx, tx, s.Workspace, s.Channel)
	if err != nil {
		return nil, err
	}
	templates := map[*byte]Template{}
	letters, keys := make([]*letter, len(contacts)), make([]facts.Key, len(contacts))
	for i, contact := range contacts {
		keys[i] = facts.Key{Workspace: s.Workspace, Contact: contact}
		letters[i] = &letter{
			workspace: s.Workspace, id: store.NewID(), contact: contact, channel: s.Channel, class: engine.ClassMarketing, topic: s.Topic, sender: s.Sender,
			provider: provider, due: tx.Now,
		}
	}
	persons, err := facts.Contacts(ctx, tx, keys, facts.NoLock)
	if err != nil {
		return nil, err
	}
	var there []*letter
	for i, l := range letters {
		if l.person = persons[keys[i]]; l.person == nil {
			l.stop(skipped, people.NoGone)
			continue
		}
		there = append(there, l)
	}
	r, err := d.gate(ctx, tx, there)
	if err != nil {
		return nil, err
	}
	foreseen := make([]Foreseen, len(letters))
	for i, l := range letters {
		if raw := artifacts[i]; l.state == leaves && len(raw) > 0 {
			template := templates[&raw[0]]
			if template == nil {
				if template, err = d.Template(raw); err != nil {
					return nil, fmt.Errorf("read a creative: %w", err)
				}
				templates[&raw[0]] = template
			}
			d.compose(r, l, template)
			l.mail, l.spliced = Mail{}, nil
		}
		if strings.HasPrefix(l.reason, unwritable+": ") {
			l.reason = unwritable
		}
		foreseen[i] = Foreseen{states[l.state], l.reason}
	}
	return foreseen, nil
}

// states name the fates of letters as messages have them.
var states = map[fate]string{leaves: "sent", skipped: "skipped", expired: "expired", failed: "failed", waits: "queued"}

// providerOf is what would carry a marketing message of a channel now.
func providerOf(ctx context.Context, tx store.Tx, workspace uuid.UUID, channel string) (provider uuid.UUID, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT p.id FROM providers p JOIN workspaces w ON w.id = p.workspace_id
		WHERE p.workspace_id = $1 AND p.channel = $2 AND p.active AND w.sending_mode = 'live'), $3)`, workspace, channel, Sandbox).Scan(&provider)
	if err != nil {
		return provider, fmt.Errorf("read the provider of a channel: %w", err)
	}
	return provider, nil
}
