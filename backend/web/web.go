// Package web serves the built interface, which lies in dist and is embedded. A clone that never built it has only a page that says so.
package web

import (
	"bytes"
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

//go:embed all:dist
var dist embed.FS

const (
	index       = "index.html"
	placeholder = "placeholder.html"
	assets      = "assets/" // Vite puts a hash of the content into these names
)

// Handler serves the embedded interface.
func Handler() http.Handler {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return handler{files}
}

type handler struct{ files fs.FS }

// Built says whether the interface was there when the program was compiled.
func Built() bool {
	_, err := fs.Stat(dist, "dist/"+index)
	return err == nil
}

// ServeHTTP answers a file; a path without one is a page of the interface, which finds its way itself. A missing asset is missing: an old page must
// not take the new index for its script.
func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(path.Clean("/"+r.URL.Path), "/")
	body, err := fs.ReadFile(h.files, name)
	switch {
	case err == nil && name != placeholder:
		h.serve(w, r, name, body)
	case strings.HasPrefix(name, assets), path.Ext(name) != "" && name != placeholder:
		http.NotFound(w, r)
	default:
		h.page(w, r)
	}
}

func (h handler) page(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{index, placeholder} {
		if body, err := fs.ReadFile(h.files, name); err == nil {
			h.serve(w, r, index, body)
			return
		}
	}
	http.NotFound(w, r)
}

func (h handler) serve(w http.ResponseWriter, r *http.Request, name string, body []byte) {
	header := w.Header()
	if strings.HasPrefix(name, assets) {
		header.Set("Cache-Control", "public, max-age=31536000, immutable")
	} else {
		header.Set("Cache-Control", "no-cache")
	}
	kind := mime.TypeByExtension(path.Ext(name))
	if kind == "" {
		kind = http.DetectContentType(body)
	}
	header.Set("Content-Type", kind)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}
