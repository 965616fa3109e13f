package calls_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/runs"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

const (
	person = "anna@example.com"
	graph  = `{"nodes": [
		{"id": "start", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "signup"}]}},
		{"id": "ask", "kind": "http_request", "config": {"url": "https://crm.example/{{ email }}", "method": "GET"}},
		{"id": "good", "kind": "send_email", "config": {"creative": "creative:good", "class": "transactional"}},
		{"id": "bad", "kind": "send_email", "config": {"creative": "creative:bad", "class": "transactional"}}],
		"edges": [{"from": "start", "port": "next", "to": "ask"}, {"from": "ask", "port": "ok", "to": "good"}, {"from": "ask", "port": "error", "to": "bad"}]}`
)

// started is a world with one run that has just asked.
func started(t *testing.T, caller calls.Outside) (w *spinetest.World, run uuid.UUID) {
	t.Helper()
	w = spinetest.New(t)
	w.Contact(person)
	w.Funnel("ask", graph)
	if caller != nil {
		w.Calls.Outside("http_request", caller)
	}
	w.Event(person, "signup", nil)
	require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT id FROM runs").Scan(&run))
	return w, run
}

// call is the row of the one call.
type call struct {
	Status    string
	Attempts  int
	LastError *string
	Answer    map[string]any
}

func only(w *spinetest.World) (c call) {
	w.Helper()
	var answer []byte
	require.NoError(w, w.Pool.QueryRow(w.Context(), "SELECT status, attempts, last_error, answer FROM calls").Scan(&c.Status, &c.Attempts, &c.LastError, &answer))
	if answer != nil {
		require.NoError(w, json.Unmarshal(answer, &c.Answer))
	}
	return c
}

func detail(w *spinetest.World, seq int) (detail map[string]any) {
	w.Helper()
	require.NoError(w, w.Pool.QueryRow(w.Context(), "SELECT detail FROM journal WHERE seq = $1", seq).Scan(&detail))
	return detail
}

func answers(port string) calls.Outside {
	return func(context.Context, calls.Request) (calls.Answer, error) { return calls.Answer{Port: port}, nil }
}

func TestAnAnswerLetsTheRunGoOnWithItsVariables(t *testing.T) {
	t.Parallel()
	var asked []calls.Request
	w, run := started(t, func(_ context.Context, call calls.Request) (calls.Answer, error) {
		asked = append(asked, call)
		return calls.Answer{Port: "ok", Vars: map[string]any{"order": "A\x001"}, Why: map[string]any{"status": 200}}, nil
	})
	w.Settle()
	require.Len(t, asked, 1)
	require.Equal(t, run.String()+"-2", asked[0].Key)
	require.Equal(t, 1, asked[0].Attempt)
	require.JSONEq(t, `{"url": "https://crm.example/anna%40example.com", "method": "GET"}`, string(asked[0].Payload))
	require.Equal(t, []string{"good 03-23 09:00:00"}, w.Sent(person))
	var vars map[string]any
	require.NoError(t, w.Pool.QueryRow(t.Context(), "SELECT vars FROM runs").Scan(&vars))
	require.Equal(t, map[string]any{"order": "A1"}, vars, "what Postgres cannot keep is left out")
	require.EqualValues(t, 200, detail(w, 3)["status"])
	require.Equal(t, "answered", only(w).Status)
	w.Audit()
}

func TestAFailingCallIsRepeatedWithTheSameKeyAndThenTakesTheFailingPort(t *testing.T) {
	t.Parallel()
	var keys []string
	var at []time.Time
	var w *spinetest.World
	w, _ = started(t, func(_ context.Context, call calls.Request) (calls.Answer, error) {
		keys, at = append(keys, call.Key), append(at, w.Clock.Now())
		if call.Attempt == 2 {
			panic("a caller with a fault\nand a stack")
		}
		return calls.Answer{}, errors.New("502 Bad Gateway")
	})
	w.Settle()
	require.Equal(t, "502 Bad Gateway", detail(w, 2)["problem"], "the step that waits says why")
	w.AuditBusy()
	w.To(storetest.Now.Add(2 * time.Hour))
	require.Len(t, keys, 8)
	for i := range keys {
		require.Equal(t, keys[0], keys[i])
		if i > 1 {
			require.Greater(t, at[i].Sub(at[i-1]), at[i-1].Sub(at[i-2]), "pauses grow")
		}
	}
	require.Equal(t, []string{"bad " + at[7].UTC().Format("01-02 15:04:05")}, w.Sent(person))
	require.Equal(t, "502 Bad Gateway", detail(w, 3)["failed"])
	require.Equal(t, "failed", only(w).Status)
	w.Audit()
}

func TestAFinalErrorFailsAtOnce(t *testing.T) {
	t.Parallel()
	w, _ := started(t, func(context.Context, calls.Request) (calls.Answer, error) {
		return calls.Answer{}, calls.Final(errors.New("404 Not Found"))
	})
	w.Settle()
	require.Equal(t, []string{"bad 03-23 09:00:00"}, w.Sent(person))
	require.Equal(t, 1, only(w).Attempts)
	w.Audit()
}

func TestAPauseThatIsAskedForIsKept(t *testing.T) {
	t.Parallel()
	var at []time.Time
	var w *spinetest.World
	w, _ = started(t, func(_ context.Context, call calls.Request) (calls.Answer, error) {
		at = append(at, w.Clock.Now())
		if call.Attempt == 1 {
			return calls.Answer{}, calls.After(errors.New("429"), 10*time.Minute)
		}
		return calls.Answer{Port: "ok"}, nil
	})
	w.Settle()
	w.To(storetest.Now.Add(time.Hour))
	require.Equal(t, 10*time.Minute, at[1].Sub(at[0]))
	w.Audit()
}

func TestNobodyAnswersInTimeAndTheRunGoesOnByTheFailingPort(t *testing.T) {
	t.Parallel()
	w, _ := started(t, nil) // no process knows who answers
	w.Settle()
	w.To(storetest.Now.Add(time.Hour))
	require.Equal(t, []string{"bad 03-23 10:00:00"}, w.Sent(person))
	require.Equal(t, "void", only(w).Status)
	w.Audit()
}

func TestTheCallOfAnEndedRunIsVoid(t *testing.T) {
	t.Parallel()
	t.Run("QueuedOnesAreNotMade", func(t *testing.T) {
		t.Parallel()
		w, run := started(t, answers("ok"))
		_, err := w.Runner.Job().DrainAll(t.Context())
		require.NoError(t, err)
		require.NoError(t, w.Runner.End(t.Context(), w.Workspace, run))
		require.Equal(t, "void", only(w).Status)
		w.Settle()
		require.Equal(t, 0, only(w).Attempts)
		w.Audit()
	})
	t.Run("TheAnswerOfOneBeingMadeIsDropped", func(t *testing.T) {
		t.Parallel()
		var w *spinetest.World
		var run uuid.UUID
		w, run = started(t, func(context.Context, calls.Request) (calls.Answer, error) {
			return calls.Answer{Port: "ok"}, w.Runner.End(t.Context(), w.Workspace, run)
		})
		w.Settle()
		require.Equal(t, "void", only(w).Status)
		require.Empty(t, w.Sent(person))
		w.Audit()
	})
}

func TestACallThatWasCutOffIsMadeAgainWithTheSameKey(t *testing.T) {
	t.Parallel()
	var keys []string
	w, _ := started(t, func(_ context.Context, call calls.Request) (calls.Answer, error) {
		keys = append(keys, call.Key)
		require.Equal(t, 2, call.Attempt)
		return calls.Answer{Port: "ok"}, nil
	})
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Exec("UPDATE calls SET status = 'working', attempts = 1, lease_until = $1", time.Now().Add(time.Minute))
	w.Settle()
	require.Empty(t, keys, "somebody else is at it")
	w.Exec("UPDATE calls SET lease_until = $1", time.Now().Add(-time.Second))
	w.Settle()
	require.Len(t, keys, 1)
	require.Equal(t, []string{"good 03-23 09:00:00"}, w.Sent(person))
	w.Audit()
}

func TestTheLateResultOfAnEarlierAttemptIsDropped(t *testing.T) {
	t.Parallel()
	var w *spinetest.World
	w, _ = started(t, func(_ context.Context, call calls.Request) (calls.Answer, error) {
		if call.Attempt == 1 { // hangs for longer than its lease; another process answers meanwhile
			w.Exec("UPDATE calls SET lease_until = $1", time.Now().Add(-time.Second))
			_, err := w.Calls.DrainOutside(t.Context(), pump.Batch{Limit: 1})
			return calls.Answer{Port: "error"}, err
		}
		return calls.Answer{Port: "ok"}, nil
	})
	w.Settle()
	require.Equal(t, []string{"good 03-23 09:00:00"}, w.Sent(person))
	require.Equal(t, 2, only(w).Attempts)
	w.Audit()
}

func TestTheAnswerFindsAPersonWhoWasMergedMeanwhile(t *testing.T) {
	t.Parallel()
	var w *spinetest.World
	w, _ = started(t, func(ctx context.Context, call calls.Request) (calls.Answer, error) {
		w.Tx(func(tx store.Tx) error {
			other, err := w.People.UpsertMany(ctx, tx, w.Workspace, []people.Input{{Email: "other@example.com"}}, people.Options{})
			if err != nil {
				return err
			}
			return runs.Merge(ctx, tx, w.Workspace, tx.Now, call.Contact, other[0].Contact.ID)
		})
		return calls.Answer{Port: "ok"}, nil
	})
	w.Settle()
	require.Equal(t, []string{"good 03-23 09:00:00"}, w.Sent("other@example.com"))
	w.Audit()
}

func TestAPausedFunnelAsksNobody(t *testing.T) {
	t.Parallel()
	asked := 0
	w, _ := started(t, func(context.Context, calls.Request) (calls.Answer, error) {
		asked++
		return calls.Answer{Port: "ok"}, nil
	})
	_, err := w.Runner.Job().DrainAll(t.Context())
	require.NoError(t, err)
	w.Exec("UPDATE funnels SET state = 'paused'")
	w.To(storetest.Now.Add(time.Minute))
	require.Zero(t, asked)
	w.Tx(func(tx store.Tx) error {
		var funnel uuid.UUID
		if err := tx.QueryRow(t.Context(), "UPDATE funnels SET state = 'live' RETURNING id").Scan(&funnel); err != nil {
			return err
		}
		_, err := runs.Resume(t.Context(), tx, w.Workspace, funnel)
		return err
	})
	w.Settle()
	require.Equal(t, 1, asked)
	require.Equal(t, []string{"good 03-23 09:01:00"}, w.Sent(person))
	w.Audit()
}

func TestAnInsideCallWorksInTheTransactionThatAnswers(t *testing.T) {
	t.Parallel()
	w, _ := started(t, nil)
	attempts := 0
	w.Calls.Inside("http_request", func(ctx context.Context, tx store.Tx, call calls.Request) (calls.Answer, error) {
		attempts++
		_, err := tx.Exec(ctx, "INSERT INTO tags (workspace_id, slug, name, created_at) VALUES ($1, 'asked', 'asked', $2)", call.Workspace, tx.Now)
		switch {
		case err != nil:
			return calls.Answer{}, err
		case attempts == 1:
			return calls.Answer{}, errors.New("not now")
		case attempts == 2:
			panic("never")
		}
		return calls.Answer{Port: "ok", Until: tx.Now.Add(time.Hour)}, nil
	})
	w.Settle()
	require.Equal(t, 0, w.Count("SELECT count(*) FROM tags WHERE slug = 'asked'"), "what failed is undone")
	w.To(storetest.Now.Add(10 * time.Minute))
	require.Equal(t, 3, attempts)
	require.Equal(t, 1, w.Count("SELECT count(*) FROM tags WHERE slug = 'asked'"))
	require.Empty(t, w.Sent(person), "the answer says until when the run stays")
	w.To(storetest.Now.Add(2 * time.Hour))
	require.Equal(t, []string{"bad 03-23 10:00:15"}, w.Sent(person), "by the port its step keeps for that")
	w.Audit()
}

func TestOneCallersFailureLeavesTheOthersOfTheBatchAlone(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Funnel("ask", graph)
	w.Calls.Inside("http_request", func(ctx context.Context, tx store.Tx, call calls.Request) (calls.Answer, error) {
		var email string
		if err := tx.QueryRow(ctx, "SELECT email FROM contacts WHERE id = $1", call.Contact).Scan(&email); err != nil {
			return calls.Answer{}, err
		}
		if email == "broken@example.com" {
			_, err := tx.Exec(ctx, "SELECT 1 / 0")
			return calls.Answer{}, err
		}
		return calls.Answer{Port: "ok"}, nil
	})
	for _, email := range []string{"a@example.com", "broken@example.com", "c@example.com"} {
		w.Contact(email)
		w.Event(email, "signup", nil)
	}
	w.Settle()
	require.Len(t, w.Sent("a@example.com"), 1)
	require.Len(t, w.Sent("c@example.com"), 1)
	require.Empty(t, w.Sent("broken@example.com"))
	w.To(storetest.Now.Add(time.Hour))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM calls WHERE status = 'failed'"))
	w.Audit()
}

func TestADetachedCallNeverHoldsTheRun(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact(person)
	w.Funnel("tell", `{"nodes": [
		{"id": "start", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "signup"}]}},
		{"id": "tell", "kind": "notify_team", "config": {"via": "email", "to": "boss@example.com", "text": "Hello"}}],
		"edges": [{"from": "start", "port": "next", "to": "tell"}]}`)
	w.Calls.Outside("notify_team", func(_ context.Context, call calls.Request) (calls.Answer, error) {
		return calls.Answer{}, calls.Final(errors.New("no such channel"))
	})
	w.Event(person, "signup", nil)
	w.Settle()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'done'"))
	require.Equal(t, "no such channel", detail(w, 2)["failed"])
	require.Equal(t, "failed", only(w).Status)
	w.Audit()
}
