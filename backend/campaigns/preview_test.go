package campaigns_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/engine"
)

// mixture makes people on the list of whom each has or lacks at random what a message needs.
func (w *world) mixture(random *rand.Rand, n int) {
	w.Helper()
	states := []string{people.Granted, people.Granted, people.Granted, people.Denied, ""}
	var inputs []people.Input
	for i := range n {
		in := people.Input{ExternalID: fmt.Sprintf("x%d", i), Lists: []string{"news"}}
		if random.IntN(6) > 0 {
			in.Email = fmt.Sprintf("p%05d@example.com", i)
		}
		if random.IntN(3) > 0 {
			in.Phone = fmt.Sprintf("+48601%06d", i)
		}
		if name := "Anna"; random.IntN(4) > 0 {
			in.FirstName = &name
		}
		if name := "Nowak"; random.IntN(4) > 0 {
			in.LastName = &name
		}
		for _, channel := range []string{"email", "sms"} {
			for _, topic := range []string{"", "offers"} {
				if state := states[random.IntN(len(states))]; state != "" && (topic == "" || random.IntN(2) == 0) {
					in.Consents = append(in.Consents, people.ConsentInput{Channel: channel, Topic: topic, State: state, Source: "test"})
				}
			}
		}
		inputs = append(inputs, in)
	}
	w.bring(inputs)
	for _, in := range inputs {
		reason := []string{people.ReasonBounced, people.ReasonUnsubscribed}[random.IntN(2)]
		if random.IntN(8) == 0 && in.Email != "" {
			require.NoError(w, w.app.Worker.People.Suppress(w.Context(), w.workspace, "email", in.Email, reason, "test"))
		}
	}
}

func TestAsManyAreSentItAsThePreviewSays(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprintf("Seed%d", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a test draws the same again
			w := newWorld(t)
			w.exec("INSERT INTO topics (workspace_id, slug, name, description, created_at) VALUES ($1, 'offers', 'Offers', '', $2)", w.workspace, storetest.Now)
			w.exec("UPDATE workspaces SET allow_unknown_consent = $2 WHERE id = $1", w.workspace, random.IntN(3) == 0)
			w.exec(`UPDATE workspaces SET frequency_caps = '{"email":{"count":1,"per":24}}' WHERE id = $1`, w.workspace)
			w.mixture(random, 90)
			earlier := w.start(document(func(d *campaigns.Document) { d.Topic = "topic:offers" }))
			require.NoError(t, w.settle(t.Context()))
			require.NotEmpty(t, earlier)
			w.mixture(random, 120) // the cap holds back the ones of before
			channel := []string{"email", "sms"}[random.IntN(2)]
			d := document(func(d *campaigns.Document) {
				d.Channel, d.Topic = channel, []string{"", "topic:offers"}[random.IntN(2)]
				d.Variants[0].Creative.Subject = "{{ first_name }}, come"
				if channel == "sms" {
					d.Variants[0].Creative = engine.Creative{Channel: "sms", Text: "{{ first_name }}, come"}
				} else if random.IntN(2) == 0 {
					d.Variants = append(d.Variants, variant("b", "Come, {{ last_name }}"))
				}
			})
			made := w.make(d)
			numbers, err := w.Preview(t.Context(), w.workspace, made.ID, d)
			require.NoError(t, err)
			require.True(t, numbers.Exact)
			sum := numbers.Sendable
			for _, reason := range numbers.Reasons {
				sum += reason.People
			}
			require.Equal(t, numbers.Reachable, sum, "the reasons add up: %v", numbers.Reasons)
			require.Positive(t, numbers.Sendable)
			require.Less(t, numbers.Sendable, numbers.Reachable)

			_, _, err = w.Start(t.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
			require.NoError(t, err)
			_, err = w.app.Tasks.Settle(t.Context())
			require.NoError(t, err)
			require.NoError(t, w.settle(t.Context()))
			sent, _ := w.sentTo(made.ID)
			require.Equal(t, int(numbers.Sendable), sent, "%v", numbers.Reasons)
			progress, err := w.Progress(t.Context(), w.workspace, w.state(made.ID))
			require.NoError(t, err)
			require.Equal(t, numbers.Match, progress.Total)
			for _, reason := range progress.Reasons {
				if reason.Reason != "no_address" {
					require.Contains(t, numbers.Reasons, reason)
				}
			}
		})
	}
}

func TestThePreviewSaysWhoWaitsForQuietHoursToEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.join(0, 3, "UTC")
	at := storetest.Now
	w.exec("UPDATE workspaces SET quiet_hours = jsonb_build_array(jsonb_build_object('from', $2::text, 'to', $3::text)) WHERE id = $1", w.workspace,
		at.Add(-time.Hour).Format("15:04"), at.Add(time.Hour).Format("15:04"))
	numbers, err := w.Preview(t.Context(), w.workspace, uuid.Nil, document(nil))
	require.NoError(t, err)
	require.Zero(t, numbers.Sendable)
	require.Equal(t, []campaigns.Reason{{State: "queued", Reason: engine.GateQuiet, People: 3}}, numbers.Reasons)
}

func TestAVeryLargeAudienceIsEstimatedAndTheSumStillAddsUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`INSERT INTO contacts (workspace_id, id, email, email_folded, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'p' || i || '@example.com', 'p' || i || '@example.com', CASE WHEN i % 4 = 0 THEN '' ELSE 'Anna' END, '', '', '', '', '', '{}', '{}', '{news}', '', $2, $2
		FROM generate_series(1, 12000) AS i`, w.workspace, storetest.Now)
	w.exec("UPDATE workspaces SET allow_unknown_consent = true WHERE id = $1", w.workspace)
	numbers, err := w.Preview(t.Context(), w.workspace, uuid.Nil, document(func(d *campaigns.Document) { d.Variants[0].Creative.Subject = "{{ first_name }}" }))
	require.NoError(t, err)
	require.False(t, numbers.Exact)
	require.Equal(t, []int64{12000, 12000}, []int64{numbers.Match, numbers.Reachable})
	require.Len(t, numbers.Reasons, 1)
	require.Equal(t, "variable: first_name", numbers.Reasons[0].Reason)
	require.InDelta(t, 3000, numbers.Reasons[0].People, 200)
	require.Equal(t, numbers.Reachable, numbers.Sendable+numbers.Reasons[0].People)
}
