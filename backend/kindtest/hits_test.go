package kindtest

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// person is how a browser says what it is.
const person = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36"

var (
	pixelPattern = regexp.MustCompile(`<img src="[^"]*(/o/[\w-]+)"`)
	trapPattern  = regexp.MustCompile(`<a href="[^"]*(/c/[\w-]+)" tabindex="-1"`)
	linkPattern  = regexp.MustCompile(`href="[^"]*(/c/[\w-]+)"`)
)

// mailed publishes a mail with two links and sends it to Anna; it answers her and the mail.
func (w *World) mailed(name string) (anna string, mail Answer) {
	w.Helper()
	creative := Email("Hello", "Hello")
	creative["blocks"] = append([]any{
		object{"id": "one", "type": "button", "text": "One", "url": "https://shop.example/one?mail={{ email }}"},
		object{"id": "two", "type": "button", "text": "Two", "url": "https://shop.example/two"},
		object{"id": "write", "type": "button", "text": "Write", "url": "mailto:shop@example.com"},
	}, blocksOf(creative)...)
	w.Funnel(name, mailLine(creative, nil))
	anna = w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	return anna, w.only(anna)
}

func blocksOf(creative object) []any {
	switch blocks := creative["blocks"].(type) {
	case []any:
		return blocks
	case []object:
		all := make([]any, len(blocks))
		for i, block := range blocks {
			all[i] = block
		}
		return all
	}
	return nil
}

func first(t testing.TB, pattern *regexp.Regexp, html string) string {
	t.Helper()
	found := pattern.FindStringSubmatch(html)
	require.NotNil(t, found, "no %s in %s", pattern, html)
	return found[1]
}

// links are the paths of the tracked links, in order.
func trackedLinks(html string) []string {
	var paths []string
	for _, found := range linkPattern.FindAllStringSubmatch(html, -1) {
		paths = append(paths, found[1])
	}
	return paths
}

func TestKind_message_opened_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag, anyone := w.Tag("reader"), w.Tag("any-reader")
	anna, mail := w.mailed("Mails")
	w.Funnel("Readers", Line(object{"kind": "message_opened", "message": "mails/send-email-1"}, tag))
	w.Funnel("All readers", Line(object{"kind": "message_opened", "message": "any"}, anyone))
	w.After(time.Minute)
	for range 3 {
		got := w.Request("GET", first(t, pixelPattern, mail.Text("html")), nil, "User-Agent", person)
		require.Equal(t, 200, got.Status)
		require.Equal(t, "image/gif", got.Header.Get("Content-Type"))
		require.Contains(t, got.Header.Get("Cache-Control"), "no-store")
	}
	w.After(10 * time.Second)
	require.Equal(t, []string{"any-reader", "reader"}, w.Tags(anna))
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM events WHERE name = 'message_opened'"), "the first time only")
	require.Equal(t, true, w.only(anna).Get("message.opened"))
	require.Equal(t, "human", w.only(anna).Text("hits.2.class"))
	w.Audit()
}

func TestKind_message_opened_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("reader")
	anna, mail := w.mailed("Mails")
	w.Funnel("Readers", Line(object{"kind": "message_opened", "message": "any"}, tag))
	w.Funnel("Others", Line(object{"kind": "message_opened", "message": "mails/another"}, w.Tag("other")))
	pixel := first(t, pixelPattern, mail.Text("html"))
	w.Request("GET", pixel, nil, "User-Agent", person) // at the instant of its delivery
	w.After(time.Minute)
	w.Request("GET", pixel, nil, "User-Agent", "Mozilla/5.0")
	w.Request("GET", pixel, nil, "User-Agent", "Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)")
	w.Request("HEAD", pixel, nil, "User-Agent", person)
	require.Equal(t, 200, w.Request("GET", pixel+"x", nil, "User-Agent", person).Status, "a broken picture helps nobody")
	w.After(10 * time.Second)
	require.Empty(t, w.Tags(anna), "none of them is a person")
	got := w.only(anna)
	for i, reason := range []string{"too_soon", "apple", "proxy", "head"} {
		require.Equal(t, "machine", got.Text("hits."+string(rune('0'+i))+".class"))
		require.Equal(t, reason, got.Text("hits."+string(rune('0'+i))+".reason"))
	}
	require.Equal(t, false, got.Get("message.opened"))
	w.Call(200, "POST", "/messages/"+got.Text("message.id")+"/act", object{"act": "open"})
	w.Settle()
	require.Equal(t, []string{"reader"}, w.Tags(anna), "played in the Test inbox")
	w.Audit()
}

func TestKind_message_opened_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("reader")
	w.Refused(Line(object{"kind": "message_opened", "message": "mail-1"}, tag), "FIELD_INVALID", "entry")
	w.Refused(Line(object{"kind": "message_opened", "message": "nowhere/mail-1"}, tag), "REF_MISSING", "entry")
}

func TestKind_link_clicked_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	one, two := w.Tag("one"), w.Tag("two")
	anna, mail := w.mailed("Mails")
	w.Funnel("First", Line(object{"kind": "link_clicked", "message": "mails/send-email-1", "link": "https://shop.example/one*"}, one))
	w.Funnel("Second", Line(object{"kind": "link_clicked", "message": "any", "link": "https://shop.example/two"}, two))
	w.After(time.Minute)
	html := mail.Text("html")
	require.Contains(t, html, "mailto:shop@example.com")
	require.Contains(t, html, w.URL+"/u/", "the way out is left alone")
	require.NotContains(t, html, "anna%40example.com", "no address of a person stands in a link")
	paths := trackedLinks(html)
	got := w.Request("GET", paths[0], nil, "User-Agent", person)
	require.Equal(t, 302, got.Status)
	require.Equal(t, "https://shop.example/one?mail=anna%40example.com", got.Header.Get("Location"))
	w.Request("GET", paths[0], nil, "User-Agent", person)
	w.After(10 * time.Second)
	require.Equal(t, []string{"one"}, w.Tags(anna))
	w.Request("GET", paths[1], nil, "User-Agent", person)
	w.After(10 * time.Second)
	require.Equal(t, []string{"one", "two"}, w.Tags(anna))
	require.Equal(t, 2, w.DBCount("SELECT count(*) FROM events WHERE name = 'link_clicked'"), "each link once")
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM events WHERE name = 'message_opened'"), "who clicks has opened")
	w.Call(204, "DELETE", "/contacts/"+anna, nil)
	require.Equal(t, 302, w.Request("GET", paths[1], nil, "User-Agent", person).Status, "links outlive the person")
	w.Audit()
}

func TestKind_link_clicked_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	tag := w.Tag("clicked")
	anna, mail := w.mailed("Mails")
	w.Funnel("Clickers", Line(object{"kind": "link_clicked", "message": "any"}, tag))
	w.After(time.Minute)
	paths := trackedLinks(mail.Text("html"))
	trap := first(t, trapPattern, mail.Text("html"))
	require.Equal(t, 204, w.Request("GET", trap, nil, "User-Agent", person).Status)
	w.Request("GET", paths[0], nil, "User-Agent", person) // beside the trap
	w.After(time.Minute)
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM hits WHERE trap AND class = 'machine' AND reason = 'trap'"), "the trap is kept as such")
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM hits WHERE NOT trap AND class = 'machine' AND reason = 'near_trap'"), "and speaks against who is beside it")
	w.Request("GET", paths[0], nil, "User-Agent", "python-requests/2.32")
	w.Request("GET", paths[1], nil, "User-Agent", person, "Sec-Purpose", "prefetch;prerender")
	w.After(time.Minute)
	require.Empty(t, w.Tags(anna))
	require.Zero(t, w.DBCount("SELECT count(*) FROM events WHERE name IN ('link_clicked', 'message_opened')"))
	token := strings.TrimPrefix(paths[0], "/c/")
	for _, bad := range []string{token[:len(token)-2], "x" + token[1:], "https%3A%2F%2Fevil.example"} {
		require.Equal(t, 404, w.Request("GET", "/c/"+bad, nil, "User-Agent", person).Status, "nobody else makes links that lead away")
	}
	w.Audit()
}

func TestKind_link_clicked_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(object{"kind": "link_clicked", "message": "nowhere/mail-1"}, w.Tag("x")), "REF_MISSING", "entry")
}

func TestAWorkspaceMayWantToNoticeNothing(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(200, "PATCH", "/workspace", object{"tracking": false})
	_, mail := w.mailed("Mails")
	require.NotContains(t, mail.Text("html"), "/o/")
	require.NotContains(t, mail.Text("html"), "/c/")
	require.Contains(t, mail.Text("html"), "https://shop.example/two")
}
