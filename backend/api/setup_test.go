package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/campaigns"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/config"
	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/drafts"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/backend/funnels"
	"github.com/lejek/lejek/backend/inbound"
	seen "github.com/lejek/lejek/backend/outbox"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/preferences"
	"github.com/lejek/lejek/backend/rehearse"
	"github.com/lejek/lejek/backend/segments"
	"github.com/lejek/lejek/backend/signed"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/backend/tracking"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/backend/worker"
	"github.com/lejek/lejek/engine"
)

const (
	adminEmail    = "anna@example.com"
	adminPassword = "correct horse battery"
	baseURL       = "http://lejek.test"
)

// testSecret is the installation's.
var testSecret = []byte("a secret of thirty-two bytes, more or less")

// testBundle is a server on a database of its own under the manual clock, with its first administrator signed in.
type testBundle struct {
	t         *testing.T
	db        *pgxpool.Pool
	clock     *clock.Manual
	auth      *auth.Auth
	worker    *worker.Worker
	tasks     *tasks.Tasks
	drafts    *drafts.Drafts
	texts     *wording.Desk
	server    *api.Server
	workspace uuid.UUID
	admin     caller
	mails     *outbox
	machine   *machine
	logger    *slog.Logger // errors, into the test's output

	registerOnce sync.Once
}

// caller is who makes the requests of a test: a person with a cookie, or a program with a token.
type caller struct {
	session   string
	token     string
	workspace uuid.UUID
}

// machine is real time that a test may push forward.
type machine struct{ ahead time.Duration }

func (m *machine) Now() time.Time { return time.Now().UTC().Add(m.ahead) }

// outbox keeps the mails of the installation.
type outbox struct{ texts chan string }

func (o *outbox) SendPlain(_ context.Context, _, _, text string) error {
	o.texts <- text
	return nil
}

func setup(t *testing.T, changes ...func(*api.Deps)) *testBundle {
	t.Helper()
	b := &testBundle{t: t, db: storetest.DB(t), mails: &outbox{texts: make(chan string, 64)}, machine: &machine{}}
	b.logger = slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	logger := b.logger
	var err error
	b.clock, err = clock.NewManual(t.Context(), b.db, storetest.Now)
	require.NoError(t, err)
	require.NoError(t, events.Prepare(t.Context(), b.db, storetest.Now))
	b.auth = auth.New(auth.Options{DB: b.db, Machine: b.machine, BaseURL: baseURL, Mail: b.mails, Logger: logger})
	t.Cleanup(b.auth.Wait)
	b.tasks, err = tasks.New(b.db, b.clock, logger)
	require.NoError(t, err)
	b.worker, err = worker.New(worker.Config{
		Pool: b.db, Clock: b.clock, Secret: testSecret, BaseURL: baseURL, Logger: logger, Role: "serve",
		Dialer: delivery.Dialer{Private: true},
	})
	require.NoError(t, err)
	b.tasks.Register(b.worker.People.ImportTask())
	b.tasks.Register(b.worker.People.RefusalsTask())
	b.tasks.Register(rehearse.Task(b.db))
	b.drafts = drafts.New(drafts.Options{
		Tasks: b.tasks, DB: b.db, Clock: b.clock, Machine: b.machine, Drafter: drafts.NewDrafter(config.AI{}), Secret: []byte("a secret of thirty-two bytes, more or less"), Logger: logger,
		Names: func(ctx context.Context, workspace uuid.UUID) (*engine.Workspace, error) {
			return funnels.References(ctx, b.db, workspace)
		},
		Base: func(ctx context.Context, workspace, funnel uuid.UUID) (string, engine.Bundle, error) {
			current, err := funnels.New(b.db, b.clock, nil).Get(ctx, workspace, funnel)
			return current.Head.Name, engine.Bundle{Graph: current.Document.Graph, Creatives: current.Document.Creatives}, err
		},
	})
	b.texts = &wording.Desk{
		Wording: b.worker.Wording, Tasks: b.tasks, Price: b.drafts.Price,
		Draft: func(ctx context.Context, workspace, funnel uuid.UUID) (engine.Graph, error) {
			current, err := funnels.New(b.db, b.clock, nil).Get(ctx, workspace, funnel)
			return current.Document.Graph, err
		},
	}
	b.tasks.Register(b.texts.Task())
	b.worker.Wording.Own, b.worker.Wording.Watch = b.drafts.Writer, b.drafts.WatchTexts
	b.server = b.newServer(changes...)
	token, _, made, err := b.auth.Setup(t.Context(), b.clock, auth.SetupInput{
		Name: "Anna", Email: adminEmail, Password: adminPassword, Workspace: "Acme",
	})
	require.NoError(t, err)
	b.workspace, b.admin = made.ID, caller{session: token, workspace: made.ID}
	return b
}

func (b *testBundle) newServer(changes ...func(*api.Deps)) *api.Server {
	b.t.Helper()
	deps := api.Deps{
		DB: b.db, Clock: b.clock, Machine: b.machine, Auth: b.auth, Logger: b.logger, BaseURL: baseURL,
		People: b.worker.People, Runner: b.worker.Runner, Reactor: b.worker.Reactor, Delivery: b.worker.Deliverer, Tracking: b.worker.Tracker, Connections: b.worker.Connections, Reports: b.worker.Reports, Tasks: b.tasks,
		Receipts: b.worker.Receipts, Webhooks: b.worker.Webhooks, Mailboxes: b.worker.Mailboxes,
		Domains:     &tracking.Domains{DB: b.db, Secret: testSecret, BaseURL: baseURL, Get: b.worker.Connections.Client.Do, Resolver: net.DefaultResolver},
		Preferences: &preferences.Preferences{DB: b.db, Clock: b.clock, People: b.worker.People, Key: signed.NewKey(testSecret), BaseURL: baseURL},
		Funnels:     funnels.New(b.db, b.clock, compile),
		Drafts:      b.drafts,
		Texts:       b.texts,
		Inbound: inbound.New(inbound.Options{
			DB: b.db, Clock: b.clock, Machine: b.machine, People: b.worker.People, Reactor: b.worker.Reactor,
			Secret: testSecret, BaseURL: baseURL,
		}),
		Segments: segments.New(segments.Options{DB: b.db, Clock: b.clock, Hash: people.NewSuppressionKey(testSecret).Hash, References: funnels.References}),
	}
	deps.Campaigns = campaigns.New(campaigns.Options{DB: b.db, Clock: b.clock, Segments: deps.Segments, Compile: compile, Tasks: b.tasks, Foresee: b.worker.Deliverer.Foresee})
	b.registerOnce.Do(func() { b.tasks.Register(deps.Campaigns.FreezeTask()) })
	deps.Outbox = seen.New(seen.Options{DB: b.db, Clock: b.clock, Compile: compile})
	for _, change := range changes {
		change(&deps)
	}
	server, err := api.New(deps)
	require.NoError(b.t, err)
	return server
}

func compile(c engine.Creative) (funnels.Compiled, []engine.Problem, error) {
	artifact, problems, err := creative.Compile(context.Background(), c, creative.Options{})
	if err != nil {
		return funnels.Compiled{}, problems, err
	}
	raw, err := json.Marshal(artifact)
	return funnels.Compiled{Hash: artifact.Hash, Artifact: raw}, problems, err
}

// settle works everything off that is due.
func (b *testBundle) settle() {
	b.t.Helper()
	for {
		done := 0
		for _, job := range b.worker.Jobs() {
			n, err := job.DrainAll(b.t.Context())
			require.NoError(b.t, err)
			done += n
		}
		if done == 0 {
			return
		}
	}
}

// member is a person with a role in the workspace, signed in.
func (b *testBundle) member(role auth.Role) caller {
	b.t.Helper()
	email := string(role) + "-" + strings.ToLower(uuid.NewString()[:8]) + "@example.com"
	_, url, _, err := b.auth.Invite(b.t.Context(), b.workspace, nil, email, role)
	require.NoError(b.t, err)
	<-b.mails.texts
	token, _, _, err := b.auth.Accept(b.t.Context(), url[strings.LastIndex(url, "/")+1:], "", "a long enough password", "", "192.0.2.9")
	require.NoError(b.t, err)
	return caller{session: token, workspace: b.workspace}
}

// token is a program with scopes.
func (b *testBundle) token(scopes ...auth.Scope) caller {
	b.t.Helper()
	_, secret, err := b.auth.CreateToken(b.t.Context(), b.db, b.workspace, nil, auth.TokenInput{Name: "test", Scopes: scopes, Pub: len(scopes) == 0})
	require.NoError(b.t, err)
	return caller{token: secret}
}

// other is another workspace with an administrator of its own, in the same database.
func (b *testBundle) other() caller {
	b.t.Helper()
	id := storetest.Workspace(b.t, b.db)
	_, url, _, err := b.auth.Invite(b.t.Context(), id, nil, "olga-"+uuid.NewString()[:8]+"@example.com", auth.Admin)
	require.NoError(b.t, err)
	<-b.mails.texts
	token, _, _, err := b.auth.Accept(b.t.Context(), url[strings.LastIndex(url, "/")+1:], "", "a long enough password", "", "192.0.2.8")
	require.NoError(b.t, err)
	return caller{session: token, workspace: id}
}

// answer is what came back.
type answer struct {
	*httptest.ResponseRecorder
}

func (a answer) into(t *testing.T, target any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(a.Body.Bytes(), target), a.Body.String())
}

// get reads a path of the JSON answer, such as "items.0.id".
func (a answer) get(t *testing.T, path string) any {
	t.Helper()
	var at any
	a.into(t, &at)
	for part := range strings.SplitSeq(path, ".") {
		switch in := at.(type) {
		case map[string]any:
			at = in[part]
		case []any:
			i, err := strconv.Atoi(part)
			require.NoError(t, err)
			require.Greater(t, len(in), i, a.Body.String())
			at = in[i]
		default:
			require.Fail(t, "no "+path+" in "+a.Body.String())
		}
	}
	return at
}

// call makes one request; body may be nil, a string as it is, or a value for JSON.
func (b *testBundle) call(as caller, method, path string, body any, headers ...string) answer {
	b.t.Helper()
	var reader io.Reader
	switch body := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(body)
	default:
		text, err := json.Marshal(body)
		require.NoError(b.t, err)
		reader = bytes.NewReader(text)
	}
	request := httptest.NewRequestWithContext(b.t.Context(), method, path, reader)
	request.RemoteAddr = "192.0.2.1:4711"
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if as.session != "" {
		request.AddCookie(&http.Cookie{Name: "lejek_session", Value: as.session})
	}
	if as.workspace != uuid.Nil {
		request.Header.Set("Lejek-Workspace", as.workspace.String())
	}
	if as.token != "" {
		request.Header.Set("Authorization", "Bearer "+as.token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	recorder := httptest.NewRecorder()
	b.server.ServeHTTP(recorder, request)
	return answer{recorder}
}

// do is call with the expected status, below /api/v1.
func (b *testBundle) do(as caller, status int, method, path string, body any, headers ...string) answer {
	b.t.Helper()
	got := b.call(as, method, api.Prefix+path, body, headers...)
	require.Equal(b.t, status, got.Code, "%s %s: %s", method, path, got.Body.String())
	requireContract(b.t, method, path, got)
	return got
}

type object = map[string]any
