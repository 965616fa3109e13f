package runner_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store/storetest"
)

// welcome is a mail at once and one after three days.
const welcome = `{"nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "sign_up"}], "reentry": {"rule": "once"}}},
	{"id": "mail-1", "kind": "send_email", "config": {"creative": "creative:hello"}},
	{"id": "wait-1", "kind": "wait", "config": {"mode": "duration", "for": {"amount": 3, "unit": "days"}}},
	{"id": "mail-2", "kind": "send_email", "config": {"creative": "creative:tips"}}],
	"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "mail-2"}]}`

func TestAnEventRunsAFunnelToItsMails(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	w.Contact("jan@example.com")
	w.Funnel("welcome", welcome)

	out := w.Event("jan@example.com", "sign_up", map[string]any{"plan": "pro"})
	require.Equal(t, events.Accepted, out.Status, out.Reason)
	require.Len(t, out.Started, 1)
	w.To(storetest.Now)
	require.Equal(t, []string{"hello 03-23 09:00:00"}, w.Sent("jan@example.com"))

	w.To(storetest.Now.AddDate(0, 0, 3).Add(-time.Second))
	require.Len(t, w.Sent("jan@example.com"), 1)
	w.To(storetest.Now.AddDate(0, 0, 3))
	require.Equal(t, []string{"hello 03-23 09:00:00", "tips 03-26 09:00:00"}, w.Sent("jan@example.com"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM runs WHERE status = 'done'"))

	again := w.Event("jan@example.com", "sign_up", nil)
	require.Empty(t, again.Started)
	require.Equal(t, events.RefusedOnce, again.Refused[0].Why)
	w.Audit()
}
