package outbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/outbox"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/engine"
)

const greeting = `{"nodes": [{"id": "start", "kind": "entry", "name": "Start", "config": {"triggers": [{"kind": "api_event", "name": "go"}]}},
	{"id": "mail-1", "kind": "send_email", "name": "Hello", "config": {"creative": "creative:hello", "class": "CLASS"}}],
	"edges": [{"from": "start", "port": "next", "to": "mail-1"}]}`

func TestMarketingIsSeenForAWhileBeforeItLeaves(t *testing.T) {
	t.Parallel()
	b := newBox(t, "marketing")
	ola, ewa := b.Contact("ola@example.com"), b.Contact("ewa@example.com")
	b.Contact("jan@example.com")
	for _, who := range []string{"ola@example.com", "ewa@example.com", "jan@example.com"} {
		b.Event(who, "go", nil)
	}
	b.Settle()
	require.Zero(t, b.sent())
	groups, err := b.Groups(t.Context(), b.Workspace)
	require.NoError(t, err)
	require.Len(t, groups, 1)
	require.Equal(t, int64(3), groups[0].Waiting)
	require.Equal(t, b.Clock.Now().Add(10*time.Minute), *groups[0].LeavesAt)
	all := outbox.Selection{Funnel: b.funnel, Node: "mail-1"}
	list, err := b.Messages(t.Context(), b.Workspace, all, uuid.Nil, 10)
	require.NoError(t, err)
	require.Len(t, list, 3)
	of := map[uuid.UUID]uuid.UUID{}
	for _, m := range list {
		of[m.Contact] = m.ID
	}

	b.changed(b.Hold(t.Context(), b.Workspace, outbox.Selection{IDs: []uuid.UUID{of[ola]}}))
	b.changed(b.Drop(t.Context(), b.Workspace, outbox.Selection{IDs: []uuid.UUID{of[ewa]}}))
	b.To(b.Clock.Now().Add(9 * time.Minute))
	require.Zero(t, b.sent())
	b.To(b.Clock.Now().Add(2 * time.Minute))
	require.Equal(t, 1, b.sent(), "the third left by itself")
	b.To(b.Clock.Now().Add(time.Hour))
	require.Equal(t, 1, b.sent(), "the held one does not")
	require.Equal(t, 1, b.Count("SELECT count(*) FROM messages WHERE status = 'skipped' AND reason = 'dropped'"))

	b.changed(b.Release(t.Context(), b.Workspace, outbox.Selection{IDs: []uuid.UUID{of[ola]}}))
	b.Settle()
	require.Equal(t, 2, b.sent())
	n, err := b.Drop(t.Context(), b.Workspace, all)
	require.NoError(t, err)
	require.Zero(t, n, "what has left is not there any more")
	groups, err = b.Groups(t.Context(), b.Workspace)
	require.NoError(t, err)
	require.Empty(t, groups)
}

func TestWhatWaitsIsCorrected(t *testing.T) {
	t.Parallel()
	b := newBox(t, "marketing")
	b.Contact("ola@example.com")
	b.Event("ola@example.com", "go", nil)
	b.Settle()
	groups, err := b.Groups(t.Context(), b.Workspace)
	require.NoError(t, err)
	said, err := b.Creative(t.Context(), b.Workspace, groups[0].Sample)
	require.NoError(t, err)
	require.Equal(t, "hello", said.Subject)
	said.Subject = "Hello again"
	said.Blocks = []engine.Block{{ID: "b1", Type: "heading", Text: "Hello", Level: 1}}
	waiting := outbox.Selection{Funnel: b.funnel, Node: "mail-1"}
	_, err = b.Correct(t.Context(), b.Workspace, waiting, said, nil)
	require.Contains(t, codesOf(t, err), "UNSUBSCRIBE_MISSING", "marketing leaves with a way out, corrected or not")
	said.Blocks = append(said.Blocks, engine.Block{ID: "b9", Type: "footer"})
	said.Preheader = "{{ shoe }}"
	_, err = b.Correct(t.Context(), b.Workspace, waiting, said, nil)
	require.Contains(t, codesOf(t, err), "VAR_UNKNOWN")
	said.Preheader = ""
	b.changed(b.Correct(t.Context(), b.Workspace, waiting, said, nil))
	again, err := b.Creative(t.Context(), b.Workspace, groups[0].Sample)
	require.NoError(t, err)
	require.Equal(t, "Hello again", again.Subject)
	b.To(b.Clock.Now().Add(time.Hour))
	require.Equal(t, 1, b.Count("SELECT count(*) FROM messages WHERE status = 'sent' AND artifact = 'corrected'"))
	require.Equal(t, 1, b.Count("SELECT count(*) FROM message_bodies WHERE subject = 'Hello again'"))
}

func TestWhatCannotLeaveAnyMoreIsNotHeld(t *testing.T) {
	t.Parallel()
	b := newBox(t, "marketing")
	why := map[string]string{"left": "unsubscribed", "erased": "gone", "done": "void", "stays": ""}
	of := map[string]uuid.UUID{}
	for name := range why {
		of[name] = b.Contact(name + "@example.com")
		b.Event(name+"@example.com", "go", nil)
	}
	b.Settle()
	n, err := b.Hold(t.Context(), b.Workspace, outbox.Selection{Funnel: b.funnel, Node: "mail-1"})
	require.NoError(t, err)
	require.Equal(t, int64(4), n)
	require.NoError(t, b.People.Unsubscribe(t.Context(), b.Workspace, of["left"], "email", "", "test"))
	require.NoError(t, b.People.Erase(t.Context(), b.Workspace, of["erased"]))
	b.Exec("UPDATE runs SET void_before = 1000 WHERE contact_id = $1", of["done"])
	b.Settle()
	for name, reason := range why {
		status, said := "held", ""
		require.NoError(t, b.Pool.QueryRow(t.Context(), "SELECT status, coalesce(nullif(reason, 'held'), '') FROM messages WHERE contact_id = $1", of[name]).Scan(&status, &said))
		if reason == "" {
			require.Equal(t, "held", status, name)
		} else {
			require.Equal(t, "skipped", status, name)
		}
		require.Contains(t, said, reason, name)
	}
	groups, err := b.Groups(t.Context(), b.Workspace)
	require.NoError(t, err)
	require.Equal(t, int64(1), groups[0].Held)
}

func TestTransactionalMessagesDoNotWait(t *testing.T) {
	t.Parallel()
	b := newBox(t, "transactional")
	b.Contact("ola@example.com")
	b.Event("ola@example.com", "go", nil)
	b.Settle()
	require.Equal(t, 1, b.sent())
}

func TestAForeignOutboxIsNotTouched(t *testing.T) {
	t.Parallel()
	b := newBox(t, "marketing")
	b.Contact("ola@example.com")
	b.Event("ola@example.com", "go", nil)
	b.Settle()
	n, err := b.Drop(t.Context(), uuid.New(), outbox.Selection{Funnel: b.funnel, Node: "mail-1"})
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = b.Hold(t.Context(), b.Workspace, outbox.Selection{})
	require.Equal(t, fault.Invalid, fault.CodeOf(err))
}

// codesOf are the codes of the problems an error tells.
func codesOf(t *testing.T, err error) []string {
	t.Helper()
	var refused *fault.Error
	require.ErrorAs(t, err, &refused)
	told, ok := refused.Details.(funnels.Refusal)
	require.True(t, ok)
	codes := make([]string, len(told.Problems))
	for i, problem := range told.Problems {
		codes[i] = problem.Code
	}
	return codes
}

type box struct {
	*spinetest.World
	*outbox.Outbox

	funnel uuid.UUID
}

// newBox is a world whose marketing is seen for ten minutes, with a funnel that sends one mail of a class.
func newBox(t *testing.T, class string) *box {
	t.Helper()
	w := spinetest.New(t)
	b := &box{World: w}
	b.Outbox = outbox.New(outbox.Options{DB: w.Pool, Clock: w.Clock, Compile: func(c engine.Creative) (funnels.Compiled, []engine.Problem, error) {
		return funnels.Compiled{Hash: "corrected", Artifact: []byte(`{"subject": "` + c.Subject + `"}`)}, nil, nil
	}})
	w.Exec("UPDATE workspaces SET outbox_minutes = 10 WHERE id = $1", w.Workspace)
	b.funnel = w.Funnel("greeting", strings.ReplaceAll(greeting, "CLASS", class))
	return b
}

func (b *box) sent() int { return b.Count("SELECT count(*) FROM messages WHERE status = 'sent'") }

func (b *box) changed(n int64, err error) {
	b.Helper()
	require.NoError(b, err)
	require.Equal(b, int64(1), n)
}
