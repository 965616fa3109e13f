package receipts_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/receipts"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

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
		earlier := sign(now.Add(-time.Minute), batch)
		earlier.Header.Set("X-Twilio-Email-Event-Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
		requireRefused(t, w.take(source, earlier))
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
	for _, name := range []string{"Svix-Id", "Svix-Timestamp", "Svix-Signature"} {
		missing := sign("msg_1", w.machine.now, secret)
		missing.Header.Del(name)
		requireRefused(t, w.take(source, missing))
	}
	changed := sign("msg_1", w.machine.now, secret)
	changed.Body = append([]byte(" "), changed.Body...)
	requireRefused(t, w.take(source, changed))
	renamed := sign("msg_1", w.machine.now, secret)
	renamed.Header.Set("Svix-Id", "msg_2")
	requireRefused(t, w.take(source, renamed))

	require.Zero(t, w.Count("SELECT count(*) FROM receipts"))
	for range 3 {
		require.NoError(t, w.take(source, sign("msg_1", w.machine.now, other, secret)), "during a change of secrets one of two is enough")
		require.NoError(t, w.take(source, sign("msg_1", w.machine.now, secret, other)), "whichever it is")
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
