package receipts_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

const base = "https://lejek.example"

// machine is real time that a test may push.
type machine struct{ now time.Time }

func (m *machine) Now() time.Time { return m.now }

// world is a workspace with somebody who was sent a mail.
type world struct {
	*spinetest.World
	sources *receipts.Sources
	machine *machine
	asked   []string // addresses that were fetched
	serve   func(r outgoing.Request) (outgoing.Answer, error)
	contact uuid.UUID
	message uuid.UUID
}

func setup(t *testing.T) *world {
	t.Helper()
	w := &world{World: spinetest.New(t)}
	w.machine = &machine{w.Clock.Now()}
	w.sources = &receipts.Sources{
		DB: w.Pool, Clock: w.Clock, Machine: w.machine, People: w.People, Secret: spinetest.Secret, BaseURL: base, Logger: slog.New(slog.DiscardHandler),
		Get: func(_ context.Context, r outgoing.Request) (outgoing.Answer, error) {
			w.asked = append(w.asked, r.URL)
			if w.serve == nil {
				return outgoing.Answer{}, errors.New("nothing is fetched here")
			}
			return w.serve(r)
		},
	}
	w.contact = w.Contact("anna@example.com")
	w.message = w.sent(w.contact, "email", "anna@example.com", "sent")
	return w
}

// sent is a message that was handed over to a provider, whose name for it is "prov-" and the message's id.
func (w *world) sent(contact uuid.UUID, channel, to, status string) uuid.UUID {
	w.Helper()
	id, provider, now := store.NewID(), uuid.New(), w.Clock.Now()
	w.Exec(`INSERT INTO messages (workspace_id, id, seq, node, contact_id, channel, class, creative, provider_id, lane, status, due_at, next_attempt_at, to_address, created_at, sent_at)
		VALUES ($1, $2, 0, 'mail-1', $3, $4, 'marketing', 'c', $5, 1, $6, $7, $7, $8, $7, CASE WHEN $6 = 'sent' THEN $7::timestamptz END)`, w.Workspace, id, contact, channel, provider, status, now, to)
	state := map[string]string{"sent": "accepted", "sending": "open", "unknown": "unknown"}[status]
	w.Exec(`INSERT INTO delivery_attempts (workspace_id, message_id, attempt, provider_id, worker, state, started_at, provider_msg_id) VALUES ($1, $2, 1, $3, 'w', $4, $5, $6)`,
		w.Workspace, id, provider, state, now, "prov-"+id.String())
	w.Exec(`INSERT INTO message_bodies (workspace_id, message_id, subject, html, text, headers) VALUES ($1, $2, '', '', '', '[]')`, w.Workspace, id)
	return id
}

func (w *world) source(in receipts.Input) uuid.UUID {
	w.Helper()
	var made receipts.Source
	w.Tx(func(tx store.Tx) (err error) {
		made, err = w.sources.Create(w.Context(), tx, w.Workspace, in)
		return err
	})
	return made.ID
}

func (w *world) take(source uuid.UUID, r receipts.Report) error {
	return w.sources.Take(w.Context(), w.Workspace, source, r)
}

// work works everything off that is due: reports, then what follows from them.
func (w *world) work() {
	w.Helper()
	for {
		d, err := w.sources.Drain(w.Context(), pump.Batch{Limit: 100})
		require.NoError(w, err)
		if d.Rows == 0 {
			break
		}
	}
	w.Settle()
}

// events counts what the person's timeline holds of a name.
func (w *world) events(name string) int {
	w.Helper()
	return w.Count("SELECT count(*) FROM events WHERE workspace_id = $1 AND contact_id = $2 AND name = $3", w.Workspace, w.contact, name)
}

// reason is why the person cannot be written to, "" if they can.
func (w *world) reason(channel, class string) string {
	w.Helper()
	answers, err := w.People.Gate(w.Context(), w.Pool, w.Workspace, []people.Ask{{Contact: w.contact, Channel: channel, Class: class}})
	require.NoError(w, err)
	return answers[0].Reason
}

const genericSecret = "a secret we agreed on"

func (w *world) generic(items ...string) receipts.Report {
	return w.genericAt(w.machine.now, items...)
}

func (w *world) genericAt(at time.Time, items ...string) receipts.Report {
	body := []byte(`{"events":[`)
	for i, item := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, item...)
	}
	body = append(body, "]}"...)
	header := http.Header{}
	header.Set("X-Lejek-Timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("X-Lejek-Signature", "sha256="+receipts.SignGeneric(genericSecret, at, body))
	return receipts.Report{Header: header, Body: body}
}

func (w *world) item(id, kind, more string) string {
	return fmt.Sprintf(`{"id":%q,"type":%q,"message_id":%q%s}`, id, kind, w.message, more)
}

func requireRefused(t *testing.T, err error) {
	t.Helper()
	require.Equal(t, fault.Unauthenticated, fault.CodeOf(err), "%v", err)
}

func TestSecurity_03_SendGridReportsAreSigned(t *testing.T) {
	t.Parallel()
	w := setup(t)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	require.NoError(t, err)
	source := w.source(receipts.Input{Kind: receipts.SendGrid, Name: "SendGrid", Secret: base64.StdEncoding.EncodeToString(der)})
	sign := func(at time.Time, body string) receipts.Report {
		stamp := strconv.FormatInt(at.Unix(), 10)
		sum := sha256.Sum256([]byte(stamp + body))
		signature, err := ecdsa.SignASN1(rand.Reader, key, sum[:])
		require.NoError(t, err)
		header := http.Header{}
		header.Set("X-Twilio-Email-Event-Webhook-Timestamp", stamp)
		header.Set("X-Twilio-Email-Event-Webhook-Signature", base64.StdEncoding.EncodeToString(signature))
		return receipts.Report{Header: header, Body: []byte(body)}
	}
	now := w.machine.now
	batch := fmt.Sprintf(`[{"event":"delivered","email":"anna@example.com","timestamp":%d,"sg_event_id":"one","sg_message_id":"prov-%s.recvd-1"},
		{"event":7},{"event":"bounce","type":"bounce","status":"5.1.1","email":"anna@example.com","timestamp":%d,"sg_event_id":"two","lejek_message":%q}]`,
		now.Unix(), w.message, now.Unix(), w.message)

	t.Run("AFlippedByteReorderedJSONAndAnOldTimeAreRefused", func(t *testing.T) {
		good := sign(now, batch)
		flipped := good
		flipped.Body = append([]byte{}, good.Body...)
		flipped.Body[10] ^= 1
		requireRefused(t, w.take(source, flipped))
		reordered := good
		reordered.Body = []byte(`[{"email":"anna@example.com","event":"delivered"}]`)
		requireRefused(t, w.take(source, reordered))
		requireRefused(t, w.take(source, sign(now.Add(-6*time.Minute), batch)))
		requireRefused(t, w.take(source, sign(now.Add(6*time.Minute), batch)))
		requireRefused(t, w.take(source, receipts.Report{Header: http.Header{}, Body: good.Body}))
		require.Zero(t, w.Count("SELECT count(*) FROM receipts"))
	})
	t.Run("ABadItemStopsNoOtherAndARepeatWithOtherIDsCountsOnce", func(t *testing.T) {
		require.NoError(t, w.take(source, sign(now, batch)))
		again := fmt.Sprintf(`[{"event":"bounce","type":"bounce","status":"5.1.1","email":"anna@example.com","timestamp":%d,"sg_event_id":"another","lejek_message":%q}]`, now.Unix(), w.message)
		require.NoError(t, w.take(source, sign(now, again)))
		require.Equal(t, 2, w.Count("SELECT count(*) FROM receipts"))
		w.work()
		require.Equal(t, 1, w.events("message_delivered"))
		require.Equal(t, 1, w.events("message_bounced"))
		require.Equal(t, people.NoSuppress, w.reason("email", "transactional"))
	})
	t.Run("AKeyThatIsNoneIsNotSaved", func(t *testing.T) {
		err := store.InTx(t.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
			_, err := w.sources.Create(t.Context(), tx, w.Workspace, receipts.Input{Kind: receipts.SendGrid, Name: "x", Secret: "no key"})
			return err
		})
		require.Equal(t, fault.Invalid, fault.CodeOf(err))
	})
}

func TestSecurity_04_ResendReportsAreSigned(t *testing.T) {
	t.Parallel()
	w := setup(t)
	secret := "whsec_" + base64.StdEncoding.EncodeToString([]byte("twenty-four bytes of it."))
	source := w.source(receipts.Input{Kind: receipts.Resend, Name: "Resend", Secret: secret})
	body := fmt.Sprintf(`{"type":"email.complained","created_at":%q,"data":{"email_id":"prov-%s","to":["anna@example.com"]}}`, w.machine.now.Format(time.RFC3339), w.message)
	sign := func(id string, at time.Time, secrets ...string) receipts.Report {
		header := http.Header{}
		header.Set("Svix-Id", id)
		header.Set("Svix-Timestamp", strconv.FormatInt(at.Unix(), 10))
		list := ""
		for _, one := range secrets {
			signature, err := signed.Standard(one, id, at, []byte(body))
			require.NoError(t, err)
			list += signature + " "
		}
		header.Set("Svix-Signature", list)
		return receipts.Report{Header: header, Body: []byte(body)}
	}
	other := "whsec_" + base64.StdEncoding.EncodeToString([]byte("another one of 24 bytes."))

	requireRefused(t, w.take(source, sign("msg_1", w.machine.now, other)))
	requireRefused(t, w.take(source, sign("msg_1", w.machine.now)))
	requireRefused(t, w.take(source, sign("msg_1", w.machine.now.Add(10*time.Minute), secret)))
	requireRefused(t, w.take(source, sign("msg_1", w.machine.now.Add(-10*time.Minute), secret)))
	missing := sign("msg_1", w.machine.now, secret)
	missing.Header.Del("Svix-Id")
	requireRefused(t, w.take(source, missing))
	renamed := sign("msg_1", w.machine.now, secret)
	renamed.Header.Set("Svix-Id", "msg_2")
	requireRefused(t, w.take(source, renamed))

	for range 5 {
		require.NoError(t, w.take(source, sign("msg_1", w.machine.now, other, secret)), "during a change of secrets one of two is enough")
	}
	require.Equal(t, 1, w.Count("SELECT count(*) FROM receipts"))
	w.work()
	require.Equal(t, 1, w.events("message_complained"))
	require.Equal(t, 1, w.events("unsubscribed"))
	require.Equal(t, people.NoSuppress, w.reason("email", "transactional"), "who complains is written to no more, whatever it is")
	require.Equal(t, 1, w.Count("SELECT count(*) FROM suppressions WHERE reason = 'complained' AND hint = 'a***@example.com'"))
}

func TestSecurity_05_TwilioRequestsAreSigned(t *testing.T) {
	t.Parallel()
	w := setup(t)
	out, err := w.People.Upsert(t.Context(), w.Workspace, people.Input{ID: w.contact, Phone: "+48601234567", Consents: []people.ConsentInput{{Channel: "sms", State: people.Granted, Source: "test"}}}, "test")
	require.NoError(t, err)
	text := w.sent(out.Contact.ID, "sms", "+48601234567", "sent")
	source := w.source(receipts.Input{Kind: receipts.Twilio, Name: "Twilio", Secret: "the token of the account"})
	address := base + receipts.Path(w.Workspace, source)
	sign := func(token, at string, params url.Values) receipts.Report {
		header := http.Header{}
		header.Set("X-Twilio-Signature", receipts.SignTwilio(token, at, params))
		return receipts.Report{URL: address, Header: header, Body: []byte(params.Encode())}
	}
	status := url.Values{"MessageSid": {"prov-" + text.String()}, "MessageStatus": {"delivered"}, "To": {"+48601234567"}}

	t.Run("AnotherTokenAnotherAddressAndRepeatedParametersAreRefused", func(t *testing.T) {
		requireRefused(t, w.take(source, sign("another token", address, status)))
		requireRefused(t, w.take(source, sign("the token of the account", "http://10.0.0.1:8080"+receipts.Path(w.Workspace, source), status)))
		twice := url.Values{"MessageSid": {"a", "b"}, "MessageStatus": {"delivered"}}
		require.Equal(t, fault.Invalid, fault.CodeOf(w.take(source, sign("the token of the account", address, twice))))
		changed := sign("the token of the account", address, status)
		changed.Body = append(changed.Body, "&ErrorCode=1"...)
		requireRefused(t, w.take(source, changed))
	})
	t.Run("AStatusCountsOnce", func(t *testing.T) {
		require.NoError(t, w.take(source, sign("the token of the account", address, status)))
		require.NoError(t, w.take(source, sign("the token of the account", address, status)))
		w.work()
		require.Equal(t, 1, w.events("message_delivered"))
	})
	t.Run("STOPInAnyOfItsLanguagesLeavesAtOnceAndSTARTComesBack", func(t *testing.T) {
		for i, word := range []string{"STOP", "Stop.", " стоп! ", "Koniec", "ОТПИСАТЬСЯ", "Arrêt", "wypisz mnie"} {
			in := url.Values{"MessageSid": {"in-" + strconv.Itoa(i)}, "From": {"+48601234567"}, "Body": {word}}
			require.NoError(t, w.take(source, sign("the token of the account", address, in)))
			w.work()
			require.Equal(t, people.NoUnsub, w.reason("sms", "marketing"), word)
			require.Empty(t, w.reason("email", "marketing"), "e-mail is another matter")
			w.Jump(w.Clock.Now().Add(time.Second))
			in = url.Values{"MessageSid": {"start-" + strconv.Itoa(i)}, "From": {"+48601234567"}, "Body": {"start"}}
			require.NoError(t, w.take(source, sign("the token of the account", address, in)))
			w.machine.now = w.Clock.Now()
			w.work()
			require.Empty(t, w.reason("sms", "marketing"))
			w.Jump(w.Clock.Now().Add(time.Second))
			w.machine.now = w.Clock.Now()
		}
	})
	t.Run("WhatIsNoSuchWordIsAnAnswer", func(t *testing.T) {
		in := url.Values{"MessageSid": {"reply"}, "From": {"+48601234567"}, "Body": {"Please do not stop, I like it"}}
		require.NoError(t, w.take(source, sign("the token of the account", address, in)))
		w.work()
		require.Equal(t, 1, w.events("message_replied"))
		require.Empty(t, w.reason("sms", "marketing"))
	})
	t.Run("STOPFromANumberNobodyHasIsRemembered", func(t *testing.T) {
		in := url.Values{"MessageSid": {"stranger"}, "From": {"+48999888777"}, "Body": {"STOP"}}
		require.NoError(t, w.take(source, sign("the token of the account", address, in)))
		w.work()
		require.Equal(t, 1, w.Count("SELECT count(*) FROM suppressions WHERE channel = 'sms' AND hint = '+48***777'"))
	})
}

func TestSecurity_07_AReportIsKeptBeforeItIsAnsweredAndCountsOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	require.Equal(t, fault.NotFound, fault.CodeOf(w.take(uuid.New(), w.generic(w.item("1", "delivered", "")))))
	requireRefused(t, w.take(source, w.genericAt(w.machine.now.Add(-6*time.Minute), w.item("1", "delivered", ""))))
	for range 3 { // the answer was lost on the way, so it comes again
		require.NoError(t, w.take(source, w.generic(w.item("1", "delivered", ""))))
		require.Equal(t, 1, w.Count("SELECT count(*) FROM receipts WHERE status = 'queued'"), "committed before the answer, with what was said")
	}
	w.work()
	require.NoError(t, w.take(source, w.generic(w.item("1", "delivered", ""))))
	w.work()
	require.Equal(t, 1, w.events("message_delivered"))

	t.Run("TheSecretIsSealed", func(t *testing.T) {
		require.Zero(t, w.Count("SELECT count(*) FROM receipt_sources s WHERE s::text LIKE '%' || $1 || '%' OR position(convert_to($1, 'UTF8') IN s.secret) > 0", genericSecret))
	})
	t.Run("AnotherWorkspacesSourceIsNotOurs", func(t *testing.T) {
		other := spinetest.On(t, w.Pool, w.Clock.Now())
		require.Equal(t, fault.NotFound, fault.CodeOf(w.sources.Take(t.Context(), other.Workspace, source, w.generic(w.item("2", "delivered", "")))))
	})
}

func TestFault_33_ReportsInEveryOrderEndTheSame(t *testing.T) {
	t.Parallel()
	w := setup(t)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	state := func() string {
		var out []byte
		require.NoError(t, w.Pool.QueryRow(t.Context(), `SELECT jsonb_build_array(status, delivered_at IS NOT NULL, bounced_at IS NOT NULL) FROM messages WHERE id = $1`, w.message).Scan(&out))
		var list []any
		require.NoError(t, json.Unmarshal(out, &list))
		return fmt.Sprint(list...)
	}

	t.Run("DeliveredBeforeTheHandOverWasNoted", func(t *testing.T) {
		w.message = w.sent(w.contact, "email", "anna@example.com", "sending")
		require.NoError(t, w.take(source, w.generic(w.item("early", "delivered", ""))))
		w.work()
		require.Equal(t, "sendingfalse false", state(), "it waits")
		w.Exec("UPDATE delivery_attempts SET state = 'accepted' WHERE message_id = $1", w.message)
		w.Exec("UPDATE messages SET status = 'sent', sent_at = $2 WHERE id = $1", w.message, w.Clock.Now())
		w.Jump(w.Clock.Now().Add(time.Minute))
		w.work()
		require.Equal(t, "senttrue false", state())
	})
	t.Run("BouncedBeforeDeliveredFiveTimesAndThreeDaysLate", func(t *testing.T) {
		for _, order := range [][]string{{"bounced", "delivered"}, {"delivered", "bounced"}} {
			w.message = w.sent(w.contact, "email", "anna@example.com", "sent")
			before := w.events("message_delivered") + w.events("message_bounced")
			w.Jump(w.Clock.Now().Add(72 * time.Hour))
			w.machine.now = w.Clock.Now()
			for _, kind := range order {
				for i := range 5 {
					require.NoError(t, w.take(source, w.generic(w.item(fmt.Sprintf("%s-%s-%d", w.message, kind, i), kind, `,"soft":true`))))
				}
			}
			w.work()
			require.Equal(t, "senttrue true", state())
			require.Equal(t, before+2, w.events("message_delivered")+w.events("message_bounced"))
		}
	})
	t.Run("AMessageOfWhoseHandOverNobodyKnewHasLeft", func(t *testing.T) {
		w.message = w.sent(w.contact, "email", "anna@example.com", "unknown")
		require.NoError(t, w.take(source, w.generic(w.item("found", "delivered", ""))))
		w.work()
		require.Equal(t, "senttrue false", state())
		require.Equal(t, 1, w.Count("SELECT count(*) FROM delivery_attempts WHERE message_id = $1 AND state = 'accepted'", w.message))
	})
	t.Run("AboutAMessageNobodyKnowsItWaitsThreeDays", func(t *testing.T) {
		require.NoError(t, w.take(source, w.generic(`{"id":"lost","type":"delivered","provider_message_id":"nobody's"}`)))
		w.work()
		require.Equal(t, 1, w.Count("SELECT count(*) FROM receipts WHERE key = 'lost' AND status = 'queued'"))
		w.Jump(w.Clock.Now().Add(73 * time.Hour))
		w.work()
		require.Equal(t, 1, w.Count("SELECT count(*) FROM receipts WHERE key = 'lost' AND status = 'ignored'"))
	})
	t.Run("AboutAnErasedPersonItIsIgnored", func(t *testing.T) {
		w.machine.now = w.Clock.Now()
		gone := w.Contact("gone@example.com")
		w.message = w.sent(gone, "email", "gone@example.com", "sent")
		require.NoError(t, w.People.Erase(t.Context(), w.Workspace, gone))
		require.NoError(t, w.take(source, w.generic(w.item("gone", "bounced", ""))))
		w.work()
		require.Equal(t, 1, w.Count("SELECT count(*) FROM receipts WHERE key = 'gone' AND status = 'ignored'"))
	})
	w.AuditBusy()
}

func TestFault_34_ForgedReportsCostNothingAndGenuineOnesAreOnlyKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	// Somebody holds the person's row meanwhile: taking reports in waits for nobody.
	tx, err := w.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(context.Background()) //nolint:errcheck // it only holds a lock
	_, err = tx.Exec(t.Context(), "SELECT 1 FROM contacts WHERE id = $1 FOR UPDATE", w.contact)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i := range 200 {
		report := w.generic(w.item(strconv.Itoa(i), "opened", `,"user_agent":"Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0"`))
		if i%2 == 1 {
			report.Header.Set("X-Lejek-Signature", "sha256=00")
			requireRefused(t, w.sources.Take(ctx, w.Workspace, source, report))
			continue
		}
		require.NoError(t, w.sources.Take(ctx, w.Workspace, source, report))
	}
	require.Equal(t, 100, w.Count("SELECT count(*) FROM receipts"))
	require.NoError(t, tx.Rollback(t.Context()))
	w.work()
	require.Equal(t, 100, w.Count("SELECT count(*) FROM hits WHERE message_id = $1", w.message), "each is judged like those we see ourselves")
}

func TestSoftBouncesSuppressAfterSoManyInARow(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.Exec("UPDATE workspaces SET soft_bounces = 3 WHERE id = $1", w.Workspace)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	send := func(kind string) {
		w.message = w.sent(w.contact, "email", "anna@example.com", "sent")
		require.NoError(t, w.take(source, w.generic(w.item(w.message.String(), kind, `,"soft":true`))))
		w.work()
	}
	send("bounced")
	send("bounced")
	send("delivered") // it works again: the count begins anew
	send("bounced")
	send("bounced")
	require.Empty(t, w.reason("email", "marketing"))
	send("bounced")
	require.Equal(t, people.NoSuppress, w.reason("email", "marketing"))
}

func TestUnsubscribingAtTheProviderLeavesHereToo(t *testing.T) {
	t.Parallel()
	w := setup(t)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	require.NoError(t, w.take(source, w.generic(w.item("u", "unsubscribed", ""), w.item("r", "replied", `,"text":"Thanks!"`))))
	w.work()
	require.Equal(t, people.NoUnsub, w.reason("email", "marketing"))
	require.Empty(t, w.reason("email", "transactional"))
	require.Equal(t, 1, w.events("message_replied"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE unsubscribed_at IS NOT NULL"))
}
