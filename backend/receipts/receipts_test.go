package receipts_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
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

func TestAnAddressThatIsGoneIsLeftAloneAlsoAfterItFirstRefusedForAWhile(t *testing.T) {
	t.Parallel()
	w := setup(t)
	source := w.source(receipts.Input{Kind: receipts.Generic, Name: "Own", Secret: genericSecret})
	require.NoError(t, w.take(source, w.generic(w.item("for a while", "bounced", `,"soft":true`))))
	w.work()
	require.Empty(t, w.reason("email", "marketing"))
	require.NoError(t, w.take(source, w.generic(w.item("for good", "bounced", `,"reason":"no such user"`))))
	w.work()
	require.Equal(t, people.NoSuppress, w.reason("email", "marketing"))
	require.Equal(t, people.NoSuppress, w.reason("email", "transactional"))
	require.Equal(t, 1, w.events("message_bounced"), "it is counted once")
}
