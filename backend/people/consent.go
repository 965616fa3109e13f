package people

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Consents are what a contact agreed to and refused, by channel and topic.
func (p *People) Consents(ctx context.Context, workspace, contact uuid.UUID) ([]store.Consent, error) {
	if _, err := p.Get(ctx, workspace, contact); err != nil {
		return nil, err
	}
	consents, err := store.Q.Consents(ctx, p.db, store.ConsentsParams{WorkspaceID: workspace, ContactID: contact})
	if err != nil {
		return nil, fmt.Errorf("read consents: %w", err)
	}
	return consents, nil
}

// SetConsents records what the person agreed to or refused; consents not named stay. One said earlier than what is on
// record changes nothing.
func (p *People) SetConsents(ctx context.Context, workspace, contact uuid.UUID, inputs []ConsentInput) ([]store.Consent, error) {
	_, err := p.edit(ctx, workspace, contact, func(know vocabulary) (change, error) {
		c := checker{know: know}
		c.consents(inputs)
		return c.change, fault.InvalidFields(c.wrong)
	})
	if err != nil {
		return nil, err
	}
	return p.Consents(ctx, workspace, contact)
}

// Unsubscribe is a person's own word, by link or by mail program. Topic "" leaves everything of the channel: the address is
// suppressed, an `unsubscribed` event ends what waits for the person. A topic leaves that one only. Saying it twice is
// fine.
func (p *People) Unsubscribe(ctx context.Context, workspace, contact uuid.UUID, channel, topic, source string) error {
	_, err := p.edit(ctx, workspace, contact, func(know vocabulary) (change, error) {
		if topic != "" && !know.topics[topic] {
			topic = "" // the topic is gone: the safe reading is everything
		}
		return change{consents: []ConsentInput{{Channel: channel, Topic: topic, State: Denied, Source: source}}}, nil
	})
	return err
}

// followConsents keeps suppressions in step with what edits said about whole channels.
func (p *People) followConsents(ctx context.Context, tx store.Tx, edits []*edit) error {
	for _, e := range edits {
		for _, row := range e.consents {
			address := Address(e.row, row.Channel)
			if row.Topic != "" || address == "" {
				continue
			}
			var err error
			switch row.State {
			case Denied:
				err = p.suppress(ctx, tx, e.row.WorkspaceID, row.Channel, address, ReasonUnsubscribed, row.Source, &e.row.ID)
			case Granted:
				if !e.isNew { // a new person who says yes in an import may be one who said no and was erased
					err = p.unsuppress(ctx, tx, e.row.WorkspaceID, row.Channel, address, ReasonUnsubscribed)
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRecords bounds what is shown of one person's consents.
const maxRecords = 1000

// ConsentRecords are everything a person agreed to or refused, the newest first, each with its proof.
func (p *People) ConsentRecords(ctx context.Context, workspace, contact uuid.UUID) ([]store.ConsentRecord, error) {
	person, err := p.Get(ctx, workspace, contact)
	if err != nil {
		return nil, err
	}
	rows, err := store.Q.ConsentRecords(ctx, p.db, store.ConsentRecordsParams{WorkspaceID: workspace, ContactID: person.ID, MaxRows: maxRecords})
	if err != nil {
		return nil, fmt.Errorf("read proofs of consent: %w", err)
	}
	return rows, nil
}
