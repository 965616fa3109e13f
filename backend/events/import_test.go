package events_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

const purchases = `customer_id,date,quantity,amount_usd
00001,2026-01-01,1,11.77
00002,2026-01-12,1,12.00
00002,2026-01-12,1,12.00
00002,2026-01-12,5,77.00
jan@example.com,2026-01-12 09:30,1,5
,2026-01-12,1,5
00003,yesterday,1,5
00004,2030-01-01,1,5
`

func TestImport(t *testing.T) {
	t.Parallel()
	options := events.ImportOptions{Contact: "customer_id", At: "date", Name: "purchase"}

	t.Run("CountsEveryRowOnceHoweverOftenItIsRead", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Funnel("letters", oneMail)
		first, err := w.Reactor.Import(t.Context(), w.Pool, w.Clock, w.Workspace, strings.NewReader(purchases), options, nil)
		require.NoError(t, err)
		require.Equal(t, []int{8, 5, 0, 3}, []int{first.Rows, first.Accepted, first.Duplicates, first.Rejected})
		require.Equal(t, []int{7, 8, 9}, []int{first.Errors[0].Line, first.Errors[1].Line, first.Errors[2].Line})
		again, err := w.Reactor.Import(t.Context(), w.Pool, w.Clock, w.Workspace, strings.NewReader(purchases), options, nil)
		require.NoError(t, err)
		require.Equal(t, []int{8, 0, 5, 3}, []int{again.Rows, again.Accepted, again.Duplicates, again.Rejected})
		require.Equal(t, 5, w.Count("SELECT count(*) FROM events WHERE name = 'purchase'"))
		require.Equal(t, 3, w.Count("SELECT count FROM event_rollups r JOIN contacts c ON c.id = r.contact_id WHERE c.external_id = '00002' AND name = 'purchase'"))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM events WHERE props = '{\"quantity\": 5, \"amount_usd\": 77}'"))
		w.To(storetest.Now.Add(time.Hour))
		require.Zero(t, w.Count("SELECT count(*) FROM runs"), "imported history starts nothing")
		w.Audit()
	})

	t.Run("LiveItStartsFunnels", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Funnel("letters", oneMail)
		live := options
		live.Live = true
		_, err := w.Reactor.Import(t.Context(), w.Pool, w.Clock, w.Workspace, strings.NewReader(purchases), live, nil)
		require.NoError(t, err)
		require.Equal(t, 3, w.Count("SELECT count(*) FROM runs"))
	})

	t.Run("AMissingColumnIsNamed", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		wrong := options
		wrong.At = "when"
		_, err := w.Reactor.Import(t.Context(), w.Pool, w.Clock, w.Workspace, strings.NewReader(purchases), wrong, nil)
		require.ErrorContains(t, err, `There is no column "when". The file has: customer_id, date, quantity, amount_usd.`)
	})
}
