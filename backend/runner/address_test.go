package runner_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestFault_49_AContactChangesInFlight(t *testing.T) {
	t.Parallel()

	t.Run("AMailGoesToTheAddressOfTheMomentItLeaves", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		contact := w.Contact("jan@old.example")
		w.Funnel("letters", line("go", once, "mail:one", anHour, "mail:two"))
		w.Event("jan@old.example", "go", nil)
		w.To(storetest.Now)
		_, err := w.People.Patch(t.Context(), w.Workspace, contact, map[string]json.RawMessage{"email": json.RawMessage(`"jan@new.example"`)})
		require.NoError(t, err)
		w.To(storetest.Now.AddDate(0, 0, 1))
		require.Equal(t, []string{"one 03-23 09:00:00"}, w.Sent("jan@old.example"), "what was sent keeps the address it went to")
		require.Equal(t, []string{"two 03-23 10:00:00"}, w.Sent("jan@new.example"))
		w.Audit()
	})

	for name, address := range map[string]string{"TheOldAddressIsSuppressed": "jan@old.example", "TheNewAddressIsSuppressed": "jan@new.example"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := spinetest.New(t)
			contact := w.Contact("jan@old.example")
			w.Funnel("letters", line("go", once, anHour, "mail:one"))
			w.Funnel("others", line("go", once, anHour, "mail:two"))
			w.Event("jan@old.example", "go", nil)
			w.To(storetest.Now)
			require.NoError(t, w.People.Suppress(t.Context(), w.Workspace, "email", address, "bounced", "test"))
			_, err := w.People.Patch(t.Context(), w.Workspace, contact, map[string]json.RawMessage{"email": json.RawMessage(`"jan@new.example"`)})
			require.NoError(t, err)
			w.To(storetest.Now.AddDate(0, 0, 1))
			sent := 0
			if address == "jan@old.example" {
				sent = 2 // the address bounced, not the person
			}
			require.Len(t, w.Sent("jan@new.example"), sent)
			require.Empty(t, w.Sent("jan@old.example"))
			w.Audit()
		})
	}

	t.Run("SomebodyWhoLeftDoesNotComeBackByAMerge", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		winner, loser := w.Contact("jan@new.example"), w.Contact("jan@old.example")
		w.Funnel("letters", line("go", once, anHour, "mail:one"))
		w.Funnel("others", line("visit", once, anHour, "mail:two"))
		w.Event("jan@old.example", "go", nil)
		w.Event("jan@new.example", "visit", nil)
		w.To(storetest.Now)
		require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, loser, "email", "", "link"))
		_, err := w.People.Merge(t.Context(), w.Workspace, winner, loser)
		require.NoError(t, err)
		w.To(storetest.Now.Add(2 * time.Hour))
		require.Empty(t, w.Sent("jan@old.example"))
		require.Empty(t, w.Sent("jan@new.example"), "they are one person now, who said no")
		w.Audit()
	})

	t.Run("AMergeBetweenQueueAndSending", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		winner, loser := w.Contact("jan@new.example"), w.Contact("jan@old.example")
		w.Funnel("letters", line("go", once, anHour, "mail:one"))
		w.Event("jan@old.example", "go", nil)
		w.Event("jan@new.example", "go", nil)
		w.To(storetest.Now)
		w.Jump(storetest.Now.Add(time.Hour))
		_, err := w.Runner.Job().DrainAll(t.Context())
		require.NoError(t, err)
		require.Equal(t, 2, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))
		_, err = w.People.Merge(t.Context(), w.Workspace, winner, loser)
		require.NoError(t, err)
		w.Settle()
		require.Zero(t, w.Count("SELECT count(*) FROM messages WHERE status IN ('queued', 'sending')"))
		require.LessOrEqual(t, len(w.Sent("jan@new.example")), 2)
		require.Empty(t, w.Sent("jan@old.example"))
		w.Audit()
	})

	t.Run("TwoContactsNeverShareAnAddress", func(t *testing.T) {
		t.Parallel()
		w := spinetest.New(t)
		w.Contact("jan@new.example")
		other := w.Contact("jan@old.example")
		_, err := w.People.Patch(t.Context(), w.Workspace, other, map[string]json.RawMessage{"email": json.RawMessage(`"JAN@new.example"`)})
		require.Error(t, err)
		_, err = w.People.Upsert(t.Context(), w.Workspace, people.Input{ID: other, Email: "jan@new.example"}, "test")
		require.Error(t, err)
	})
}
