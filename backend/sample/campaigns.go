package sample

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

const (
	// announcedBefore is how many days before now the campaign is sent, in the morning: the better subject goes to the rest in the evening.
	announcedBefore = 4
	announcedAt     = 8

	booked = "workshop_booked"
)

// workshop is a campaign that tries two subjects on some and sends the better one to the rest.
func workshop() campaigns.Document {
	wording := func(id, subject string) campaigns.Variant {
		return campaigns.Variant{ID: id, Weight: 1, Creative: letter{
			subject: subject, preheader: "Sunday, 10 to 13, twelve mats",
			heading: "A slow Sunday before the cold comes",
			body: []string{
				"{First name|first_name|Hello}, once a season we close the door for three hours: long holds, tea, no phones.",
				"Twelve mats, and four of them are yours to take today.",
			},
			button: "Keep a mat for me", url: site + "/workshop",
		}.creative("Winter workshop")}
	}
	return campaigns.Document{
		Channel: engine.ChannelEmail, Audience: campaigns.Audience{Include: []string{"list:newsletter"}}, When: campaigns.When{Mode: campaigns.ModeNow},
		Variants:   []campaigns.Variant{wording("a", "A slow Sunday before the cold comes"), wording("b", hello+", four mats are left for Sunday")},
		Experiment: &campaigns.Experiment{Share: 50, Metric: campaigns.MetricOpened, After: engine.Duration{Amount: 12, Unit: engine.Hours}},
		Goal:       &campaigns.Goal{Event: booked, Within: engine.Duration{Amount: 7, Unit: engine.Days}},
	}
}

// giftCards is a campaign somebody is still writing.
func giftCards() campaigns.Document {
	return campaigns.Document{
		Channel: engine.ChannelEmail, Audience: campaigns.Audience{Include: []string{"list:newsletter"}}, When: campaigns.When{Mode: campaigns.ModeNow},
		Variants: []campaigns.Variant{{ID: "a", Weight: 1, Creative: letter{
			subject: "A class for somebody you like", heading: "Gift cards, printed or by mail",
			body:   []string{"For one class or for ten, {First name|first_name|and} we write the name on it by hand."},
			button: "Choose a gift card", url: site + "/gift",
		}.creative("Gift cards")}},
	}
}

func (s *studio) campaign(ctx context.Context, name string, document campaigns.Document) (campaigns.Campaign, error) {
	raw, err := json.Marshal(document)
	if err != nil {
		return campaigns.Campaign{}, fmt.Errorf("write campaign %s: %w", name, err)
	}
	return s.campaigns.Create(ctx, s.workspace, name, raw, nil)
}

// announcement is when the campaign is sent: at an hour at which people in the studio's city are up, whenever the sample is made.
func announcement(end time.Time) (time.Time, error) {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return time.Time{}, fmt.Errorf("find the zone of the studio: %w", err)
	}
	year, month, day := end.In(place).Date()
	return time.Date(year, month, day-announcedBefore, announcedAt, 0, 0, 0, place).UTC(), nil
}

// announce sends the campaign.
func (s *studio) announce(ctx context.Context) error {
	made, err := s.campaign(ctx, "Winter workshop", workshop())
	if err != nil {
		return err
	}
	if _, _, err := s.campaigns.Start(ctx, s.workspace, made.ID, campaigns.Wish{Revision: made.Revision, AcceptWarnings: true}); err != nil {
		return fmt.Errorf("send campaign %s: %w", made.Name, err)
	}
	if _, err := s.tasks.Settle(ctx); err != nil {
		return err
	}
	s.announced = true
	return s.settle(ctx)
}

// sketchNext begins another one.
func (s *studio) sketchNext(ctx context.Context) error {
	_, err := s.campaign(ctx, "Gift cards for December", giftCards())
	return err
}

// visitors lets people open what the campaign sent them, click and book.
func (s *studio) visitors(ctx context.Context) error {
	arrived, err := s.arrived(ctx, "campaign_id IS NOT NULL", 20*time.Hour)
	if err != nil {
		return err
	}
	for _, id := range arrived {
		if !s.mood.chance(17) {
			continue
		}
		if err := s.deliverer.Act(ctx, s.workspace, id, "open", ""); err != nil {
			return err
		}
		if !s.mood.chance(50) {
			continue
		}
		if err := s.deliverer.Act(ctx, s.workspace, id, "click", site+"/workshop"); err != nil {
			return err
		}
		if !s.mood.chance(60) {
			continue
		}
		var who string
		err := s.tx.QueryRow(ctx, "SELECT c.external_id FROM messages m JOIN contacts c ON c.workspace_id = m.workspace_id AND c.id = m.contact_id WHERE m.workspace_id = $1 AND m.id = $2",
			s.workspace, id).Scan(&who)
		if err != nil {
			return err
		}
		err = store.InTx(ctx, s.tx, s.clock, func(tx store.Tx) error {
			_, err := s.reactor.Ingest(ctx, tx, s.workspace, []events.Incoming{{Who: people.Input{ExternalID: who}, Name: booked, ID: booked + "-" + who}})
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
