package delivery

import (
	"context"
	"regexp"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// passing are codes of refusals that are about the recipient and yet not for ever: a full mailbox, a policy, a sender that is not liked.
var passing = regexp.MustCompile(`\b(5\.2\.[23]|5\.3\.\d+|5\.7\.\d+|552|554)\b`)

// leaveAlone suppresses the addresses that the provider said do not exist; a refusal that may pass is only counted.
func (d *Deliverer) leaveAlone(ctx context.Context, tx store.Tx, letters []*letter) error {
	for _, l := range letters {
		if l.channel == engine.ChannelPush || l.result.Verdict != mailwire.Refused || !l.result.Recipient {
			continue
		}
		soft := passing.MatchString(l.result.Code + " " + l.result.Detail)
		if err := d.People.Bounced(ctx, tx, l.workspace, l.contact, l.channel, l.to, soft, "on delivery"); err != nil {
			return err
		}
	}
	return nil
}
