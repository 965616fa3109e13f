package segments_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/facts"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

// dice draws rules and people. Values of both come from the same few, so that comparisons meet their bounds.
type dice struct{ *rand.Rand }

func pick[T any](d dice, from ...T) T { return from[d.IntN(len(from))] }

func (d dice) some(percent int) bool { return d.IntN(100) < percent }

func (d dice) word() string {
	return pick(d, "Kraków", "KRAKÓW", "kraków", "Łódź", "łódź", "ŻÓŁĆ", "Санкт-Петербург", "САНКТ", "ΣΊΣΥΦΟΣ", "straße", "İstanbul", "ǅ", "k", "K", "a_b%c\\", "null", "3", "true", "x y", "🦊")
}

func (d dice) number() any {
	return pick[any](d, 0.0, 1.0, 2.0, 2.5, 3.0, -1.0, 0.1, 0.30000000000000004, 1e15, 1e20, 123456.789, 1e-7)
}

// moment is a date near the clock changes of spring 2026 in any of the ways people write one.
func (d dice) moment() string {
	at := storetest.Now.Add(time.Duration(d.IntN(40*24*2)-40*24) * 30 * time.Minute)
	switch d.IntN(6) {
	case 0, 1:
		return at.Format("2006-01-02")
	case 2:
		return at.Format("2006-01-02T15:04")
	case 3:
		return at.Format("2006-01-02T15:04:05.123456789")
	case 4:
		return at.In(time.FixedZone("", 2*3600+1800)).Format(time.RFC3339)
	default:
		return at.Format(time.RFC3339Nano)
	}
}

func (d dice) any() any {
	switch d.IntN(6) {
	case 0:
		return d.number()
	case 1:
		return d.some(50)
	case 2:
		return d.moment()
	case 3:
		return pick(d, "", "2026-02-30", "2026-03-29T25:00", "9999-12-31", "0001-01-01", "2026-03-29t01:00:00z")
	default:
		return d.word()
	}
}

func (d dice) period() map[string]any {
	return map[string]any{"amount": 1 + d.IntN(40), "unit": pick(d, "hours", "days", "weeks", "minutes")}
}

var fields = []string{"email", "phone", "first_name", "last_name", "external_id", "language", "zone", "source", "created_at", "updated_at",
	"city", "score", "vip", "birthday", "memo", "missing", "event.total", "vars.x"}

var props = []string{"total", "kind", "cart.id", "cart.inner.deep", "a.b", "at", "gift", "missing"}

func (d dice) comparison(names []string) map[string]any {
	for {
		op := pick(d, engine.Operators()...)
		rule := map[string]any{"field": pick(d, names...), "op": op.Op}
		switch op.Value {
		case engine.ValueOne:
			rule["value"] = d.any()
		case engine.ValueList:
			if d.some(50) {
				rule["value"] = []any{d.word(), d.word(), d.word()}
			} else {
				rule["value"] = []any{d.number(), d.number()}
			}
		case engine.ValueRange:
			if d.some(50) {
				rule["value"] = []any{d.moment(), d.moment()}
			} else {
				rule["value"] = []any{d.number(), d.number()}
			}
		case engine.ValueDuration:
			rule["value"] = d.period()
		case engine.ValueNone:
		}
		if readable(rule) {
			return rule
		}
	}
}

func readable(rule map[string]any) bool {
	raw, err := json.Marshal(rule)
	if err != nil {
		return false
	}
	_, problems := engine.DecodeRule(raw)
	return len(problems) == 0
}

func (d dice) event() map[string]any {
	for {
		event := map[string]any{"name": pick(d, "buy", "visit", "never")}
		agg := pick(d, engine.Count, engine.Count, engine.Sum, engine.Min, engine.Max, engine.Avg, engine.First, engine.Last)
		event["agg"] = agg
		if slices.Contains([]engine.Agg{engine.Sum, engine.Min, engine.Max, engine.Avg}, agg) {
			event["property"] = pick(d, props...)
		}
		if d.some(90) {
			op := pick(d, engine.Operators()...)
			event["op"] = op.Op
			switch op.Value {
			case engine.ValueOne:
				event["value"] = pick(d, d.number(), any(d.moment()))
			case engine.ValueRange:
				event["value"] = pick(d, []any{d.number(), d.number()}, []any{d.moment(), d.moment()})
			case engine.ValueDuration:
				event["value"] = d.period()
			case engine.ValueList, engine.ValueNone:
			}
		}
		if d.some(50) {
			event["within"] = d.period()
		}
		if d.some(40) {
			event["where"] = d.rule(2, func() map[string]any { return d.comparison(props) })
		}
		if rule := map[string]any{"event": event}; readable(rule) {
			return rule
		}
	}
}

func (d dice) leaf() map[string]any {
	switch d.IntN(10) {
	case 0:
		return map[string]any{"tag": pick(d, "tag:vip", "tag:none")}
	case 1:
		return map[string]any{"list": pick(d, "list:news", "list:none")}
	case 2:
		return map[string]any{"segment": pick(d, "segment:friends", "segment:none")}
	case 3:
		consent := map[string]any{"channel": pick(d, "email", "sms"), "state": pick(d, "granted", "denied", "unknown")}
		if d.some(50) {
			consent["topic"] = "topic:offers"
		}
		return map[string]any{"consent": consent}
	case 4, 5, 6:
		return d.event()
	default:
		return d.comparison(fields)
	}
}

func (d dice) rule(depth int, leaf func() map[string]any) map[string]any {
	if depth >= 4 || d.some(40) {
		return leaf()
	}
	switch kind := pick(d, "all", "any", "not"); kind {
	case "not":
		return map[string]any{"not": d.rule(depth+1, leaf)}
	default:
		parts := make([]any, 1+d.IntN(3))
		for i := range parts {
			parts[i] = d.rule(depth+1, leaf)
		}
		return map[string]any{kind: parts}
	}
}

func (d dice) properties() map[string]any {
	values := map[string]any{}
	for _, name := range []string{"total", "kind", "at", "gift", "a.b"} {
		if d.some(60) {
			values[name] = d.any()
		}
	}
	if d.some(40) {
		values["cart"] = map[string]any{"id": d.any(), "inner": map[string]any{"deep": d.any()}, "inner.deep": nil}
		if d.some(50) {
			delete(values["cart"].(map[string]any), "inner.deep")
		}
	}
	if d.some(20) {
		values["a"] = map[string]any{"b": d.any()}
	}
	if d.some(10) {
		values["kind"] = pick[any](d, nil, []any{}, []any{"x"}, map[string]any{})
	}
	return values
}

// crowd makes people with events through the product itself.
func (d dice) crowd(w *spinetest.World, n int) {
	for key, kind := range map[string]string{"city": "text", "score": "number", "vip": "boolean", "birthday": "date", "memo": "text"} {
		require.NoError(w, w.People.PutField(w.Context(), w.Workspace, key, kind, ""))
	}
	require.NoError(w, w.People.PutList(w.Context(), w.Workspace, "news", "News", ""))
	require.NoError(w, w.People.PutTopic(w.Context(), w.Workspace, "offers", "Offers", ""))
	for i := range n {
		in := people.Input{ExternalID: fmt.Sprintf("P-%d", i), Fields: map[string]any{}}
		if d.some(60) {
			in.Email = fmt.Sprintf("%s%d@Example.COM", pick(d, "Anna", "piotr", "x"), i)
		}
		if d.some(40) {
			in.Phone = fmt.Sprintf("+48600100%03d", i)
		}
		for key, value := range map[string]any{"first_name": d.word(), "last_name": d.moment(), "language": "pl", "zone": "Europe/Warsaw", "city": d.word(),
			"score": d.number(), "vip": d.some(50), "birthday": d.moment()[:10], "memo": pick(d, d.word(), d.moment(), "2026-02-30")} {
			if d.some(60) {
				in.Fields[key] = value
			}
		}
		if d.some(50) {
			in.Tags = []string{"vip"}
		}
		if d.some(50) {
			in.Lists = []string{"news"}
		}
		for _, channel := range []string{"email", "sms"} {
			if d.some(50) {
				in.Consents = append(in.Consents, people.ConsentInput{Channel: channel, Topic: pick(d, "", "offers"), State: pick(d, "granted", "denied"), Source: "test"})
			}
		}
		out, err := w.People.Upsert(w.Context(), w.Workspace, in, pick(d, "API", "form"))
		require.NoError(w, err)
		require.NoError(w, out.Err)
		var batch []events.Incoming
		for range d.IntN(6) {
			at := storetest.Now.Add(-time.Duration(d.IntN(60*24)) * time.Hour)
			if d.some(10) {
				at = storetest.Now.Add(4 * time.Minute)
			}
			batch = append(batch, events.Incoming{Who: people.Input{ExternalID: in.ExternalID}, Name: pick(d, "buy", "visit"), At: at, Props: d.properties()})
		}
		if len(batch) > 0 {
			w.Events(batch...)
		}
	}
	w.Exec(`INSERT INTO segments (workspace_id, id, slug, name, description, rule, revision, state, created_at, updated_at)
		VALUES ($1, $2, 'friends', 'Friends', '', '{"tag": "tag:vip"}', 1, 'live', $3, $3)`, w.Workspace, store.NewID(), storetest.Now)
	w.Exec(`INSERT INTO segment_members (workspace_id, contact_id, segment_id, since, recheck_at)
		SELECT c.workspace_id, c.id, s.id, CASE WHEN c.phone IS NULL THEN $2::timestamptz END, $2 FROM contacts c
		JOIN segments s ON s.workspace_id = c.workspace_id WHERE c.workspace_id = $1 AND c.email IS NOT NULL`, w.Workspace, storetest.Now)
}

func (d dice) everybody(w *spinetest.World) map[facts.Key]*facts.Person {
	rows, err := w.Pool.Query(w.Context(), "SELECT id FROM contacts WHERE workspace_id = $1", w.Workspace)
	require.NoError(w, err)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(w, err)
	keys := make([]facts.Key, len(ids))
	for i, id := range ids {
		keys[i] = facts.Key{Workspace: w.Workspace, Contact: id}
	}
	all, err := facts.Contacts(w.Context(), w.Pool, keys, facts.NoLock)
	require.NoError(w, err)
	require.NoError(w, facts.Fill(w.Context(), w.Pool, all, facts.Needs{Events: []string{"buy", "visit", "never"}, Rollups: true, Consents: true, Segments: true}))
	return all
}

func TestGoAndTheDatabaseAgreeOnTenThousandRules(t *testing.T) {
	t.Parallel()
	const worlds, rules = 10, 1000
	for n := range worlds {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			d := dice{rand.New(rand.NewPCG(uint64(n), 7))}
			w := spinetest.New(t)
			d.crowd(w, 30)
			all := d.everybody(w)
			zone := engine.ZoneOf(pick(d, "Europe/Warsaw", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC", "Pacific/Apia", "America/St_Johns"))
			tx, err := w.Pool.Begin(t.Context())
			require.NoError(t, err)
			defer func() { _ = tx.Rollback(t.Context()) }()
			for range rules {
				raw, err := json.Marshal(d.rule(0, d.leaf))
				require.NoError(t, err)
				rule, problems := engine.DecodeRule(raw)
				require.Empty(t, problems, string(raw))
				compiled, err := rule.Compile()
				require.NoError(t, err)
				now := storetest.Now.Add(time.Duration(d.IntN(10)) * time.Minute)
				want := map[uuid.UUID]bool{}
				for key, person := range all {
					if compiled.True(engine.RuleInput{Now: now, Contact: &person.Contact, Zone: zone}) {
						want[key.Contact] = true
					}
				}
				statement := segments.Write(w.Workspace, compiled.Predicate(now, zone))
				rows, err := tx.Query(t.Context(), "SELECT c.id FROM "+statement.From+" WHERE "+statement.Where, statement.Args...)
				require.NoError(t, err, "%s\n%s", raw, statement.Where)
				ids, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
				require.NoError(t, err, "%s\n%s\n%s", raw, statement.From, statement.Where)
				got := map[uuid.UUID]bool{}
				for _, id := range ids {
					got[id] = true
				}
				if !maps.Equal(want, got) || len(got) != len(ids) {
					require.Equal(t, want, got, "%s in %s at %s\n%s\n%s", raw, zone, now, statement.Where, statement.From)
				}
			}
		})
	}
}
