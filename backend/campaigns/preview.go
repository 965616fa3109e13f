package campaigns

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Foresee tells what would become of a message to each of some people, were it due now. It is Deliverer.Foresee.
type Foresee func(ctx context.Context, tx store.Tx, s delivery.Sketch, contacts []uuid.UUID, artifacts [][]byte) ([]delivery.Foreseen, error)

// Numbers are the numbers of an audience on the campaign's channel. Reachable is the sum of Sendable and of the people of all Reasons.
type Numbers struct {
	Match, Reachable int64
	Sendable         int64    // are sent it at once by a start at this moment
	Reasons          []Reason // why the others are not, the commonest first; those of state queued are sent it later
	Exact            bool     // false: drawn from some of the people, or nobody knows yet who gets which variant
	Trial            *Trial   // nil if the document has one message
	Problems         []engine.Problem

	some bool // of the people were asked about
}

const (
	// mostAsked bounds how many people are asked about one by one.
	mostAsked = 10_000
	// askedAtOnce is how many of them share a look.
	askedAtOnce = 1000
)

// Preview tells how many people a campaign would reach now and what is wrong with it. The campaign whose document it is says who would get
// which variant; uuid.Nil is none yet.
func (c *Campaigns) Preview(ctx context.Context, workspace, campaign uuid.UUID, d Document) (Numbers, error) {
	look, err := c.check(ctx, workspace, d)
	if err != nil {
		return Numbers{}, err
	}
	if look.audienceUnclear() {
		return Numbers{Exact: true, Problems: look.problems}, nil
	}
	numbers, err := store.InTxV(ctx, c.DB, c.Clock, func(tx store.Tx) (Numbers, error) {
		return c.foresee(ctx, tx, workspace, campaign, &d, look)
	})
	if err == nil && numbers.some {
		all, err := c.Segments.Count(ctx, workspace, d.Audience.Rule())
		if err != nil {
			return numbers, err
		}
		numbers.Match = all.Match
		for _, channel := range all.Channels {
			if channel.Channel == d.Channel {
				numbers.scale(channel.Reachable)
			}
		}
	}
	numbers.Problems = look.problems
	numbers.Trial = d.trial(numbers.Sendable + numbers.later())
	return numbers, err
}

// audienceUnclear tells whether there is no audience to count.
func (f *checked) audienceUnclear() bool {
	return slices.ContainsFunc(f.problems, func(p engine.Problem) bool {
		return p.Node == "" && p.Severity == engine.Error && p.Code != CodeAudienceBuilding && strings.HasPrefix(p.Field, "audience")
	})
}

// foresee asks about each person of the audience, or about some of a large one.
func (c *Campaigns) foresee(ctx context.Context, tx store.Tx, workspace, campaign uuid.UUID, d *Document, look checked) (Numbers, error) {
	ids, all, err := asked(ctx, tx, workspace, campaign, d)
	if err != nil {
		return Numbers{}, err
	}
	numbers := Numbers{Match: int64(len(ids)), Reachable: int64(len(ids)), Exact: all, some: !all}
	seats, trial := d.seats(), int64(len(ids))
	if test := d.trial(int64(len(ids))); test != nil {
		trial = test.People
	}
	sketch := delivery.Sketch{Workspace: workspace, Channel: d.Channel, Topic: slugOf(d.Topic), Sender: slugOf(d.Sender)}
	place := 0
	for contacts := range slices.Chunk(ids, askedAtOnce) {
		artifacts := make([][]byte, len(contacts))
		for i := range contacts {
			variant := seats[place%len(seats)]
			if int64(place) >= trial {
				variant = d.Variants[0].ID // of those who wait for a winner nobody knows which it is
			}
			artifacts[i] = look.compiled[variant].Artifact
			place++
		}
		foreseen, err := c.Foresee(ctx, tx, sketch, contacts, artifacts)
		if err != nil {
			return numbers, err
		}
		for _, f := range foreseen {
			numbers.add(f)
		}
	}
	slices.SortStableFunc(numbers.Reasons, func(a, b Reason) int { return cmp.Or(cmp.Compare(b.People, a.People), cmp.Compare(a.Reason, b.Reason)) })
	if len(d.Variants) > 1 && (campaign == uuid.Nil || trial < int64(len(ids))) && slices.ContainsFunc(numbers.Reasons, func(r Reason) bool { return r.State == "failed" }) {
		numbers.Exact = false
	}
	return numbers, nil
}

// asked are the people of the audience as the campaign would seat them; of a large one, some of them by chance.
func asked(ctx context.Context, tx store.Tx, workspace, campaign uuid.UUID, d *Document) (ids []uuid.UUID, all bool, err error) {
	audience, err := audienceOf(ctx, tx, workspace, "", d)
	if err != nil {
		return nil, false, err
	}
	place := "$" + strconv.Itoa(len(audience.Args)+1) + "::uuid"
	rows, err := tx.Query(ctx, "SELECT c.id FROM "+audience.From+" WHERE "+audience.Where+" ORDER BY "+shuffled(place)+" LIMIT "+strconv.Itoa(mostAsked+1),
		append(audience.Args, campaign)...)
	if err != nil {
		return nil, false, fmt.Errorf("find who is in an audience: %w", err)
	}
	if ids, err = pgx.CollectRows(rows, pgx.RowTo[uuid.UUID]); err != nil {
		return nil, false, fmt.Errorf("find who is in an audience: %w", err)
	}
	if len(ids) > mostAsked {
		return ids[:mostAsked], false, nil
	}
	return ids, true, nil
}

func (n *Numbers) add(f delivery.Foreseen) {
	switch {
	case f.State == "sent":
		n.Sendable++
	case f.Reason == people.NoGone:
		n.Match--
		n.Reachable--
	case f.Reason == people.NoAddress:
		n.Reachable--
	default:
		for i := range n.Reasons {
			if r := &n.Reasons[i]; r.State == f.State && r.Reason == f.Reason {
				r.People++
				return
			}
		}
		n.Reasons = append(n.Reasons, Reason{f.State, f.Reason, 1})
	}
}

// later is how many are sent it when what holds them back has passed.
func (n *Numbers) later() (later int64) {
	for _, r := range n.Reasons {
		if r.State == "queued" {
			later += r.People
		}
	}
	return later
}

// scale makes numbers of some people those of all who are reachable. What is lost by rounding is sendable.
func (n *Numbers) scale(reachable int64) {
	of := max(n.Reachable, 1)
	n.Reachable, n.Sendable = reachable, reachable
	kept := n.Reasons[:0]
	for _, r := range n.Reasons {
		r.People = min(r.People*reachable/of, n.Sendable)
		if r.People > 0 {
			n.Sendable -= r.People
			kept = append(kept, r)
		}
	}
	n.Reasons = kept
}
