package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestHandler(t *testing.T) {
	t.Parallel()
	built := handler{fstest.MapFS{
		"index.html": {Data: []byte("<p>app")}, "assets/app-1a2b.js": {Data: []byte("x")}, "icon.svg": {Data: []byte("<svg/>")},
	}}
	bare := handler{fstest.MapFS{"placeholder.html": {Data: []byte("not built")}}}
	for _, c := range []struct {
		name, path string
		handler    handler
		status     int
		body, kept string
	}{
		{"TheRootIsTheApp", "/", built, 200, "<p>app", "no-cache"},
		{"APageOfTheAppIsTheApp", "/funnels/123", built, 200, "<p>app", "no-cache"},
		{"AHashedAssetIsKeptForEver", "/assets/app-1a2b.js", built, 200, "x", "public, max-age=31536000, immutable"},
		{"AMissingAssetIsMissing", "/assets/app-old.js", built, 404, "404 page not found\n", ""},
		{"AMissingFileIsMissing", "/robots.txt", built, 404, "404 page not found\n", ""},
		{"NothingOutsideIsServed", "/../web.go", built, 404, "404 page not found\n", ""},
		{"AnUnbuiltOneSaysSo", "/", bare, 200, "not built", "no-cache"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			recorder := httptest.NewRecorder()
			c.handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://lejek.test"+c.path, nil))
			require.Equal(t, c.status, recorder.Code)
			require.Equal(t, c.body, recorder.Body.String())
			require.Equal(t, c.kept, recorder.Header().Get("Cache-Control"))
		})
	}
}
