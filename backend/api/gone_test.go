package api_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
)

// leaving is the body of somebody who goes away once it is read.
type leaving struct {
	io.Reader

	leave func()
}

func (l leaving) Read(p []byte) (int, error) {
	n, err := l.Reader.Read(p)
	if err != nil {
		l.leave()
	}
	return n, err
}

// TestWhoWentAwayIsNoFaultOfOurs asks for a preview and a change and does not wait for the answer: no failure is logged, and the change may be
// asked for again with the same key.
func TestWhoWentAwayIsNoFaultOfOurs(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := setup(t, func(d *api.Deps) { d.Logger = slog.New(slog.NewJSONHandler(&log, nil)) })
	for path, body := range map[string]string{
		"/creatives/preview": `{"creative": {"channel": "email", "subject": "Hello", "blocks": [{"id": "f", "type": "footer"}]}}`,
		"/funnels":           `{"name": "Once"}`,
	} {
		ctx, leave := context.WithCancel(t.Context())
		request := httptest.NewRequestWithContext(ctx, http.MethodPost, api.Prefix+path, leaving{strings.NewReader(body), leave})
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Idempotency-Key", "once"+path)
		request.Header.Set("Lejek-Workspace", b.workspace.String())
		request.AddCookie(&http.Cookie{Name: "lejek_session", Value: b.admin.session})
		given := httptest.NewRecorder()
		b.server.ServeHTTP(given, request)
		require.Equal(t, 499, given.Code, "%s: %s", path, given.Body)
	}
	require.NotContains(t, log.String(), `"level":"ERROR"`)
	require.NotContains(t, log.String(), `"status":500`)
	b.do(b.admin, 201, "POST", "/funnels", object{"name": "Once"}, "Idempotency-Key", "once/funnels")
}
