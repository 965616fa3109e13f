package webhooks_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/webhooks"
)

type machine struct{ now time.Time }

func (m *machine) Now() time.Time { return m.now }

// receiver is a customer's system over a real socket: it keeps what it heard and answers as it is told.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	heard  []heard
	answer func(w http.ResponseWriter, r *http.Request)
}

type heard struct {
	id, timestamp, signatures, body string
}

func listen(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{answer: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil {
			r.mu.Lock()
			r.heard = append(r.heard, heard{request.Header.Get("webhook-id"), request.Header.Get("webhook-timestamp"), request.Header.Get("webhook-signature"), string(body)})
			answer := r.answer
			r.mu.Unlock()
			answer(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

type world struct {
	*spinetest.World
	hooks   *webhooks.Webhooks
	machine *machine
}

func setup(t *testing.T, allow ...netip.Prefix) *world {
	t.Helper()
	w := &world{World: spinetest.New(t)}
	w.machine = &machine{w.Clock.Now()}
	w.hooks = &webhooks.Webhooks{
		DB: w.Pool, Clock: w.Clock, Machine: w.machine, Secret: spinetest.Secret, Client: outgoing.New(outgoing.Options{Allow: allow}), Logger: slog.New(slog.DiscardHandler),
		Jitter: func(time.Duration) time.Duration { return 0 },
	}
	w.Inbox.Tell = w.hooks.Tell
	return w
}

var loopback = netip.MustParsePrefix("127.0.0.0/8")

func (w *world) endpoint(url string, names ...string) (uuid.UUID, string) {
	w.Helper()
	var made webhooks.Endpoint
	var secret string
	w.Tx(func(tx store.Tx) (err error) {
		in := webhooks.Input{URL: &url}
		if len(names) > 0 {
			in.Events = &names
		}
		made, secret, err = w.hooks.Create(w.Context(), tx, w.Workspace, in)
		return err
	})
	return made.ID, secret
}

// drain makes the attempts that are due and answers how many.
func (w *world) drain() int {
	w.Helper()
	d, err := w.hooks.Drain(w.Context(), pump.Batch{Limit: 100})
	require.NoError(w, err)
	return d.Rows
}

func (w *world) tell(contact uuid.UUID, names ...string) {
	w.Helper()
	w.Tx(func(tx store.Tx) error {
		var list []events.Posting
		for _, name := range names {
			list = append(list, events.Posting{Contact: contact, Name: name, Props: map[string]any{"channel": "email"}})
		}
		return events.Post(w.Context(), tx, w.Workspace, 0, list...)
	})
	w.Settle()
}

func (w *world) status(id uuid.UUID) []string {
	w.Helper()
	list, err := w.hooks.Deliveries(w.Context(), w.Workspace, id, "", uuid.Nil, 100)
	require.NoError(w, err)
	var all []string
	for _, d := range list {
		all = append(all, d.Name+" "+d.Status+" "+strconv.Itoa(d.Attempts))
	}
	return all
}

func TestAnAddressInsideTheNetworkIsRefusedBeforeItIsSaved(t *testing.T) {
	t.Parallel()
	w := setup(t)
	for _, address := range []string{"http://127.0.0.1:9000/x", "http://localhost/x", "https://[::1]/x", "https://10.0.0.7/x", "https://169.254.169.254/"} {
		w.Tx(func(tx store.Tx) error {
			_, _, err := w.hooks.Create(w.Context(), tx, w.Workspace, webhooks.Input{URL: &address})
			require.ErrorContains(t, err, "not on the public internet", address)
			return nil
		})
	}
	allowed := setup(t, loopback)
	allowed.endpoint("http://localhost:9000/x")
}

func TestAnAddressThatIsNotPublicIsTriedOnce(t *testing.T) {
	t.Parallel()
	w := setup(t, loopback)
	id, _ := w.endpoint("http://127.0.0.1:9/x", "message.delivered")
	w.hooks.Client = outgoing.New(outgoing.Options{}) // the operator allows it no more
	w.tell(w.Contact("anna@example.com"), "message_delivered")
	require.Equal(t, 1, w.drain())
	require.Equal(t, []string{"message.delivered dead 1"}, w.status(id))
	list, err := w.hooks.Deliveries(w.Context(), w.Workspace, id, "", uuid.Nil, 1)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(list[0].Answer, "The address is not public"), list[0].Answer)
}

func TestAnEventIsToldSignedAsStandardWebhooksSays(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	id, secret := w.endpoint(shop.URL, "message.delivered", "contact.unsubscribed")
	require.True(t, strings.HasPrefix(secret, "whsec_"))
	contact := w.Contact("anna@example.com")
	w.tell(contact, "message_delivered", "message_opened")
	require.NoError(t, w.People.Unsubscribe(t.Context(), w.Workspace, contact, "email", "", "link"))
	w.Settle()
	require.Equal(t, 2, w.drain())
	require.Zero(t, w.drain())
	require.Len(t, shop.heard, 2, "what was not asked for is not told")
	for _, one := range shop.heard {
		seconds, err := strconv.ParseInt(one.timestamp, 10, 64)
		require.NoError(t, err)
		want, err := webhooks.Sign(secret, one.id, time.Unix(seconds, 0), []byte(one.body))
		require.NoError(t, err)
		require.Equal(t, want, one.signatures)
		var body struct {
			Type      string
			Timestamp time.Time
			Data      struct{ Contact struct{ ID, Email string } }
		}
		require.NoError(t, json.Unmarshal([]byte(one.body), &body))
		require.Contains(t, []string{"message.delivered", "contact.unsubscribed"}, body.Type)
		require.Equal(t, "anna@example.com", body.Data.Contact.Email)
		require.Equal(t, contact.String(), body.Data.Contact.ID)
	}
	require.ElementsMatch(t, []string{"message.delivered delivered 1", "contact.unsubscribed delivered 1"}, w.status(id))
	require.Zero(t, w.Count("SELECT count(*) FROM webhook_endpoints e WHERE position(convert_to($1, 'UTF8') IN e.secret) > 0", secret), "the secret is sealed")

	t.Run("WhoIsErasedIsInNoDeliveryAnyMore", func(t *testing.T) {
		require.NoError(t, w.People.Erase(t.Context(), w.Workspace, contact))
		require.Zero(t, w.Count("SELECT count(*) FROM webhook_deliveries WHERE body LIKE '%anna@example.com%'"))
	})
}

func TestRunsAndGoalsAreTold(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	w.endpoint(shop.URL)
	w.Funnel("welcome", `{"nodes":[
		{"id":"in","kind":"entry","name":"In","config":{"triggers":[{"kind":"api_event","name":"signup"}],"reentry":{"rule":"once"}}},
		{"id":"mail-1","kind":"send_email","name":"Hi","config":{"creative":"creative:hi","class":"transactional"}},
		{"id":"bought","kind":"goal","name":"Bought","config":{"mode":"event","event":{"name":"purchase"}}},
		{"id":"wait-1","kind":"wait","name":"Wait","config":{"mode":"duration","for":{"amount":1,"unit":"days"}}}],
		"edges":[{"from":"in","port":"next","to":"mail-1"},{"from":"mail-1","port":"next","to":"wait-1"}]}`)
	w.Contact("anna@example.com")
	w.Event("anna@example.com", "signup", nil)
	w.Settle()
	w.Event("anna@example.com", "purchase", nil)
	w.Settle()
	for w.drain() > 0 {
	}
	var names []string
	for _, one := range shop.heard {
		var body struct{ Type string }
		require.NoError(t, json.Unmarshal([]byte(one.body), &body))
		names = append(names, body.Type)
	}
	require.ElementsMatch(t, []string{"run.started", "message.sent", "message.delivered", "goal.reached", "run.ended"}, names)
}

func TestADeliveryIsTriedForThreeDaysThenDeadAndReplayed(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	shop.answer = func(rw http.ResponseWriter, _ *http.Request) {
		http.Error(rw, "out of order", http.StatusInternalServerError)
	}
	id, _ := w.endpoint(shop.URL)
	w.tell(w.Contact("anna@example.com"), "message_delivered")
	begun := w.machine.now
	for range 30 {
		w.drain()
		next := w.Count("SELECT coalesce(extract(epoch FROM max(next_attempt_at))::bigint, 0) FROM webhook_deliveries WHERE status = 'queued'")
		if next == 0 {
			break
		}
		w.machine.now = time.Unix(int64(next), 0).UTC().Add(time.Second)
	}
	require.Len(t, shop.heard, 10)
	require.InDelta(t, 75, w.machine.now.Sub(begun).Hours(), 4)
	require.Equal(t, []string{"message.delivered dead 10"}, w.status(id))
	for _, one := range shop.heard {
		require.Equal(t, shop.heard[0].id, one.id, "the receiver knows it again")
	}
	log, err := w.hooks.Deliveries(t.Context(), w.Workspace, id, "dead", uuid.Nil, 10)
	require.NoError(t, err)
	require.Equal(t, 500, *log[0].AnswerStatus)
	require.Contains(t, log[0].Answer, "out of order")

	shop.answer = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusOK) }
	w.Tx(func(tx store.Tx) error {
		queued, err := w.hooks.Replay(t.Context(), tx, w.Workspace, id, uuid.Nil)
		require.Equal(t, 1, queued)
		return err
	})
	w.drain()
	require.Equal(t, []string{"message.delivered delivered 1"}, w.status(id))
}

func TestAnEndpointThatIsGoneIsSwitchedOffAndOneThatAsksToWaitIsLeftAlone(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	id, _ := w.endpoint(shop.URL)
	contact := w.Contact("anna@example.com")
	shop.answer = func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Retry-After", "3600")
		rw.WriteHeader(http.StatusTooManyRequests)
	}
	w.tell(contact, "message_delivered")
	w.drain()
	w.machine.now = w.machine.now.Add(59 * time.Minute)
	require.Zero(t, w.drain())
	shop.answer = func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusGone) }
	w.machine.now = w.machine.now.Add(2 * time.Minute)
	require.Equal(t, 1, w.drain())
	list, err := w.hooks.List(t.Context(), w.Workspace)
	require.NoError(t, err)
	require.False(t, list[0].Enabled)
	require.Equal(t, "gone", list[0].Reason)
	require.Equal(t, []string{"message.delivered dead 2"}, w.status(id))
	w.tell(contact, "message_delivered")
	require.Len(t, w.status(id), 1, "who is off is told nothing")
}

func TestOneThatHangsHoldsUpItsOwnOnly(t *testing.T) {
	t.Parallel()
	w, slow, fast := setup(t, loopback), listen(t), listen(t)
	release := make(chan struct{})
	slow.answer = func(http.ResponseWriter, *http.Request) { <-release }
	w.endpoint(slow.URL)
	w.endpoint(fast.URL)
	contact := w.Contact("anna@example.com")
	for range 10 {
		w.tell(contact, "message_delivered")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err := w.hooks.Drain(t.Context(), pump.Batch{Limit: 100})
		require.NoError(t, err) //nolint:testifylint // the goroutine ends before the test
	}()
	require.Eventually(t, func() bool {
		fast.mu.Lock()
		defer fast.mu.Unlock()
		return len(fast.heard) == 4
	}, 10*time.Second, 10*time.Millisecond)
	close(release)
	<-done
	require.LessOrEqual(t, len(slow.heard), 4)
}

func TestDuringAChangeOfSecretsBothSign(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	id, before := w.endpoint(shop.URL)
	var after string
	w.Tx(func(tx store.Tx) (err error) {
		after, err = w.hooks.Rotate(t.Context(), tx, w.Workspace, id)
		return err
	})
	signatures := func() []string {
		_, ok, err := w.hooks.Test(t.Context(), w.Workspace, id)
		require.NoError(t, err)
		require.True(t, ok)
		one := shop.heard[len(shop.heard)-1]
		seconds, err := strconv.ParseInt(one.timestamp, 10, 64)
		require.NoError(t, err)
		var all []string
		for _, secret := range []string{after, before} {
			want, err := webhooks.Sign(secret, one.id, time.Unix(seconds, 0), []byte(one.body))
			require.NoError(t, err)
			if strings.Contains(one.signatures, want) {
				all = append(all, secret)
			}
		}
		return all
	}
	require.Equal(t, []string{after, before}, signatures())
	w.machine.now = w.machine.now.Add(25 * time.Hour)
	require.Equal(t, []string{after}, signatures())
}

func TestSecurity_01_WebhooksReachNothingPrivate(t *testing.T) {
	t.Parallel()
	w, inside := setup(t, loopback), listen(t)
	id, _ := w.endpoint(inside.URL)
	w.hooks.Client = outgoing.New(outgoing.Options{}) // nobody allows loopback any more
	said, ok, err := w.hooks.Test(t.Context(), w.Workspace, id)
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, said, "not public")
	w.tell(w.Contact("anna@example.com"), "message_delivered")
	w.drain()
	require.Empty(t, inside.heard)
	for _, url := range []string{"file:///etc/passwd", "gopher://x", "https://user:pass@example.com/", "not an address"} {
		err := store.InTx(t.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
			_, _, err := w.hooks.Create(t.Context(), tx, w.Workspace, webhooks.Input{URL: &url})
			return err
		})
		require.Error(t, err, url)
	}
}

func TestAProcessThatDiesWhileItTellsHasItToldAgainWithTheSameID(t *testing.T) {
	t.Parallel()
	w, shop := setup(t, loopback), listen(t)
	id, _ := w.endpoint(shop.URL)
	w.tell(w.Contact("anna@example.com"), "message_delivered")
	w.Exec("UPDATE webhook_deliveries SET status = 'sending', attempts = 1, lease_until = $1", w.machine.now.Add(time.Minute))
	require.Zero(t, w.drain(), "somebody may be telling it")
	w.machine.now = w.machine.now.Add(2 * time.Minute)
	require.Equal(t, 1, w.drain())
	require.Equal(t, []string{"message.delivered delivered 2"}, w.status(id))
}
