package people_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func (b bundle) reason(t *testing.T, contact uuid.UUID, class, topic string) string {
	t.Helper()
	answers, err := b.people.Gate(t.Context(), b.tx, b.workspace, []people.Ask{{Contact: contact, Channel: "email", Topic: topic, Class: class}})
	require.NoError(t, err)
	require.Equal(t, answers[0].Reason == "", answers[0].Allowed)
	return answers[0].Reason
}

func TestGateByConsent(t *testing.T) {
	t.Parallel()
	type say = people.ConsentInput
	for name, test := range map[string]struct {
		said    []say
		topic   string
		unknown bool // the workspace allows it
		want    string
	}{
		"nothing said":                    {want: people.NoConsent},
		"nothing said, allowed":           {unknown: true},
		"granted":                         {said: []say{{Channel: "email", State: "granted"}}},
		"granted for another channel":     {said: []say{{Channel: "sms", State: "granted"}}, want: people.NoConsent},
		"denied":                          {said: []say{{Channel: "email", State: "denied"}}, unknown: true, want: people.NoUnsub},
		"the channel covers a topic":      {said: []say{{Channel: "email", State: "granted"}}, topic: "offers"},
		"a topic does not cover the rest": {said: []say{{Channel: "email", Topic: "offers", State: "granted"}}, want: people.NoConsent},
		"topic granted":                   {said: []say{{Channel: "email", Topic: "offers", State: "granted"}}, topic: "offers"},
		"topic left":                      {said: []say{{Channel: "email", State: "granted"}, {Channel: "email", Topic: "offers", State: "denied"}}, topic: "offers", want: people.NoTopic},
		"topic left, the rest goes on":    {said: []say{{Channel: "email", State: "granted"}, {Channel: "email", Topic: "offers", State: "denied"}}},
		"a refused channel stands above":  {said: []say{{Channel: "email", Topic: "offers", State: "granted"}, {Channel: "email", State: "denied"}}, topic: "offers", want: people.NoUnsub},
		"a later yes after a no":          {said: []say{{Channel: "email", State: "denied"}, {Channel: "email", State: "granted"}}},
		"an earlier yes told later counts not": {said: []say{
			{Channel: "email", State: "denied"}, {Channel: "email", State: "granted", At: storetest.Now.Add(-time.Hour)},
		}, want: people.NoUnsub},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if test.unknown {
				_, err := b.tx.Exec(t.Context(), "UPDATE workspaces SET allow_unknown_consent = true WHERE id = $1", b.workspace)
				require.NoError(t, err)
			}
			id := b.upsert(t, people.Input{Email: "a@example.com"}).Contact.ID
			for _, said := range test.said {
				_, err := b.people.SetConsents(t.Context(), b.workspace, id, []people.ConsentInput{said})
				require.NoError(t, err)
			}
			require.Equal(t, test.want, b.reason(t, id, "marketing", test.topic))
			require.Empty(t, b.reason(t, id, "transactional", test.topic), "a transactional message needs no consent")
		})
	}
}

func TestGateBySuppression(t *testing.T) {
	t.Parallel()
	granted := []people.ConsentInput{{Channel: "email", State: "granted"}}

	t.Run("ABouncedAddressGetsNothingNotEvenTransactional", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		require.NoError(t, b.people.Suppress(t.Context(), b.workspace, "email", "A@Example.com", people.ReasonBounced, "smtp"))
		require.Equal(t, people.NoSuppress, b.reason(t, id, "transactional", ""))
		require.NoError(t, b.people.Unsuppress(t.Context(), b.workspace, "email", "a@example.com"))
		require.Empty(t, b.reason(t, id, "marketing", ""))
	})

	t.Run("WithoutAnAddressOrAPersonThereIsNothingToSend", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{ExternalID: "1", Consents: granted}).Contact.ID
		require.Equal(t, people.NoAddress, b.reason(t, id, "marketing", ""))
		require.Equal(t, people.NoGone, b.reason(t, store.NewID(), "marketing", ""))
	})

	t.Run("AnswersManyAtOnce", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		yes := b.upsert(t, people.Input{Email: "y@example.com", Consents: granted}).Contact.ID
		no := b.upsert(t, people.Input{Email: "n@example.com"}).Contact.ID
		answers, err := b.people.Gate(t.Context(), b.tx, b.workspace, []people.Ask{
			{Contact: yes, Channel: "email", Class: "marketing"}, {Contact: no, Channel: "email", Class: "marketing"}, {Contact: yes, Channel: "email", Class: "marketing"},
		})
		require.NoError(t, err)
		require.Equal(t, []bool{true, false, true}, []bool{answers[0].Allowed, answers[1].Allowed, answers[2].Allowed})
		require.Equal(t, "y@example.com", *answers[0].Contact.Email)
	})
}

func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	granted := []people.ConsentInput{{Channel: "email", State: "granted"}}

	t.Run("FromEverythingTwiceIsOne", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		for range 2 {
			require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "", "link"))
		}
		require.Equal(t, people.NoUnsub, b.reason(t, id, "marketing", ""))
		require.Equal(t, []string{
			`consent_changed {"state": "denied", "source": "link", "channel": "email"}`, `unsubscribed {"channel": "email"}`,
		}, b.posted(t, id)[2:])
	})

	t.Run("OfATopicLeavesTheRest", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "offers", "link"))
		require.Equal(t, people.NoTopic, b.reason(t, id, "marketing", "offers"))
		require.Empty(t, b.reason(t, id, "marketing", ""))
		require.NotContains(t, b.posted(t, id), `unsubscribed {"channel": "email"}`)
	})

	t.Run("OfATopicThatIsGoneIsFromEverything", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "old", "link"))
		require.Equal(t, people.NoUnsub, b.reason(t, id, "marketing", ""))
	})

	t.Run("StandsAgainstAProgramThatRepeatsItsYes", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		yes := people.ConsentInput{Channel: "email", State: "granted", Source: "shop"}
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: []people.ConsentInput{yes}}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "", "link"))
		b.upsert(t, people.Input{Email: "a@example.com", Consents: []people.ConsentInput{yes}})
		require.Equal(t, people.NoUnsub, b.reason(t, id, "marketing", ""))
		_, err := b.tx.Exec(t.Context(), "UPDATE consents SET at = at - interval '1 hour' WHERE contact_id = $1", id)
		require.NoError(t, err)
		yes.At = storetest.Now.Add(-time.Minute)
		b.upsert(t, people.Input{Email: "a@example.com", Consents: []people.ConsentInput{yes}})
		require.Empty(t, b.reason(t, id, "marketing", ""), "they said yes again, later")
	})

	t.Run("EndsWithANewYesOfTheSamePerson", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "", "link"))
		_, err := b.people.SetConsents(t.Context(), b.workspace, id, granted)
		require.NoError(t, err)
		require.Empty(t, b.reason(t, id, "marketing", ""))
	})

	t.Run("FollowsTheAddressToAnotherContact", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		old := b.upsert(t, people.Input{ExternalID: "1", Email: "a@example.com", Consents: granted}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, old, "email", "", "link"))
		b.upsert(t, people.Input{ExternalID: "1", Email: "new@example.com"})
		other := b.upsert(t, people.Input{Email: "a@example.com", Consents: granted}).Contact.ID
		require.Equal(t, people.NoUnsub, b.reason(t, other, "marketing", ""))
	})
}
