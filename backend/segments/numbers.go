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
	{"letter", "coalesce(c.fields->>'street', '') <> '' AND coalesce(c.fields->>'postal_code', '') <> '' AND coalesce(c.fields->>'city', '') <> ''", ""},
}

// mostAddresses bounds how many addresses are compared with suppressions one by one.
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
		if err := scanNumbers(ctx, tx, audience, settings.AllowUnknownConsent, &numbers); err != nil {
			return numbers, err
		}
		for i := range numbers.Channels {
			channel := &numbers.Channels[i]
			if settings.PausedAt != nil {
				channel.Sendable = 0
			}
			if err := s.suppressed(ctx, tx, workspace, audience, settings.AllowUnknownConsent, i, channel); err != nil {
				return numbers, err
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

func scanNumbers(ctx context.Context, tx store.Tx, audience Statement, allowUnknown bool, numbers *Numbers) error {
	columns, joins, places := "count(*)", "", []any{&numbers.Match}
	numbers.Channels = make([]Channel, len(channels))
	for i, channel := range channels {
		alias := "k" + channel.name
		numbers.Channels[i] = Channel{Channel: channel.name, Exact: true}
		columns += fmt.Sprintf(", count(*) FILTER (WHERE %s), count(*) FILTER (WHERE %[1]s AND %[2]s)", channel.has, agreed(alias, allowUnknown))
		joins += fmt.Sprintf(" LEFT JOIN consents %s ON %[1]s.workspace_id = c.workspace_id AND %[1]s.contact_id = c.id AND %[1]s.channel = '%[2]s' AND %[1]s.topic = ''",
			alias, channel.name)
		places = append(places, &numbers.Channels[i].Reachable, &numbers.Channels[i].Sendable)
	}
	query := "SELECT " + columns + " FROM (SELECT c.workspace_id, c.id, c.email_folded, c.phone, c.fields FROM " + audience.From +
		" WHERE " + audience.Where + ") AS c" + joins
	if err := tx.QueryRow(ctx, query, audience.Args...).Scan(places...); err != nil {
		return fmt.Errorf("count people: %w", err)
	}
	return nil
}

// suppressed takes those off whose address is suppressed.
func (s *Segments) suppressed(ctx context.Context, tx store.Tx, workspace uuid.UUID, audience Statement, allowUnknown bool, i int, channel *Channel) error {
	kind := channels[i]
	if channel.Sendable == 0 || kind.address == "" {
		return nil
	}
	rows, err := tx.Query(ctx, "SELECT address_hmac FROM suppressions WHERE workspace_id = $1 AND channel = $2", workspace, channel.Channel)
	if err != nil {
		return fmt.Errorf("read suppressions: %w", err)
	}
	refused := map[string]bool{}
	var hash []byte
	if _, err := pgx.ForEachRow(rows, []any{&hash}, func() error { refused[string(hash)] = true; return nil }); err != nil {
		return fmt.Errorf("read suppressions: %w", err)
	}
	if len(refused) == 0 {
		return nil
	}
	who := fmt.Sprintf(` FROM %s LEFT JOIN consents k ON k.workspace_id = c.workspace_id AND k.contact_id = c.id AND k.channel = '%s' AND k.topic = ''
		WHERE %s AND %s AND %s`, audience.From, channel.Channel, audience.Where, kind.has, agreed("k", allowUnknown))
	if channel.Sendable > mostAddresses {
		channel.Exact = false
		query := "SELECT count(*)" + who + fmt.Sprintf(` AND EXISTS (SELECT 1 FROM suppressions u WHERE u.workspace_id = c.workspace_id
			AND u.contact_id = c.id AND u.channel = '%s')`, channel.Channel)
		var known int64
		if err := tx.QueryRow(ctx, query, audience.Args...).Scan(&known); err != nil {
			return fmt.Errorf("count suppressed people: %w", err)
		}
		channel.Sendable -= known
		return nil
	}
	rows, err = tx.Query(ctx, "SELECT "+kind.address+who, audience.Args...)
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	var address string
	_, err = pgx.ForEachRow(rows, []any{&address}, func() error {
		if refused[string(s.hash(workspace, channel.Channel, address))] {
			channel.Sendable--
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	return nil
}
