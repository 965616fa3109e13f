package campaigns_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// crowd puts n people on the list, without going through all that people do.
func (w *world) crowd(n int) {
	w.Helper()
	w.exec(`INSERT INTO contacts (workspace_id, id, email, email_folded, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, id, id || '@example.com', id || '@example.com', '', '', '', '', '', '', '{}', '{}', '{news}', 'api', $2, $2 FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3)) AS x`,
		w.workspace, storetest.Now, n)
}

// part does one part of the freezing.
func (w *world) part(id uuid.UUID, after error) (report campaigns.FrozenReport, end bool) {
	w.Helper()
	err := store.InTx(w.Context(), w.db, w.clock, func(tx store.Tx) (err error) {
		if report, end, err = campaigns.Freeze(w.Context(), tx, w.workspace, id, report); err == nil {
			err = after
		}
		return err
	})
	require.ErrorIs(w, err, after)
	return report, end
}

func TestAnAudienceIsOfOneInstantAlthoughItIsWrittenInPortions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.crowd(4500)
	made := w.make(document(nil))
	_, task, err := w.Start(t.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	report, _ := w.part(made.ID, nil)
	require.EqualValues(t, 4500, report.Of)
	require.Zero(t, w.count("SELECT count(*) FROM campaign_recipients"))

	// What happens meanwhile: one comes, one goes, one becomes somebody who is not in the audience, one becomes somebody who is.
	last := func(place int) (id uuid.UUID) {
		require.NoError(t, w.db.QueryRow(t.Context(), "SELECT people[$1] FROM campaign_portions WHERE before = 4000", place).Scan(&id))
		return id
	}
	gone, alias, double, twin := last(1), last(2), last(3), last(4)
	w.join(0, 2, "")
	var late, winner uuid.UUID
	require.NoError(t, w.db.QueryRow(t.Context(), "SELECT id FROM contacts WHERE email = 'p00000@example.com'").Scan(&late))
	require.NoError(t, w.db.QueryRow(t.Context(), "SELECT id FROM contacts WHERE email = 'p00001@example.com'").Scan(&winner))
	w.exec("UPDATE contacts SET lists = '{}' WHERE id = $1", gone)
	for loser, into := range map[uuid.UUID]uuid.UUID{alias: winner, double: twin} {
		_, err := w.app.Worker.People.Merge(t.Context(), w.workspace, into, loser)
		require.NoError(t, err)
	}

	w.part(made.ID, nil)
	w.part(made.ID, errors.New("the process dies"))
	require.Equal(t, 2000, w.count("SELECT count(*) FROM campaign_recipients"), "what was committed is kept, what was not is not begun")
	drained, err := w.Job().Drain(t.Context(), pump.Batch{Limit: 100})
	require.NoError(t, err)
	require.Zero(t, drained.Rows, "nothing leaves before the audience is complete")
	require.Equal(t, campaigns.Freezing, w.state(made.ID).State)

	_, err = w.app.Tasks.Settle(t.Context())
	require.NoError(t, err)
	require.Equal(t, campaigns.Sending, w.state(made.ID).State)
	require.EqualValues(t, 4499, *w.state(made.ID).Total, "two who are one now receive it once")
	require.Equal(t, 4499, w.count("SELECT count(*) FROM campaign_recipients"))
	require.Equal(t, 4499, w.count("SELECT count(DISTINCT n) FROM campaign_recipients WHERE n BETWEEN 1 AND 4500"))
	require.Zero(t, w.count("SELECT count(*) FROM campaign_portions"))
	for who, in := range map[uuid.UUID]int{gone: 1, winner: 1, twin: 1, alias: 0, double: 0, late: 0} {
		require.Equal(t, in, w.count("SELECT count(*) FROM campaign_recipients WHERE contact_id = $1", who))
	}
	done, err := w.app.Tasks.Get(t.Context(), w.workspace, task.ID)
	require.NoError(t, err)
	require.EqualValues(t, 4500, *done.Total, "how far it is can be watched")
}

func TestACampaignWhoseFreezingIsCancelledIsADraftAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.crowd(2100)
	made := w.make(document(nil))
	_, task, err := w.Start(t.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	w.part(made.ID, nil)
	w.part(made.ID, nil)
	_, err = w.app.Tasks.Cancel(t.Context(), w.workspace, task.ID)
	require.NoError(t, err)
	draft := w.state(made.ID)
	require.Equal(t, campaigns.Draft, draft.State)
	require.Nil(t, draft.Total)
	require.Nil(t, draft.FrozenAt)
	require.Zero(t, w.count("SELECT (SELECT count(*) FROM campaign_recipients) + (SELECT count(*) FROM campaign_portions)"))

	w.crowd(10)
	_, _, err = w.Start(t.Context(), w.workspace, made.ID, campaigns.Wish{Revision: 1, AcceptWarnings: true})
	require.NoError(t, err)
	_, err = w.app.Tasks.Settle(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 2110, *w.state(made.ID).Total, "the next start finds its own audience")
}
