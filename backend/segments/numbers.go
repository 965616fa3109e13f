package segments

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Numbers are three answers about an audience.
type Numbers struct {
	Match    int64
	Channels []Channel
}

// Channel is how far an audience is within reach of one channel.
type Channel struct {
	Channel   string
	Reachable int64 // have an address
	Sendable  int64 // would get a marketing message now: agreed, and not suppressed
	Exact     bool  // false: suppressions were looked up by person, since there are too many addresses to look up each
}

// channels are those with an address of their own kind, and what tells that somebody has one. Two channels may share an address.
var channels = []struct{ name, has, address string }{
	{"email", "c.email_folded IS NOT NULL", "c.email_folded"},
	{"sms", "c.phone IS NOT NULL", "c.phone"},
	{"whatsapp", "c.phone IS NOT NULL", "c.phone"},
	{"push", "EXISTS (SELECT 1 FROM devices d WHERE d.workspace_id = c.workspace_id AND d.contact_id = c.id)", ""},
	{"letter", "coalesce(c.fields->>'street', '') <> '' AND coalesce(c.fields->>'postal_code', '') <> '' AND coalesce(c.fields->>'city', '') <> ''", ""},
}

// mostAddresses bounds of how many people the addresses are compared with suppressions one by one.
const mostAddresses = 200_000

// Count asks how many people match a rule, how many of them each channel reaches, and how many would be sent a message now.
func (s *Segments) Count(ctx context.Context, workspace uuid.UUID, document json.RawMessage) (Numbers, error) {
	rule, err := s.read(ctx, s.db, workspace, document)
	if err != nil {
		return Numbers{}, err
	}
	return s.count(ctx, workspace, rule)
}

// CountSegment asks the same of a saved segment, as it would be now.
func (s *Segments) CountSegment(ctx context.Context, workspace uuid.UUID, segment Segment) (Numbers, error) {
	var rule engine.Rule
	if err := json.Unmarshal(segment.Rule, &rule); err != nil {
		return Numbers{}, fmt.Errorf("read the rule of segment %s: %w", segment.ID, err)
	}
	return s.count(ctx, workspace, &rule)
}

func (s *Segments) count(ctx context.Context, workspace uuid.UUID, rule *engine.Rule) (Numbers, error) {
	return store.InTxV(ctx, s.db, s.clock, func(tx store.Tx) (numbers Numbers, err error) {
		settings, err := store.Q.Workspace(ctx, tx, workspace)
		if err != nil {
			return numbers, fmt.Errorf("read the workspace: %w", err)
		}
		predicate, err := Compile(rule, tx.Now, engine.ZoneOf(settings.Zone))
		if err != nil {
			return numbers, fault.New(fault.Invalid, "This rule cannot be counted: %s.", err)
		}
		audience := Write(workspace, predicate)
		// Rules differ too much for a plan made once, and parallel workers read a big audience in half the time.
		if _, err := tx.Exec(ctx, "SET LOCAL plan_cache_mode = force_custom_plan; SET LOCAL jit = off"); err != nil {
			return numbers, fmt.Errorf("prepare to count: %w", err)
		}
		refused, err := suppressions(ctx, tx, workspace)
		if err != nil {
			return numbers, err
		}
		addresses, err := scanNumbers(ctx, tx, audience, settings.AllowUnknownConsent, refused, &numbers)
		if err != nil {
			return numbers, err
		}
		for i := range numbers.Channels {
			channel := &numbers.Channels[i]
			if settings.PausedAt != nil {
				channel.Sendable = 0
			}
			if channel.Sendable == 0 || len(refused[channel.Channel]) == 0 {
				continue
			}
			if numbers.Match > mostAddresses {
				if err := estimate(ctx, tx, audience, settings.AllowUnknownConsent, i, channel); err != nil {
					return numbers, err
				}
				continue
			}
			for _, address := range addresses[i] {
				if refused[channel.Channel][string(s.hash(workspace, channel.Channel, address))] {
					channel.Sendable--
				}
			}
		}
		return numbers, nil
	})
}

// agreed is what consent a marketing message without a topic needs.
func agreed(alias string, allowUnknown bool) string {
	if allowUnknown {
		return "coalesce(" + alias + ".state, 'unknown') <> 'denied'"
	}
	return alias + ".state = 'granted'"
}

// suppressions are the addresses nothing may be sent to, by channel and hash.
func suppressions(ctx context.Context, tx store.Tx, workspace uuid.UUID) (map[string]map[string]bool, error) {
	rows, err := tx.Query(ctx, "SELECT channel, address_hmac FROM suppressions WHERE workspace_id = $1", workspace)
	if err != nil {
		return nil, fmt.Errorf("read suppressions: %w", err)
	}
	refused := map[string]map[string]bool{}
	var channel string
	var hash []byte
	_, err = pgx.ForEachRow(rows, []any{&channel, &hash}, func() error {
		if refused[channel] == nil {
			refused[channel] = map[string]bool{}
		}
		refused[channel][string(hash)] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read suppressions: %w", err)
	}
	return refused, nil
}

// scanNumbers asks everything in one pass over the audience. Where a channel has suppressions it brings the addresses of those who could
// be sent something, all of them if no more than mostAddresses match: finding the people a second time would take as long again.
func scanNumbers(ctx context.Context, tx store.Tx, audience Statement, allowUnknown bool, refused map[string]map[string]bool, numbers *Numbers) ([][]string, error) {
	columns, joins, number, places := "count(*)", "", "", []any{&numbers.Match}
	numbers.Channels = make([]Channel, len(channels))
	addresses := make([][]string, len(channels))
	for i, channel := range channels {
		alias := "k" + channel.name
		numbers.Channels[i] = Channel{Channel: channel.name, Exact: true}
		columns += fmt.Sprintf(", count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %[1]s AND %[2]s)", channel.has, agreed(alias, allowUnknown))
		joins += fmt.Sprintf(" LEFT JOIN consents %s ON %[1]s.workspace_id = c.workspace_id AND %[1]s.contact_id = c.id AND %[1]s.channel = '%[2]s' AND %[1]s.topic = ''",
			alias, channel.name)
		places = append(places, &numbers.Channels[i].Reachable, &numbers.Channels[i].Sendable)
		if channel.address != "" && len(refused[channel.name]) > 0 {
			number = ", row_number() OVER () AS n"
			columns += fmt.Sprintf(", array_agg(%s) FILTER (WHERE c.n <= %d AND %s AND %s)", channel.address, mostAddresses, channel.has, agreed(alias, allowUnknown))
			places = append(places, &addresses[i])
		}
	}
	query := "SELECT " + columns + " FROM (SELECT c.workspace_id, c.id, c.email_folded, c.phone, c.fields" + number + " FROM " + audience.From +
		" WHERE " + audience.Where + ") AS c" + joins
	if err := tx.QueryRow(ctx, query, audience.Args...).Scan(places...); err != nil {
		return nil, fmt.Errorf("count people: %w", err)
	}
	return addresses, nil
}

// estimate takes those off a big audience who are known to be suppressed.
func estimate(ctx context.Context, tx store.Tx, audience Statement, allowUnknown bool, i int, channel *Channel) error {
	channel.Exact = false
	query := fmt.Sprintf(`SELECT count(*) FROM %s LEFT JOIN consents k ON k.workspace_id = c.workspace_id AND k.contact_id = c.id AND k.channel = '%s' AND k.topic = ''
		WHERE %s AND %s AND %s AND EXISTS (SELECT 1 FROM suppressions u WHERE u.workspace_id = c.workspace_id AND u.contact_id = c.id AND u.channel = '%[2]s')`,
		audience.From, channel.Channel, audience.Where, channels[i].has, agreed("k", allowUnknown))
	var known int64
	if err := tx.QueryRow(ctx, query, audience.Args...).Scan(&known); err != nil {
		return fmt.Errorf("count suppressed people: %w", err)
	}
	channel.Sendable -= known
	return nil
}
