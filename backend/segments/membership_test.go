package segments_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

const day = 24 * time.Hour

func service(w *spinetest.World) *segments.Segments {
	return segments.New(segments.Options{DB: w.Pool, Clock: w.Clock, Hash: people.NewSuppressionKey(spinetest.Secret).Hash, References: funnels.References})
}

// segment makes a segment and lets it be built.
func segment(w *spinetest.World, name, rule string) segments.Segment {
	w.Helper()
	made, err := service(w).Create(w.Context(), w.Workspace, segments.Input{Name: &name, Rule: json.RawMessage(rule)})
	require.NoError(w, err)
	require.True(w, made.Building)
	w.Settle()
	return made
}

func members(w *spinetest.World, id uuid.UUID) []string {
	w.Helper()
	page, err := service(w).Members(w.Context(), w.Workspace, id, "", 0)
	require.NoError(w, err)
	list := []string{}
	for _, member := range page.Items {
		list = append(list, member.Email)
	}
	return list
}

// told lists what was fired about segments, with the hour since the world began.
func told(w *spinetest.World) []string {
	w.Helper()
	rows, err := w.Pool.Query(w.Context(), `SELECT e.name, e.props->>'segment', c.email, e.at FROM events e JOIN contacts c ON c.workspace_id = e.workspace_id AND c.id = e.contact_id
		WHERE e.workspace_id = $1 AND e.name LIKE 'segment_%' ORDER BY e.at, e.id`, w.Workspace)
	require.NoError(w, err)
	list := []string{}
	for rows.Next() {
		var name, slug, email string
		var at time.Time
		require.NoError(w, rows.Scan(&name, &slug, &email, &at))
		list = append(list, fmt.Sprintf("%s %s %s %v", email, strings.TrimPrefix(name, "segment_"), slug, at.Sub(storetest.Now)))
	}
	require.NoError(w, rows.Err())
	return list
}

const silent90 = `{"event": {"name": "buy", "agg": "last", "op": "not_within_last", "value": {"amount": 90, "unit": "days"}}}`

func TestMembershipFollowsEventsAndTime(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	quiet := segment(w, "Silent", `{"all": [{"event": {"name": "buy"}}, `+silent90+`]}`)
	w.Event("anna@example.com", "buy", nil)
	w.Settle()
	require.Empty(t, members(w, quiet.ID))

	w.To(storetest.Now.Add(90*day - time.Microsecond))
	require.Empty(t, members(w, quiet.ID), "a window is half-open")
	w.To(storetest.Now.Add(100 * day))
	require.Equal(t, []string{"anna@example.com"}, members(w, quiet.ID))

	w.Event("anna@example.com", "buy", nil)
	w.Settle()
	require.Empty(t, members(w, quiet.ID))
	w.To(storetest.Now.Add(400 * day))
	require.Equal(t, []string{
		"anna@example.com entered silent 2160h0m0s", "anna@example.com left silent 2400h0m0s", "anna@example.com entered silent 4560h0m0s",
	}, told(w), "each move is told once, at the instant it happened")
}

func TestAPurchaseAtTheLastInstantIsInTime(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	segment(w, "Silent", `{"all": [{"event": {"name": "buy"}}, `+silent90+`]}`)
	w.Event("anna@example.com", "buy", nil)
	w.To(storetest.Now.Add(90*day - time.Microsecond))
	require.NoError(t, w.Clock.SetNow(t.Context(), storetest.Now.Add(90*day)))
	w.Event("anna@example.com", "buy", nil)
	w.To(storetest.Now.Add(91 * day))
	require.Empty(t, told(w))
}

func TestMembershipFollowsWhatIsKnownOfAPerson(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	here := segment(w, "Here", `{"all": [{"field": "first_name", "op": "is", "value": "ANNA"}, {"consent": {"channel": "email", "state": "granted"}}]}`)
	require.NoError(t, w.People.PutTag(t.Context(), w.Workspace, "vip", "VIP"))
	tagged := segment(w, "Tagged", `{"tag": "tag:vip"}`)
	anna := w.Contact("anna@example.com")
	w.Settle()
	require.Empty(t, members(w, here.ID))
	_, err := w.People.Patch(t.Context(), w.Workspace, anna, map[string]json.RawMessage{"first_name": json.RawMessage(`"Anna"`)})
	require.NoError(t, err)
	_, err = w.People.AddTag(t.Context(), w.Workspace, anna, "vip")
	require.NoError(t, err)
	w.Settle()
	require.Equal(t, []string{"anna@example.com"}, members(w, here.ID))
	require.Equal(t, []string{"anna@example.com"}, members(w, tagged.ID))
	require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, anna, "email", "", "test"))
	w.Settle()
	require.Empty(t, members(w, here.ID))
	require.Len(t, told(w), 3)

	require.NoError(t, w.People.Erase(t.Context(), w.Workspace, anna))
	require.Zero(t, w.Count("SELECT count(*) FROM segment_members"))
}

func TestANewOrEditedSegmentFiresNothingForThoseInside(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	for i := range 30 {
		w.Event(fmt.Sprintf("p%02d@example.com", i), "buy", map[string]any{"total": i})
	}
	w.Settle()
	made := segment(w, "Buyers", `{"event": {"name": "buy", "agg": "sum", "property": "total", "op": "gte", "value": 10}}`)
	found, err := service(w).Get(t.Context(), w.Workspace, made.ID)
	require.NoError(t, err)
	require.False(t, found.Building)
	require.EqualValues(t, 20, found.Members)

	changed, err := service(w).Update(t.Context(), w.Workspace, made.ID, segments.Input{Rule: json.RawMessage(`{"event": {"name": "buy", "agg": "sum", "property": "total", "op": "gte", "value": 25}}`)})
	require.NoError(t, err)
	require.True(t, changed.Building)
	require.EqualValues(t, 2, changed.Revision)
	w.Settle()
	require.Len(t, members(w, made.ID), 5)
	require.Empty(t, told(w))

	w.Event("p24@example.com", "buy", map[string]any{"total": 1})
	w.Settle()
	require.Equal(t, []string{"p24@example.com entered buyers 0s"}, told(w))
	same, err := service(w).Update(t.Context(), w.Workspace, made.ID, segments.Input{Name: new("Great buyers"), Rule: changed.Rule})
	require.NoError(t, err)
	require.False(t, same.Building, "the same rule is no new one")
}

func TestImportedHistoryCountsAndFiresNothing(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	buyers := segment(w, "Buyers", `{"event": {"name": "buy"}}`)
	require.NoError(t, w.People.PutTag(t.Context(), w.Workspace, "vip", "VIP"))
	tagged := segment(w, "Tagged", `{"tag": "tag:vip"}`)
	w.Events(
		events.Incoming{Name: "buy", Who: people.Input{Email: "a@example.com", Tags: []string{"vip"}}, Imported: true, At: storetest.Now.Add(-10 * day)},
		events.Incoming{Name: "buy", Who: people.Input{Email: "b@example.com"}, At: storetest.Now.Add(-2 * day)})
	w.Settle()
	require.Len(t, members(w, buyers.ID), 2)
	require.Equal(t, []string{"a@example.com"}, members(w, tagged.ID), "an import posts no internal events, and yet moves people")
	require.Empty(t, told(w))
}

func TestSegmentsOfSegments(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	buyers := segment(w, "Buyers", `{"event": {"name": "buy", "within": {"amount": 10, "unit": "days"}}}`)
	others := segment(w, "Others", `{"not": {"segment": "segment:buyers"}}`)
	both := segment(w, "Both", `{"any": [{"segment": "segment:buyers"}, {"segment": "segment:others"}]}`)
	w.Event("anna@example.com", "buy", nil)
	w.Contact("piotr@example.com")
	w.Settle()
	require.Equal(t, []string{"anna@example.com"}, members(w, buyers.ID))
	require.Equal(t, []string{"piotr@example.com"}, members(w, others.ID))
	require.Len(t, members(w, both.ID), 2)
	w.To(storetest.Now.Add(11 * day))
	require.Empty(t, members(w, buyers.ID))
	require.Len(t, members(w, others.ID), 2)
	require.Contains(t, told(w), "anna@example.com entered others 240h0m0s")

	_, err := service(w).Update(t.Context(), w.Workspace, buyers.ID, segments.Input{Rule: json.RawMessage(`{"all": [{"event": {"name": "buy"}}, {"segment": "segment:both"}]}`)})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
	require.ErrorContains(t, err, "made of itself")
	_, err = service(w).Update(t.Context(), w.Workspace, buyers.ID, segments.Input{Rule: json.RawMessage(`{"segment": "segment:buyers"}`)})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))

	require.Equal(t, fault.Conflict, fault.CodeOf(service(w).Delete(t.Context(), w.Workspace, buyers.ID)), "others are made of it")
	require.NoError(t, service(w).Delete(t.Context(), w.Workspace, both.ID))
	w.Settle()
	require.Zero(t, w.Count("SELECT count(*) FROM segments WHERE id = $1", both.ID))
	require.Zero(t, w.Count("SELECT count(*) FROM segment_members WHERE segment_id = $1", both.ID))

	// Another rule moves people quietly, and those of segments made of it too.
	_, err = service(w).Update(t.Context(), w.Workspace, buyers.ID, segments.Input{Rule: json.RawMessage(`{"event": {"name": "buy"}}`)})
	require.NoError(t, err)
	before := told(w)
	w.Settle()
	require.Equal(t, []string{"piotr@example.com"}, members(w, others.ID))
	require.Equal(t, before, told(w))
}

func TestAMergeMovesTheWinner(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	twice := segment(w, "Twice", `{"event": {"name": "buy", "op": "gte", "value": 2}}`)
	w.Event("a@example.com", "buy", nil)
	w.Event("b@example.com", "buy", nil)
	w.Settle()
	require.Empty(t, members(w, twice.ID))
	id := func(email string) (id uuid.UUID) {
		require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT id FROM contacts WHERE email = $1", email).Scan(&id))
		return id
	}
	_, err := w.People.Merge(t.Context(), w.Workspace, id("a@example.com"), id("b@example.com"))
	require.NoError(t, err)
	w.Settle()
	require.Equal(t, []string{"a@example.com"}, members(w, twice.ID))
}

func TestTwoSweepsTellOfAPersonOnce(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	segment(w, "Silent", `{"all": [{"event": {"name": "buy"}}, `+silent90+`]}`)
	const crowd = 300
	batch := make([]events.Incoming, crowd)
	for i := range batch {
		batch[i] = events.Incoming{Name: "buy", Who: people.Input{Email: fmt.Sprintf("p%d@example.com", i)}}
	}
	w.Events(batch...)
	w.Settle()
	at := storetest.Now.Add(90 * day)
	require.NoError(t, w.Clock.SetNow(t.Context(), at))
	require.NoError(t, w.Clock.SetDue(t.Context(), at))
	var sweeps sync.WaitGroup
	for range 4 {
		sweep := &segments.Sweep{DB: w.Pool, Clock: w.Clock, Cache: &segments.Cache{}}
		sweeps.Go(func() {
			for range 40 {
				_, err := sweep.Job().Drain(t.Context(), pump.Batch{Limit: 20})
				require.NoError(t, err)
			}
		})
	}
	sweeps.Wait()
	w.Settle()
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM events WHERE name = 'segment_entered'"))
	require.Equal(t, crowd, w.Count("SELECT count(DISTINCT contact_id) FROM events WHERE name = 'segment_entered'"))
}

func TestASweepWaitsForNobody(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	segment(w, "Silent", `{"all": [{"event": {"name": "buy"}}, `+silent90+`]}`)
	w.Event("busy@example.com", "buy", nil)
	w.Event("free@example.com", "buy", nil)
	w.Settle()
	tx, err := w.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM contacts WHERE email = 'busy@example.com' FOR NO KEY UPDATE")
	require.NoError(t, err)
	at := storetest.Now.Add(90 * day)
	require.NoError(t, w.Clock.SetNow(t.Context(), at))
	require.NoError(t, w.Clock.SetDue(t.Context(), at))
	w.Settle()
	require.Equal(t, []string{"free@example.com entered silent 2160h0m0s"}, told(w))
	require.NoError(t, tx.Rollback(t.Context()))
	w.Settle()
	require.Len(t, told(w), 2)
}

func TestNumbersOfAnAudience(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	s := service(w)
	w.Contact("granted@example.com")
	w.Contact("bounced@example.com")
	require.NoError(t, w.People.Suppress(t.Context(), w.Workspace, "email", "Bounced@example.com", people.ReasonBounced, "test"))
	for _, in := range []people.Input{{Email: "unknown@example.com"}, {Phone: "+48600100200", Consents: []people.ConsentInput{{Channel: "sms", State: people.Granted}}}, {ExternalID: "x"}} {
		_, err := w.People.Upsert(t.Context(), w.Workspace, in, "test")
		require.NoError(t, err)
	}
	numbers, err := s.Count(t.Context(), w.Workspace, json.RawMessage(`{"not": {"tag": "tag:vip"}}`))
	require.Equal(t, fault.Invalid, fault.CodeOf(err), "the tag is not there")
	require.Zero(t, numbers.Match)
	require.NoError(t, w.People.PutTag(t.Context(), w.Workspace, "vip", "VIP"))
	numbers, err = s.Count(t.Context(), w.Workspace, json.RawMessage(`{"not": {"tag": "tag:vip"}}`))
	require.NoError(t, err)
	require.Equal(t, segments.Numbers{Match: 5, Channels: []segments.Channel{
		{Channel: "email", Reachable: 3, Sendable: 1, Exact: true}, {Channel: "sms", Reachable: 1, Sendable: 1, Exact: true},
		{Channel: "whatsapp", Reachable: 1, Exact: true}, {Channel: "push", Exact: true}, {Channel: "letter", Exact: true},
	}}, numbers)
	w.Exec("UPDATE workspaces SET paused_at = created_at")
	numbers, err = s.Count(t.Context(), w.Workspace, json.RawMessage(`{"not": {"tag": "tag:vip"}}`))
	require.NoError(t, err)
	require.Zero(t, numbers.Channels[0].Sendable)
}

func TestASegmentStartsNothingTwiceWhenItsPeopleArePaged(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	made := segment(w, "All", `{"not": {"event": {"name": "never"}}}`)
	for i := range 7 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
	}
	w.Settle()
	seen := map[uuid.UUID]bool{}
	for cursor, pages := "", 0; ; pages++ {
		page, err := service(w).Members(t.Context(), w.Workspace, made.ID, cursor, 3)
		require.NoError(t, err)
		for _, member := range page.Items {
			require.False(t, seen[member.Contact])
			seen[member.Contact] = true
		}
		if cursor = page.Next; cursor == "" {
			require.Equal(t, 2, pages)
			break
		}
	}
	require.Len(t, seen, 7)
	other := spinetest.On(t, w.Pool, storetest.Now)
	_, err := service(other).Get(t.Context(), other.Workspace, made.ID)
	require.Equal(t, fault.NotFound, fault.CodeOf(err), "no workspace sees another's")
	require.ErrorContains(t, service(other).Delete(t.Context(), other.Workspace, store.NewID()), "There is no segment")
}
