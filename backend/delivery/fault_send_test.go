package delivery_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/handover"
	"github.com/lejek/lejek/backend/providers/providertest"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

// through is a world that sends by a provider over HTTPS to n people, whose mails are queued.
func through(t *testing.T, kind, class string, config, secret map[string]string, n int) *spinetest.World {
	t.Helper()
	w := spinetest.New(t)
	w.Deliverer.Client = providertest.Client()
	w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
	w.Tx(func(tx store.Tx) error {
		_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, delivery.ProviderInput{
			Kind: kind, Channel: "email", Name: kind, Config: config, Secrets: secret, Role: delivery.RoleActive, PerSecond: 1000,
		})
		return err
	})
	t.Cleanup(w.Deliverer.Close)
	w.Funnel("letters", graph(class))
	for i := range n {
		mail := fmt.Sprintf("p%d@example.com", i)
		w.Contact(mail)
		w.Event(mail, "go", nil)
	}
	w.Jump(storetest.Now)
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	require.Equal(t, n, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))
	return w
}

// dies puts the only message back to where it is when the process dies with it in hand, and says what the list of that process holds.
func dies(w *spinetest.World, list func(log *handover.Log, message uuid.UUID)) {
	w.Helper()
	dir := w.TempDir()
	log, err := handover.Open(dir, "dead")
	require.NoError(w, err)
	var id uuid.UUID
	require.NoError(w, w.Pool.QueryRow(w.Context(), "SELECT id FROM messages").Scan(&id))
	w.Exec("UPDATE messages SET status = 'sending', sent_at = NULL, delivered_at = NULL, attempts = 1, lease_until = $1", time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC))
	w.Exec("UPDATE delivery_attempts SET state = 'open', finished_at = NULL, worker = 'dead', code = NULL")
	w.Exec("DELETE FROM event_rollups WHERE name LIKE 'message_%'")
	w.Exec("DELETE FROM events WHERE name LIKE 'message_%'")
	list(log, id)
	require.NoError(w, log.Close(true))
	require.NoError(w, w.Deliverer.Inherit(w.Context(), dir))
}

func begun(log *handover.Log, message uuid.UUID) { log.Begun(message) }

func TestFault_04_MarketingOverSMTPThatMayHaveLeftIsNotSentAgain(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.To(storetest.Now)
	dies(w, begun)
	state, reason, _ := status(w)
	require.Equal(t, []string{"unknown", "possibly sent"}, []string{state, reason})
	w.To(storetest.Now.Add(24 * time.Hour))
	require.Len(t, sink.Ledger(), 1)
	w.Audit()
}

func TestFault_04_WhatTheListSaysWasNotBegunIsSent(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.To(storetest.Now)
	dies(w, func(*handover.Log, uuid.UUID) {})
	w.Settle()
	state, _, attempts := status(w)
	require.Equal(t, []any{"sent", 1}, []any{state, attempts})
	require.Len(t, sink.Ledger(), 2, "the first one stands for nothing: it was not begun")
	w.Audit()
}

func TestFault_08_AnAnswerThatTheDatabaseNeverGotIsInTheList(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.To(storetest.Now)
	dies(w, func(log *handover.Log, id uuid.UUID) {
		log.Begun(id)
		log.Ended(id, handover.Answer{Code: "250", ID: "abc"})
	})
	w.Settle()
	state, _, _ := status(w)
	require.Equal(t, "sent", state)
	require.Len(t, sink.Ledger(), 1)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM delivery_attempts WHERE state = 'accepted' AND provider_msg_id = 'abc'"))
	w.Audit()
}

func TestFault_06_ATransactionalMailOverSMTPIsTriedOnceMore(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "transactional")
	w.To(storetest.Now)
	dies(w, begun)
	state, reason, _ := status(w)
	require.Equal(t, []string{"queued", "possibly sent"}, []string{state, reason})
	w.To(storetest.Now.Add(14 * time.Minute))
	require.Len(t, sink.Ledger(), 1, "there is time for news of it")
	w.To(storetest.Now.Add(16 * time.Minute))
	require.Len(t, sink.Ledger(), 2)
	require.Equal(t, sink.Ledger()[0].Header.Get("Message-ID"), sink.Ledger()[1].Header.Get("Message-ID"))
	w.To(storetest.Now.Add(20 * time.Hour))
	require.Len(t, sink.Ledger(), 2)
	w.Audit()
}

func TestFault_05_WithAKeyItIsSentAgainAndArrivesOnce(t *testing.T) {
	t.Parallel()
	fake := providertest.Resend(t, "re_key")
	w := through(t, "resend", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "re_key"}, 1)
	w.Settle()
	require.Len(t, fake.Ledger(), 1)
	dies(w, begun)
	state, reason, _ := status(w)
	require.Equal(t, []string{"queued", "possibly sent"}, []string{state, reason})
	w.To(storetest.Now.Add(time.Minute))
	state, _, _ = status(w)
	require.Equal(t, "sent", state)
	require.Len(t, fake.Ledger(), 1)
	require.Equal(t, 2, fake.Requests())
	w.Audit()
}

func TestFault_07_AcceptedAndThenCutOffIsNoPlainRetry(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]providertest.Fault{"cut": {Drop: true}, "504": {Late: http.StatusGatewayTimeout}} {
		t.Run("without a key, "+name, func(t *testing.T) {
			t.Parallel()
			fake := providertest.SendGrid(t, "SG.key")
			fake.Faults = func(int) providertest.Fault { return fault }
			w := through(t, "sendgrid", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "SG.key"}, 1)
			w.To(storetest.Now.Add(24 * time.Hour))
			state, reason, _ := status(w)
			require.Equal(t, []string{"unknown", "possibly sent"}, []string{state, reason})
			require.Len(t, fake.Ledger(), 1)
			w.Audit()
		})
		t.Run("with a key, "+name, func(t *testing.T) {
			t.Parallel()
			fake := providertest.Resend(t, "re_key")
			fake.Faults = func(n int) providertest.Fault {
				if n < 3 {
					return fault
				}
				return providertest.Fault{}
			}
			w := through(t, "resend", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "re_key"}, 1)
			w.To(storetest.Now.Add(2 * time.Hour))
			state, _, _ := status(w)
			require.Equal(t, "sent", state)
			require.Len(t, fake.Ledger(), 1)
			w.Audit()
		})
	}
}

func TestFault_22_ASlowProviderHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	slow := providertest.SendGrid(t, "SG.key")
	release := make(chan struct{})
	slow.Faults = func(int) providertest.Fault {
		<-release
		return providertest.Fault{}
	}
	w := through(t, "sendgrid", "marketing", map[string]string{"base_url": slow.URL}, map[string]string{"api_key": "SG.key"}, 40)
	sink := smtptest.New(t)
	w.Exec("UPDATE providers SET active = false")
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 100, Active: true,
		})
	})
	w.Exec("UPDATE messages SET provider_id = (SELECT id FROM providers WHERE kind = 'sendgrid') WHERE contact_id IN (SELECT contact_id FROM messages ORDER BY id LIMIT 30)")
	job := w.Deliverer.Jobs()[0]
	for range 5 {
		_, err := job.Drain(t.Context(), pump.Batch{Lane: 1, Limit: 500})
		require.NoError(t, err)
	}
	require.Len(t, sink.Ledger(), 10, "while the others wait for an answer")
	require.LessOrEqual(t, w.Count("SELECT count(*) FROM messages WHERE status = 'sending'"), 30)
	close(release)
	w.Deliverer.Close()
	require.Equal(t, 10+len(slow.Ledger()), w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
	require.Equal(t, 30-len(slow.Ledger()), w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))
	w.AuditBusy()
}

func TestFault_23_ABrokenProviderIsLeftAloneAndTriedByOne(t *testing.T) {
	t.Parallel()
	fake := providertest.Resend(t, "re_key")
	broken := true
	fake.Faults = func(int) providertest.Fault {
		if broken {
			return providertest.Fault{Status: http.StatusServiceUnavailable}
		}
		return providertest.Fault{}
	}
	const crowd = 60
	w := through(t, "resend", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "re_key"}, crowd)
	w.To(storetest.Now.Add(5 * time.Minute))
	require.LessOrEqual(t, fake.Requests(), 20)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM provider_outages"))
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"))
	before := fake.Requests()
	pass := func() { // the time of machines, in which the provider is left alone
		w.Exec("UPDATE provider_outages SET until = '2020-01-01', probe_until = NULL")
		w.Exec("UPDATE rate_buckets SET paused_until = NULL")
	}
	pass()
	_, err := w.Deliverer.Jobs()[0].Drain(t.Context(), pump.Batch{Lane: 1, Limit: 500})
	require.NoError(t, err)
	require.Equal(t, before+1, fake.Requests(), "one tries one message")
	broken = false
	pass()
	w.To(storetest.Now.Add(3 * time.Hour))
	require.Zero(t, w.Count("SELECT count(*) FROM provider_outages"))
	require.Equal(t, crowd, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
	require.Len(t, fake.Ledger(), crowd)
	w.Audit()
}

func TestFault_24_WhoWasTooFastWaitsAsToldAndGoesSlower(t *testing.T) {
	t.Parallel()
	fake := providertest.SendGrid(t, "SG.key")
	busy := true
	fake.Faults = func(int) providertest.Fault {
		if busy {
			return providertest.Fault{Status: http.StatusTooManyRequests, RetryAfter: "120"}
		}
		return providertest.Fault{}
	}
	w := through(t, "sendgrid", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "SG.key"}, 40)
	began := clock.Machine{}.Now()
	w.Settle()
	require.LessOrEqual(t, fake.Requests(), 8, "all stop at once")
	var until time.Time
	var slow float64
	require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT paused_until, slow FROM rate_buckets WHERE paused_until IS NOT NULL").Scan(&until, &slow))
	require.WithinDuration(t, began.Add(2*time.Minute), until, 20*time.Second)
	require.InDelta(t, 2, slow, 0.01)
	require.Zero(t, w.Count("SELECT count(*) FROM messages WHERE attempts > 0"), "no attempt is used up")
	busy = false
	w.Exec("UPDATE rate_buckets SET paused_until = NULL")
	w.To(storetest.Now.Add(3 * time.Minute))
	require.Len(t, fake.Ledger(), 40)
	w.Audit()
}

func TestFault_26_OnlyWhatWasNeverBegunMovesToTheReserve(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	for i := range 3 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
	}
	w.Tx(func(tx store.Tx) error {
		if err := w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: "127.0.0.1", Port: 1, TLS: "none"}, PerSecond: 100, Active: true,
		}); err != nil {
			return err
		}
		_, err := w.Deliverer.SaveProvider(t.Context(), tx, w.Workspace, delivery.ProviderInput{
			Kind: "smtp", Channel: "email", Name: "Reserve", Config: map[string]string{"host": sink.Host, "port": fmt.Sprint(sink.Port), "tls": "none"}, Role: delivery.RoleReserve, PerSecond: 100,
		})
		return err
	})
	w.To(storetest.Now)
	require.Empty(t, sink.Ledger())
	require.Equal(t, 1, w.Count("SELECT count(*) FROM provider_outages"))
	w.Exec(`UPDATE delivery_attempts SET state = 'unknown' WHERE message_id = (SELECT id FROM messages ORDER BY id LIMIT 1)`)
	w.Exec(`UPDATE messages SET attempts = 1 WHERE id = (SELECT id FROM messages ORDER BY id DESC LIMIT 1)`)
	w.To(storetest.Now.Add(10 * time.Minute))
	require.Empty(t, sink.Ledger(), "marketing waits half an hour")
	w.Exec("UPDATE provider_outages SET since = since - interval '31 minutes'")
	w.To(storetest.Now.Add(40 * time.Minute))
	require.Len(t, sink.Ledger(), 2)
	require.Equal(t, 2, w.Count("SELECT count(*) FROM messages WHERE status = 'queued'"), "the one that may have left stays, and the one that was begun")
	w.AuditBusy()
}

func TestFault_32_APoisonedMessageFailsAlone(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.Exec(`UPDATE creative_artifacts SET artifact = '{"subject": "Hi {{ first_name }}"}'`)
	for i := range 20 {
		mail := fmt.Sprintf("p%d@example.com", i)
		w.Contact(mail)
		w.Exec("UPDATE contacts SET first_name = 'Anna' WHERE email = $1", mail)
		w.Event(mail, "go", nil)
	}
	w.To(storetest.Now)
	require.Len(t, sink.Ledger(), 20)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE status = 'failed' AND reason = 'variable: first_name'"))
	w.Audit()
}

func TestFault_48_WhoIsToldToStopFinishesWhatIsBegunAndReleasesTheRest(t *testing.T) {
	t.Parallel()
	fake := providertest.SendGrid(t, "SG.key")
	release, first := make(chan struct{}), make(chan struct{}, 1000)
	fake.Faults = func(int) providertest.Fault {
		first <- struct{}{}
		<-release
		return providertest.Fault{}
	}
	w := through(t, "sendgrid", "marketing", map[string]string{"base_url": fake.URL}, map[string]string{"api_key": "SG.key"}, 60)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Deliverer.Jobs()[0].Drain(context.WithoutCancel(t.Context()), pump.Batch{Lane: 1, Limit: 500})
	}()
	<-first
	w.Deliverer.Stop()
	close(release)
	w.Deliverer.Close()
	<-done
	sent := len(fake.Ledger())
	require.Less(t, sent, 30, "a few were under way, and nothing was begun after it was told to stop")
	require.Equal(t, sent, w.Count("SELECT count(*) FROM messages WHERE status = 'sent'"))
	require.Equal(t, 60-sent, w.Count("SELECT count(*) FROM messages WHERE status = 'queued' AND attempts = 0"), "released, due at once")
	require.Zero(t, w.Count("SELECT count(*) FROM delivery_attempts WHERE state IN ('open', 'unknown')"))
}

func TestFault_50_WhatWasHandedOverBeforeASuppressionMayLeaveAndNothingAfterIt(t *testing.T) {
	t.Parallel()
	w, sink := live(t, "marketing")
	w.To(storetest.Now)
	require.Len(t, sink.Ledger(), 1)
	w.Exec("UPDATE messages SET status = 'queued', attempts = 0, sent_at = NULL, delivered_at = NULL")
	require.NoError(t, w.People.Suppress(t.Context(), w.Workspace, "email", "jan@example.com", "bounced", "test"))
	w.Settle()
	state, reason, _ := status(w)
	require.Equal(t, []string{"skipped", "suppressed"}, []string{state, reason})
	require.Len(t, sink.Ledger(), 1)
}

func TestFault_51_AStoppedFunnelsMessagesAreSkippedWithinACycle(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	sink := smtptest.New(t)
	w.Exec("UPDATE workspaces SET sending_mode = 'live' WHERE id = $1", w.Workspace)
	w.Tx(func(tx store.Tx) error {
		return w.Deliverer.SaveSMTP(t.Context(), tx, w.Workspace, delivery.SMTPSettings{
			SMTPConfig: delivery.SMTPConfig{Host: sink.Host, Port: sink.Port, TLS: "none"}, PerSecond: 1000, Active: true,
		})
	})
	t.Cleanup(w.Deliverer.Close)
	w.Funnel("letters", graph("marketing"))
	for i := range 200 {
		w.Contact(fmt.Sprintf("p%d@example.com", i))
		w.Event(fmt.Sprintf("p%d@example.com", i), "go", nil)
	}
	w.Jump(storetest.Now)
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Exec("UPDATE funnels SET state = 'stopped'")
	_, err = w.Deliverer.Jobs()[0].Drain(t.Context(), pump.Batch{Lane: 1, Limit: 500})
	require.NoError(t, err)
	require.Empty(t, sink.Ledger())
	require.Equal(t, 200, w.Count("SELECT count(*) FROM messages WHERE status = 'skipped' AND reason = 'funnel_stopped'"))
}
