package api_test

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/auth"
)

// open starts a real server and one stream on it, and answers the lines it sends.
func (b *testBundle) open(path string) <-chan string {
	b.t.Helper()
	server := httptest.NewServer(b.server)
	b.t.Cleanup(server.Close)
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, server.URL+"/api/v1"+path, nil)
	require.NoError(b.t, err)
	request.AddCookie(&http.Cookie{Name: "lejek_session", Value: b.admin.session})
	response, err := http.DefaultClient.Do(request)
	require.NoError(b.t, err)
	b.t.Cleanup(func() { _ = response.Body.Close() })
	require.Equal(b.t, 200, response.StatusCode)
	require.Equal(b.t, "text/event-stream", response.Header.Get("Content-Type"))
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(response.Body); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	require.Equal(b.t, ": hello", <-lines)
	return lines
}

// next is the next line that begins with prefix.
func next(t *testing.T, lines <-chan string, prefix string) string {
	t.Helper()
	timeout := time.NewTimer(20 * time.Second)
	defer timeout.Stop()
	for {
		select {
		case line, open := <-lines:
			require.True(t, open, "the stream ended")
			if strings.HasPrefix(line, prefix) {
				return line
			}
		case <-timeout.C:
			require.Fail(t, "nothing came")
		}
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	query := "?workspace=" + b.workspace.String()

	events, messages := b.open("/events/stream"+query), b.open("/messages/stream"+query)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	require.Equal(t, "event: event", next(t, events, "event:"))
	require.Contains(t, next(t, events, "data:"), `"name":"signup"`)
	require.Contains(t, next(t, messages, "data:"), `"to":"jan@example.com"`)

	task := b.do(b.admin, 202, "POST", "/ai/drafts", object{"prompt": "a welcome series"}).get(t, "id").(string)
	watched := b.open("/tasks/" + task + "/events" + query)
	require.Contains(t, next(t, watched, "data:"), `"state":"queued"`)
	b.do(b.admin, 200, "POST", "/tasks/"+task+"/cancel", nil)
	require.Contains(t, next(t, watched, "data:"), `"state":"cancelled"`)
	for range watched { // it ends by itself
	}

	b.server.Drain()
	for range events { // a stopping process ends its streams
	}
	require.Equal(t, 503, b.call(caller{}, "GET", "/readyz", nil).Code)
}

// TestEventLatency measures single events by a token, one after the other. The bound is loose, for a busy machine; the figure is in the log.
func TestEventLatency(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.funnel(b.admin)
	token := b.token(auth.ScopeEvents)
	const n = 200
	took := make([]time.Duration, n)
	for i := range took {
		start := time.Now()
		b.do(token, 200, "POST", "/events", object{"name": "seen", "contact": object{"external_id": string(rune('a'+i%26)) + "-" + string(rune('a'+i/26))}, "properties": object{"n": i}})
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	t.Logf("single event: p50 %s, p99 %s", took[n/2], took[n*99/100])
	require.Less(t, took[n/2], time.Second)

	batch := make([]object, 1000)
	for i := range batch {
		batch[i] = object{"name": "seen", "contact": object{"external_id": "batch-" + string(rune('a'+i%26))}, "properties": object{"n": i}}
	}
	start := time.Now()
	got := b.do(token, 200, "POST", "/events", object{"events": batch})
	t.Logf("a batch of 1000 took %s", time.Since(start))
	require.Len(t, got.get(t, "results"), 1000)
	b.do(token, 422, "POST", "/events", object{"events": slices.Concat(batch, batch[:1])})
}

func TestHealthAndMetrics(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, 204, b.call(caller{}, "GET", "/healthz", nil).Code)
	require.Equal(t, 204, b.call(caller{}, "GET", "/readyz", nil).Code)
	require.Equal(t, 404, b.call(caller{}, "GET", "/metrics", nil).Code, "not for the outside")
	local := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	local.RemoteAddr = "127.0.0.1:1"
	recorder := httptest.NewRecorder()
	b.server.ServeHTTP(recorder, local)
	require.Contains(t, recorder.Body.String(), "lejek_http_request_seconds")
	missing := b.call(caller{}, "GET", "/api/v1/nothing", nil)
	require.Equal(t, 404, missing.Code)
	require.Equal(t, "application/problem+json", missing.Header().Get("Content-Type"))
	require.Equal(t, "not_found", missing.get(t, "code"))
	require.NotEmpty(t, missing.get(t, "request_id"))
	require.Contains(t, missing.Header().Get("Content-Security-Policy"), "default-src 'self'")
}
