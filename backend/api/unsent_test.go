package api_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestATimelineTellsWhyAMessageDidNotLeave(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	got := b.signup(b.admin, "jan@example.com")
	b.settle()
	person := got.get(t, "results.0.contact_id").(string)
	_, err := b.db.Exec(t.Context(), "UPDATE messages SET status = 'skipped', reason = 'no_consent', sent_at = NULL")
	require.NoError(t, err)

	first := b.do(b.admin, 200, "GET", "/contacts/"+person+"/timeline", nil)
	lines := first.get(t, "items").([]any)
	var unsent map[string]any
	for _, line := range lines {
		if one := line.(map[string]any); one["name"] == "message_skipped" {
			unsent = one
		}
	}
	require.NotNil(t, unsent, first.Body)
	require.Equal(t, "no_consent", unsent["reason"])
	require.Equal(t, "message", unsent["kind"])
	require.Equal(t, "funnel", unsent["source"])
	require.NotEmpty(t, unsent["title"])

	var paged []any
	for path := "/contacts/" + person + "/timeline?limit=1"; ; {
		page := b.do(b.admin, 200, "GET", path, nil)
		paged = append(paged, page.get(t, "items").([]any)...)
		next, more := page.get(t, "next").(string)
		if !more {
			break
		}
		path = "/contacts/" + person + "/timeline?limit=1&cursor=" + next
	}
	require.Equal(t, lines, paged, "page by page nothing is missing and nothing comes twice")
}

func TestATimelineNamesTheMessageOfEachEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	person := b.signup(b.admin, "jan@example.com").get(t, "results.0.contact_id").(string)
	b.settle()
	sent := 0
	for _, line := range b.do(b.admin, 200, "GET", "/contacts/"+person+"/timeline", nil).get(t, "items").([]any) {
		if one := line.(map[string]any); one["kind"] == "message" {
			require.Equal(t, "Hello Jan", one["title"], one)
			sent++
		}
	}
	require.Positive(t, sent)
}

func TestAContactSaysWhatTheyAgreedTo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := b.do(b.admin, 201, "POST", "/contacts", object{"email": "ewa@example.com"}).get(t, "id").(string)
	said := func() any {
		require.Equal(t, b.do(b.admin, 200, "GET", "/contacts/"+person, nil).get(t, "email_consent"), b.do(b.admin, 200, "GET", "/contacts", nil).get(t, "items.0.email_consent"))
		return b.do(b.admin, 200, "GET", "/contacts/"+person, nil).get(t, "email_consent")
	}
	require.Equal(t, "unknown", said())
	for _, state := range []string{"granted", "denied"} {
		b.do(b.admin, 200, "PUT", "/contacts/"+person+"/consents", object{"items": []object{{"channel": "email", "state": state}}})
		require.Equal(t, state, said())
	}
}

func TestTheUnsubscribeLinkWorksInTheTestInbox(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	mails := b.do(b.admin, 200, "GET", "/messages?to=jan@example.com", nil)
	id := mails.get(t, "items.0.id").(string)
	link := b.worker.Deliverer.UnsubscribeURL(b.workspace, uuid.MustParse(id))
	b.do(b.admin, 200, "POST", "/messages/"+id+"/act", object{"act": "click", "url": link + "A"})
	require.Zero(t, b.count("SELECT count(*) FROM messages WHERE unsubscribed_at IS NOT NULL"), "a link of another message leaves nothing")
	b.do(b.admin, 200, "POST", "/messages/"+id+"/act", object{"act": "click", "url": link})
	require.Equal(t, 1, b.count("SELECT count(*) FROM messages WHERE unsubscribed_at IS NOT NULL"))
	require.Equal(t, 1, b.count("SELECT count(*) FROM consents WHERE state = 'denied'"))
}
