package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

const nightly = `[{"from": "21:00", "to": "08:00"}]`

func TestFault_21_NothingLeavesInANightOfQuietHoursWhateverTheClocksDo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ zone, evening string }{
		"Berlin, forward":   {"Europe/Berlin", "2027-03-27T19:45"},
		"Berlin, back":      {"Europe/Berlin", "2027-10-30T19:45"},
		"New York, forward": {"America/New_York", "2027-03-13T19:45"},
		"Cairo, midnight":   {"Africa/Cairo", "2027-04-29T19:45"},
		"Lord Howe, back":   {"Australia/Lord_Howe", "2027-04-03T19:45"},
		"the year's end":    {"Asia/Kolkata", "2027-12-31T19:45"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			place, err := time.LoadLocation(c.zone)
			require.NoError(t, err)
			evening, err := time.ParseInLocation("2006-01-02T15:04", c.evening, place)
			require.NoError(t, err)
			w := spinetest.On(t, storetest.DB(t), evening)
			w.Exec("UPDATE workspaces SET quiet_hours = $2 WHERE id = $1", w.Workspace, nightly)
			w.Funnel("mails", mails("", ""))
			const arrivals = 27 // one each half hour, until after eight
			for i := range arrivals {
				arrives(w, fmt.Sprintf("p%d@example.com", i), c.zone, evening.Add(time.Duration(i)*30*time.Minute))
			}
			w.To(evening.Add(36 * time.Hour))
			for i := range arrivals {
				came := evening.Add(time.Duration(i) * 30 * time.Minute)
				var offer time.Time
				for _, line := range w.Sent(fmt.Sprintf("p%d@example.com", i)) {
					if at, ok := strings.CutPrefix(line, "offer "); ok {
						offer, err = time.Parse("2006-01-02 15:04:05", fmt.Sprintf("%d-%s", came.UTC().Year(), at))
						require.NoError(t, err)
						if offer.Before(came.Add(-time.Hour)) {
							offer = offer.AddDate(1, 0, 0)
						}
					}
				}
				there := came.In(place)
				if there.Hour() >= 8 && there.Hour() < 21 {
					require.Equal(t, there.Format(time.RFC3339), offer.In(place).Format(time.RFC3339), "outside of the hours it leaves at once")
					continue
				}
				require.Equal(t, "08:00:00", offer.In(place).Format(time.TimeOnly), "who came at %s", there)
				require.Less(t, offer.Sub(came), 12*time.Hour, "the same morning")
			}
			w.Audit()
		})
	}
}

// arrives lets somebody who lives in a zone start the funnel at an instant.
func arrives(w *spinetest.World, email, zone string, at time.Time) {
	w.Helper()
	w.To(at)
	w.Contact(email)
	_, err := w.People.Upsert(w.Context(), w.Workspace, people.Input{Email: email, Zone: &zone}, "test")
	require.NoError(w, err)
	w.Event(email, "go", nil)
	w.Settle()
}

func TestFault_21_ATokenObtainedInsideTheHoursIsNotUsed(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	sink := smtptest.New(t)
	w.Exec("UPDATE workspaces SET sending_mode = 'live', quiet_hours = $2 WHERE id = $1", w.Workspace, nightly)
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 10, Active: true,
		})
	})
	t.Cleanup(w.Deliverer.Close)
	w.Funnel("letters", graph("marketing"))
	drain := func() { // one batch, with all tokens of a second to give
		w.Exec("DELETE FROM rate_buckets")
		job := w.Deliverer.Jobs()[0]
		for lane := range job.Lanes {
			_, err := job.Drain(t.Context(), pump.Batch{Lane: lane, Limit: 500})
			require.NoError(t, err)
		}
	}
	before := time.Date(2026, 6, 10, 20, 59, 59, 0, time.UTC)
	w.To(before)
	const crowd, batch = 24, 8 // a fifth of the ten tokens is kept for what somebody waits for
	for i := range crowd {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
	}
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Jump(before.Add(time.Second)) // due a second ago, and the hours have begun
	_, err = w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	for range crowd / batch {
		drain()
	}
	require.Empty(t, sink.Ledger())
	require.Zero(t, w.Count("SELECT count(*) FROM delivery_attempts"))
	eight := time.Date(2026, 6, 11, 8, 0, 0, 0, time.UTC)
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages WHERE status = 'queued' AND next_attempt_at >= $1", eight), "each had its token and was put off")

	w.Jump(eight)
	for left := batch; left <= crowd; left += batch {
		drain()
		require.Len(t, sink.Ledger(), left, "after the hours they leave as fast as the account may, not all at once")
	}
	w.Audit()
}
