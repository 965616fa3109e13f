package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
)

// start is business time when a world begins: a Monday at nine in the zone of its workspace.
var start = storetest.Now

const (
	owner    = "olga@studio.example"
	password = "correct horse battery"
	patience = time.Minute // for one instant to be worked off on a busy machine
)

// World is the whole product, serving and working in this process on a database of the test's own, under the manual clock.
type World struct {
	*app.App

	URL       string
	Workspace string // id
	Session   string // value of the owner's cookie
	token     string // may write events and read

	t     *testing.T
	clock *clock.Manual
}

// newWorld starts the product and makes its first workspace through /setup, as an installation does.
func newWorld(t *testing.T) *World {
	t.Helper()
	w := emptyWorld(t)
	w.setUp()
	return w
}

// emptyWorld is a product that nobody has set up yet.
func emptyWorld(t *testing.T) *World {
	t.Helper()
	return worldAt(t, start)
}

// sampleWorld is the product with its sample workspace, today.
func sampleWorld(t *testing.T) *World {
	t.Helper()
	w := worldAt(t, clock.Machine{}.Now())
	login, ok, err := w.Sample(t.Context())
	require.NoError(t, err)
	require.True(t, ok)
	w.signIn(login.Email, login.Password)
	w.To(w.Now())
	return w
}

func worldAt(t *testing.T, at time.Time) *World {
	t.Helper()
	pool := storetest.DB(t)
	manual, err := clock.NewManual(t.Context(), pool, at)
	require.NoError(t, err)
	env := map[string]string{"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_ADDR": "127.0.0.1:0", "LEJEK_CLOCK": "manual"}
	settings, err := config.From(func(name string) string { return env[name] })
	require.NoError(t, err)
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	settings.BaseURL = "http://" + listener.Addr().String()
	lejek, err := app.New(t.Context(), app.Config{Config: settings, Serve: true, Work: true},
		app.Deps{Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), Pool: pool, Clock: manual, Listener: listener, Dialer: &delivery.Dialer{Private: true}})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- lejek.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, lejek.Close(context.WithoutCancel(ctx)))
	})
	return &World{App: lejek, URL: settings.BaseURL, t: t, clock: manual}
}

func (w *World) setUp() {
	w.t.Helper()
	w.enter("/setup", map[string]string{
		"workspace": "Studio", "name": "Olga", "email": owner, "password": password, "zone": "Europe/Warsaw", "language": "en",
	})
	made := struct{ Secret string }{}
	w.call(http.MethodPost, "/api-tokens", map[string]any{"name": "Shop", "kind": "live", "scopes": []string{"events", "read"}}, &made)
	w.token = made.Secret
}

func (w *World) signIn(email, password string) {
	w.t.Helper()
	w.enter("/session", map[string]string{"email": email, "password": password})
}

// enter keeps the session that the answer opens.
func (w *World) enter(path string, body map[string]string) {
	w.t.Helper()
	answer := struct {
		Workspaces []struct{ ID string }
	}{}
	for _, cookie := range w.call(http.MethodPost, path, body, &answer) {
		if cookie.Name == "lejek_session" {
			w.Session = cookie.Value
		}
	}
	require.NotEmpty(w.t, w.Session)
	require.Len(w.t, answer.Workspaces, 1)
	w.Workspace = answer.Workspaces[0].ID
}

// call asks the public API: with the token of the customer's application once there is one, else with the owner's session.
func (w *World) call(method, path string, body, answer any) []*http.Cookie {
	w.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(w.t, err)
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+"/api/v1"+path, bytes.NewReader(raw))
	require.NoError(w.t, err)
	request.Header.Set("Content-Type", "application/json")
	switch {
	case w.token != "":
		request.Header.Set("Authorization", "Bearer "+w.token)
	case w.Session != "":
		request.AddCookie(&http.Cookie{Name: "lejek_session", Value: w.Session})
		request.Header.Set("Lejek-Workspace", w.Workspace)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	require.Less(w.t, response.StatusCode, 300, "%s %s: %s", method, path, text)
	if answer != nil {
		require.NoError(w.t, json.Unmarshal(text, answer), "%s", text)
	}
	return response.Cookies()
}

// Event is what the customer's application says: a person who agreed to get mail did something. The world is idle afterwards.
func (w *World) Event(name, email string, properties map[string]any) {
	w.t.Helper()
	w.EventOf(name, map[string]any{
		"email": email, "consents": []map[string]string{{"channel": "email", "state": "granted", "source": "shop"}},
	}, properties)
}

// EventOf is Event with all that is told of the person.
func (w *World) EventOf(name string, contact, properties map[string]any) {
	w.t.Helper()
	answer := struct {
		Results []struct{ Status, Reason string }
	}{}
	w.call(http.MethodPost, "/events", map[string]any{"name": name, "contact": contact, "properties": properties}, &answer)
	require.Len(w.t, answer.Results, 1)
	require.Equal(w.t, "accepted", answer.Results[0].Status, answer.Results[0].Reason)
	w.To(w.Now())
}

// Now is business time.
func (w *World) Now() time.Time {
	w.t.Helper()
	now, err := w.clock.NowIn(w.t.Context(), w.Pool)
	require.NoError(w.t, err)
	return now
}

// Advance lets time pass.
func (w *World) Advance(by time.Duration) {
	w.t.Helper()
	w.To(w.Now().Add(by))
}

// To lets time pass up to an instant: everything that becomes due on the way is done at its own time.
func (w *World) To(at time.Time) {
	w.t.Helper()
	require.NoError(w.t, timeline.Walk(w.t.Context(), w.Pool, w.clock, at, w.idle))
}

// idle waits until the workers have done all that is due.
func (w *World) idle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for {
		if idle, err := timeline.Idle(ctx, w.Pool, w.clock); err != nil || idle {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the workers are still busy after %s", patience)
		case <-again.C:
		}
	}
}

// Draft is the funnel as the server keeps it, to compare with: what is drawn, and the messages.
func (w *World) Draft(id string) string {
	w.t.Helper()
	kept := struct {
		Graph     json.RawMessage `json:"graph"`
		Creatives json.RawMessage `json:"creatives"`
		Funnel    struct {
			Name string `json:"name"`
		} `json:"funnel"`
	}{}
	w.call(http.MethodGet, "/funnels/"+id, nil, &kept)
	var document any
	raw, err := json.Marshal(kept)
	require.NoError(w.t, err)
	require.NoError(w.t, json.Unmarshal(raw, &document))
	text, err := json.MarshalIndent(document, "", " ")
	require.NoError(w.t, err)
	return string(text)
}
