package kindtest

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
)

// World is the whole product behind a real port, on a database of its own under the manual clock. Nothing works by itself: what is due is
// worked off by Settle, To and Advance, so a test sees one order of things.
type World struct {
	*app.App

	URL string // without a trailing slash

	t                           testing.TB
	clock                       *clock.Manual
	session, workspace, program string
}

// object is a JSON object in a request.
type object = map[string]any

// newWorld starts the product and makes its first workspace: in UTC and English, in the sandbox, on Monday 2026-03-23 at 09:00. The
// environment is added to what every world has.
func newWorld(t testing.TB, environment ...string) *World {
	t.Helper()
	pool := storetest.DB(t)
	manual, err := clock.NewManual(t.Context(), pool, storetest.Now)
	require.NoError(t, err)
	env := map[string]string{"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_ADDR": "127.0.0.1:0", "LEJEK_CLOCK": "manual"}
	for _, setting := range environment {
		name, value, _ := strings.Cut(setting, "=")
		env[name] = value
	}
	settings, err := config.From(func(name string) string { return env[name] })
	require.NoError(t, err)
	var lc net.ListenConfig
	listener, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	settings.BaseURL = "http://" + listener.Addr().String()
	lejek, err := app.New(t.Context(), app.Config{Config: settings, Serve: true},
		app.Deps{Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})), Pool: pool, Clock: manual, Listener: listener})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- lejek.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
		require.NoError(t, lejek.Close(context.WithoutCancel(ctx)))
	})
	w := &World{App: lejek, URL: settings.BaseURL, t: t, clock: manual}
	w.workspace = w.Do(201, "POST", "/setup", object{
		"workspace": "Acme", "name": "Olga", "email": "olga@acme.example", "password": "correct horse battery", "zone": "UTC", "language": "en",
	}).Text("workspaces.0.id")
	require.NotEmpty(t, w.session)
	w.program = w.Do(201, "POST", "/api-tokens", object{"name": "Shop", "kind": "live", "scopes": []string{"events", "read"}}).Text("secret")
	return w
}

// Answer is what the API said.
type Answer struct {
	Status int
	Header http.Header
	Body   string

	t testing.TB
}

// Get is the value at a path such as "items.0.id"; nil when there is none.
func (a Answer) Get(path string) any {
	a.t.Helper()
	var at any
	require.NoError(a.t, json.Unmarshal([]byte(a.Body), &at), a.Body)
	for part := range strings.SplitSeq(path, ".") {
		switch in := at.(type) {
		case map[string]any:
			at = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	return at
}

// Text is the text at a path, "" when there is none.
func (a Answer) Text(path string) string {
	a.t.Helper()
	text, _ := a.Get(path).(string)
	return text
}

// List are the members of the list at a path.
func (a Answer) List(path string) []any {
	a.t.Helper()
	list, _ := a.Get(path).([]any)
	return list
}

// Do asks the API as the workspace's owner and requires a status.
func (w *World) Do(status int, method, path string, body any) Answer {
	w.t.Helper()
	return w.do(status, method, path, body, "")
}

// AsProgram is Do by the customer's application, with a token that may write events and read.
func (w *World) AsProgram(status int, method, path string, body any) Answer {
	w.t.Helper()
	return w.do(status, method, path, body, w.program)
}

func (w *World) do(status int, method, path string, body any, token string) Answer {
	w.t.Helper()
	var reader io.Reader
	if body != nil {
		raw, ok := body.(json.RawMessage)
		if !ok {
			var err error
			raw, err = json.Marshal(body)
			require.NoError(w.t, err)
		}
		reader = bytes.NewReader(raw)
	}
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.URL+"/api/v1"+path, reader)
	require.NoError(w.t, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	} else if w.session != "" {
		request.AddCookie(&http.Cookie{Name: "lejek_session", Value: w.session})
		request.Header.Set("Lejek-Workspace", w.workspace)
	}
	answer := w.Send(request)
	require.Equal(w.t, status, answer.Status, "%s %s: %s", method, path, answer.Body)
	return answer
}

// Send makes any request, such as one of a page or of a service that reports to us.
func (w *World) Send(request *http.Request) Answer {
	w.t.Helper()
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(w.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	for _, cookie := range response.Cookies() {
		if cookie.Name == "lejek_session" {
			w.session = cookie.Value
		}
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: string(text), t: w.t}
}

// document is a funnel: the steps and links of a graph in JSON, and creatives by slug.
type document struct {
	Nodes, Edges string
	Creatives    string // an object; "" is none
}

func (d document) body() object {
	creatives := d.Creatives
	if creatives == "" {
		creatives = "{}"
	}
	return object{
		"graph":     json.RawMessage(`{"schema":1,"nodes":[` + d.Nodes + `],"edges":[` + d.Edges + `]}`),
		"creatives": json.RawMessage(creatives),
	}
}

// by is an entry by hand with the id "start".
const by = `{"id":"start","kind":"entry","name":"","config":{"triggers":[{"kind":"manual"}],"reentry":{"rule":"after_exit"}}}`

// edge links two steps.
func edge(from, port, to string) string {
	return `{"from":"` + from + `","port":"` + port + `","to":"` + to + `"}`
}

// Publish makes a funnel live, warnings and all, and answers its id.
func (w *World) Publish(name string, d document) string {
	w.t.Helper()
	made := w.Do(201, "POST", "/funnels", object{"name": name})
	id := made.Text("funnel.id")
	draft := d.body()
	draft["revision"] = made.Get("revision")
	saved := w.Do(200, "PUT", "/funnels/"+id+"/draft", draft)
	w.Do(200, "POST", "/funnels/"+id+"/publish", object{"revision": saved.Get("revision"), "accept_warnings": true})
	return id
}

// Refuses requires that publishing a document is refused with an error of a code at a step and field, and only with it.
func (w *World) Refuses(d document, code, node, field string) {
	w.t.Helper()
	made := w.Do(201, "POST", "/funnels", object{"name": "Refused"})
	id := made.Text("funnel.id")
	draft := d.body()
	draft["revision"] = made.Get("revision")
	saved := w.Do(200, "PUT", "/funnels/"+id+"/draft", draft)
	refused := w.Do(422, "POST", "/funnels/"+id+"/publish", object{"revision": saved.Get("revision"), "accept_warnings": true})
	var errors [][3]string
	for _, problem := range refused.List("problems") {
		p, _ := problem.(map[string]any)
		if p["severity"] == "error" {
			at, _ := p["field"].(string)
			errors = append(errors, [3]string{p["code"].(string), p["node"].(string), at})
		}
	}
	require.Equal(w.t, [][3]string{{code, node, field}}, errors, refused.Body)
}

// Contact makes or changes a person who agreed to get e-mail, and answers their id.
func (w *World) Contact(email string, more object) string {
	w.t.Helper()
	body := object{"email": email}
	for key, value := range more {
		body[key] = value
	}
	made := w.post("/contacts", body)
	id := made.Text("id")
	w.Do(200, "PUT", "/contacts/"+id+"/consents", object{"items": []object{{"channel": "email", "state": "granted", "source": "test"}}})
	return id
}

// post is a request that may make something or change it.
func (w *World) post(path string, body any) Answer {
	w.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(w.t, err)
	request, err := http.NewRequestWithContext(w.t.Context(), "POST", w.URL+"/api/v1"+path, bytes.NewReader(raw))
	require.NoError(w.t, err)
	request.Header.Set("Content-Type", "application/json")
	request.AddCookie(&http.Cookie{Name: "lejek_session", Value: w.session})
	request.Header.Set("Lejek-Workspace", w.workspace)
	answer := w.Send(request)
	require.Less(w.t, answer.Status, 300, answer.Body)
	return answer
}

// Start starts a funnel for a person by hand and works off what follows.
func (w *World) Start(contact, funnel string) {
	w.t.Helper()
	w.post("/contacts/"+contact+"/start/"+funnel, object{})
	w.Settle()
}

// Event is what the customer's application says of a person; what follows is worked off.
func (w *World) Event(name, email string, properties object) {
	w.t.Helper()
	answer := w.AsProgram(200, "POST", "/events", object{"name": name, "contact": object{"email": email}, "properties": properties})
	require.Equal(w.t, "accepted", answer.Text("results.0.status"), answer.Body)
	w.Settle()
}

// Now is business time.
func (w *World) Now() time.Time {
	w.t.Helper()
	now, err := w.clock.NowIn(w.t.Context(), w.Pool)
	require.NoError(w.t, err)
	return now
}

// Settle works off everything that is due now.
func (w *World) Settle() {
	w.t.Helper()
	require.NoError(w.t, w.Worker.Settle(w.t.Context()))
}

// To lets time pass: everything that becomes due on the way is done at its own time.
func (w *World) To(at time.Time) {
	w.t.Helper()
	require.NoError(w.t, timeline.Walk(w.t.Context(), w.Pool, w.clock, at, w.Worker.Settle))
}

// Advance lets time pass.
func (w *World) Advance(by time.Duration) {
	w.t.Helper()
	w.To(w.Now().Add(by))
}

// Run is a person's newest run of a funnel, with its journal: {run, journal, messages, event, vars}.
func (w *World) Run(contact, funnel string) Answer {
	w.t.Helper()
	list := w.Do(200, "GET", "/runs?"+url.Values{"contact": {contact}, "funnel": {funnel}}.Encode(), nil)
	require.NotEmpty(w.t, list.List("items"), "no run of %s in %s", contact, funnel)
	return w.Do(200, "GET", "/runs/"+list.Text("items.0.id"), nil)
}

// Path is the way of a person's newest run: "start:next mail:next"; a step that holds the run has no port.
func (w *World) Path(contact, funnel string) string {
	w.t.Helper()
	var steps []string
	for _, visit := range w.Run(contact, funnel).List("journal") {
		v, _ := visit.(map[string]any)
		node, _ := v["node"].(string)
		port, _ := v["port"].(string)
		steps = append(steps, strings.TrimSuffix(node+":"+port, ":"))
	}
	return strings.Join(steps, " ")
}

// Detail is what the journal says of the last visit of a step.
func (w *World) Detail(contact, funnel, node string) object {
	w.t.Helper()
	var detail object
	for _, visit := range w.Run(contact, funnel).List("journal") {
		if v, _ := visit.(map[string]any); v["node"] == node {
			detail, _ = v["detail"].(map[string]any)
		}
	}
	return detail
}

// Messages are the messages to an address, the newest first.
func (w *World) Messages(to string) []any {
	w.t.Helper()
	return w.Do(200, "GET", "/messages?"+url.Values{"to": {to}}.Encode(), nil).List("items")
}

// Audit requires that no invariant is broken and nothing is overdue.
func (w *World) Audit() {
	w.t.Helper()
	_, due, err := w.clock.Read(w.t.Context(), w.Pool)
	require.NoError(w.t, err)
	found, err := auditor.Audit(w.t.Context(), w.Pool, auditor.Options{Due: due, Machine: clock.Machine{}.Now()})
	require.NoError(w.t, err)
	require.Empty(w.t, found)
}
