package kindtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/auditor"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/delivery/smtptest"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/timeline"
)

type object = map[string]any

// World is the application with one workspace in UTC, its administrator and nobody else, at storetest.Now.
type World struct {
	testing.TB

	App       *app.App
	DB        *pgxpool.Pool
	Clock     *clock.Manual
	URL       string // of the server
	Workspace uuid.UUID

	session string
}

// New starts a world. changes put something in place of the real thing, such as a client for outside calls that may reach a fake on
// loopback.
func New(t testing.TB, changes ...func(*app.Deps)) *World {
	t.Helper()
	w := &World{TB: t, DB: storetest.DB(t)}
	var err error
	w.Clock, err = clock.NewManual(t.Context(), w.DB, storetest.Now)
	require.NoError(t, err)
	require.NoError(t, events.Prepare(t.Context(), w.DB, storetest.Now))
	server := httptest.NewUnstartedServer(nil)
	w.URL = "http://" + server.Listener.Addr().String()
	env := map[string]string{
		"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_CLOCK": "manual", "LEJEK_BASE_URL": w.URL, "LEJEK_ADDR": server.Listener.Addr().String(),
		"LEJEK_SECRET": strings.Repeat("6b696e64", 8), "LEJEK_ALLOW_NETWORKS": "127.0.0.0/8", // where fakes of services stand
	}
	cfg, err := config.From(func(name string) string { return env[name] })
	require.NoError(t, err)
	deps := app.Deps{
		Pool: w.DB, Clock: w.Clock, Listener: server.Listener, Dialer: &delivery.Dialer{Private: true},
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})),
	}
	for _, change := range changes {
		change(&deps)
	}
	w.App, err = app.New(t.Context(), app.Config{Config: cfg, Serve: true}, deps)
	require.NoError(t, err)
	server.Config.Handler = w.App.API
	server.Start()
	t.Cleanup(server.Close)
	session, _, made, err := w.App.Auth.Setup(t.Context(), w.Clock, auth.SetupInput{
		Name: "Anna", Email: "anna@lejek.example", Password: uuid.NewString(), Workspace: "Acme", Zone: "UTC",
	})
	require.NoError(t, err)
	w.session, w.Workspace = session, made.ID
	return w
}

// Answer is what came back.
type Answer struct {
	testing.TB

	Status int
	Header http.Header
	Body   string
}

// Get reads a path of the JSON answer, such as "items.0.id"; nil where there is nothing.
func (a Answer) Get(path string) any {
	a.Helper()
	var at any
	require.NoError(a, json.Unmarshal([]byte(a.Body), &at), a.Body)
	for part := range strings.SplitSeq(path, ".") {
		switch in := at.(type) {
		case object:
			at = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			require.NoError(a, err)
			if i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	return at
}

// Text is Get as text.
func (a Answer) Text(path string) string { a.Helper(); return fmt.Sprint(a.Get(path)) }

// Request makes one request with nobody's rights; path counts from the server's root.
func (w *World) Request(method, path string, body any, headers ...string) Answer {
	w.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		require.NoError(w, err)
		reader = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(w.Context(), method, w.URL+path, reader)
	require.NoError(w, err)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(w, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(w, err)
	return Answer{TB: w.TB, Status: response.StatusCode, Header: response.Header, Body: string(text)}
}

// Call makes a request below /api/v1 as the administrator and requires a status.
func (w *World) Call(status int, method, path string, body any) Answer {
	w.Helper()
	got := w.Request(method, api.Prefix+path, body, w.Admin()...)
	require.Equal(w, status, got.Status, "%s %s: %s", method, path, got.Body)
	return got
}

// Funnel publishes a bundle {graph, creatives} as a live funnel and answers its id.
func (w *World) Funnel(name string, bundle any) string {
	w.Helper()
	id, revision := w.Draft(name, bundle)
	got := w.Call(200, "POST", "/funnels/"+id+"/publish", object{"revision": revision, "accept_warnings": true})
	require.Equal(w, "live", got.Get("state"), got.Body)
	return id
}

// Draft saves a bundle as the draft of a new funnel.
func (w *World) Draft(name string, bundle any) (id string, revision any) {
	w.Helper()
	made := w.Call(201, "POST", "/funnels", object{"name": name})
	id = made.Text("funnel.id")
	draft := w.document(bundle)
	draft["revision"] = made.Get("revision")
	saved := w.Call(200, "PUT", "/funnels/"+id+"/draft", draft)
	return id, saved.Get("revision")
}

// Refused requires that publishing a bundle is refused with a problem of a code at a node.
func (w *World) Refused(bundle any, code, node string) {
	w.Helper()
	id, revision := w.Draft("Refused", bundle)
	got := w.Call(422, "POST", "/funnels/"+id+"/publish", object{"revision": revision, "accept_warnings": true})
	problems, _ := got.Get("problems").([]any)
	for _, one := range problems {
		problem, _ := one.(object)
		if problem["code"] == code && problem["severity"] == "error" && (node == "" || problem["node"] == node) {
			return
		}
	}
	require.Fail(w, "it was refused for another reason", "wanted %s at %s: %s", code, node, got.Body)
}

func (w *World) document(bundle any) object {
	w.Helper()
	if d, ok := bundle.(object); ok && d["graph"] != nil {
		return maps.Clone(d)
	}
	text, err := json.Marshal(bundle)
	if raw, ok := bundle.(string); ok {
		text = []byte(raw)
	}
	require.NoError(w, err)
	var d object
	require.NoError(w, json.Unmarshal(text, &d))
	delete(d, "workspace")
	if d["creatives"] == nil {
		d["creatives"] = object{}
	}
	return d
}

// Line is the graph of steps one after the other behind an entry with one trigger. A step is a node without id or name: its id is
// its kind, a hyphen and its place among the steps, from 1. Each is left by its first port, or by the one named "leave".
func Line(trigger object, steps ...object) object {
	entry := object{"id": "entry", "kind": "entry", "name": "Start", "config": object{"triggers": []any{trigger}, "reentry": object{"rule": "after_exit"}}}
	nodes, edges := []any{entry}, []any{}
	last, port := "entry", "next"
	for i, step := range steps {
		step = maps.Clone(step)
		id := strings.ReplaceAll(fmt.Sprintf("%s-%d", step["kind"], i+1), "_", "-")
		edges = append(edges, object{"from": last, "port": port, "to": id})
		last, port = id, "next"
		if leave, ok := step["leave"].(string); ok {
			port = leave
			delete(step, "leave")
		}
		step["id"] = id
		if step["name"] == nil {
			step["name"] = id
		}
		nodes = append(nodes, step)
	}
	return object{"graph": object{"schema": 1, "nodes": nodes, "edges": edges}, "creatives": object{}}
}

// Step is a node of a kind for Line.
func Step(kind string, config object) object { return object{"kind": kind, "config": config} }

// On is the trigger of an event sent by the API.
func On(event string) object { return object{"kind": "api_event", "name": event} }

// Tag registers a tag and is the step that puts it on: the plainest proof that a run came by.
func (w *World) Tag(slug string) object {
	w.Helper()
	w.Call(201, "POST", "/tags", object{"name": slug})
	return Step("add_tag", object{"tag": "tag:" + slug})
}

// Contact makes a contact who agreed to every channel and answers its id. more are further members of the request.
func (w *World) Contact(email string, more ...object) string {
	w.Helper()
	consents := []object{}
	for _, channel := range []string{"email", "sms", "whatsapp", "push", "letter"} {
		consents = append(consents, object{"channel": channel, "state": "granted", "source": "test"})
	}
	body := object{"email": email, "consents": consents}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return w.Call(201, "POST", "/contacts", body).Text("id")
}

// Event sends one event about somebody, known by e-mail.
func (w *World) Event(email, name string, props object) Answer {
	w.Helper()
	got := w.Call(200, "POST", "/events", object{"name": name, "contact": object{"email": email}, "properties": props})
	require.Equal(w, "accepted", got.Get("results.0.status"), got.Body)
	return got
}

// Settle works everything off that is due.
func (w *World) Settle() {
	w.Helper()
	require.NoError(w, w.App.Worker.Settle(w.Context()))
}

// To moves business time to an instant, working everything off on the way.
func (w *World) To(at time.Time) {
	w.Helper()
	require.NoError(w, timeline.Walk(w.Context(), w.DB, w.Clock, at, w.App.Worker.Settle))
}

// After is To so long after now.
func (w *World) After(d time.Duration) {
	w.Helper()
	w.To(w.Clock.Now().Add(d))
}

// Tags are somebody's tags, in order.
func (w *World) Tags(contact string) []string {
	w.Helper()
	return w.list("/contacts/"+contact, "tags")
}

// Lists are the lists somebody is on, in order.
func (w *World) Lists(contact string) []string {
	w.Helper()
	return w.list("/contacts/"+contact, "lists")
}

func (w *World) list(path, member string) []string {
	w.Helper()
	names := []string{}
	all, _ := w.Call(200, "GET", path, nil).Get(member).([]any)
	for _, one := range all {
		names = append(names, fmt.Sprint(one))
	}
	slices.Sort(names)
	return names
}

// Run is the newest run of somebody in a funnel, with its journal.
func (w *World) Run(funnel, contact string) Answer {
	w.Helper()
	id := w.Call(200, "GET", "/runs?funnel="+funnel+"&contact="+contact, nil).Text("items.0.id")
	return w.Call(200, "GET", "/runs/"+id, nil)
}

// SMTP lets the workspace's mails leave to a real SMTP conversation with the answered server.
func (w *World) SMTP() *smtptest.Sink {
	w.Helper()
	sink := smtptest.New(w.TB)
	w.Call(200, "PUT", "/providers/smtp", object{"enabled": true, "host": sink.Host, "port": sink.Port, "security": "none", "rate_per_second": 1000})
	w.Call(200, "PATCH", "/workspace", object{"address": "Street 1, Kraków"})
	w.Call(200, "POST", "/workspace/go-live", object{"warmup": "known"})
	return sink
}

// Email is a creative with a footer.
func Email(subject, text string) object {
	return object{"channel": "email", "name": subject, "subject": subject, "blocks": []object{
		{"id": "b1", "type": "heading", "text": text, "level": 1}, {"id": "b9", "type": "footer"},
	}}
}

// Audit requires that no invariant is broken.
func (w *World) Audit() {
	w.Helper()
	found, err := auditor.Audit(w.Context(), w.DB, auditor.Options{Due: w.Clock.Now(), Machine: clock.Machine{}.Now()})
	require.NoError(w, err)
	require.Empty(w, found)
}

// DBCount is the single number a query selects.
func (w *World) DBCount(sql string, args ...any) (n int) {
	w.Helper()
	require.NoError(w, w.DB.QueryRow(w.Context(), sql, args...).Scan(&n))
	return n
}

// Admin are the headers of the administrator, for Request.
func (w *World) Admin() []string {
	return []string{"Cookie", "lejek_session=" + w.session, "Lejek-Workspace", w.Workspace.String()}
}

func decodeHeader(t testing.TB, raw string) string {
	t.Helper()
	text, err := new(mime.WordDecoder).DecodeHeader(raw)
	require.NoError(t, err)
	return text
}
