package tracking_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/tracking"
)

var (
	links     = tracking.NewLinks([]byte("a secret of thirty-two bytes ....."), "https://l.example")
	workspace = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8057")
	message   = uuid.MustParse("01890a5d-ac96-774b-bcce-b302099a8058")
)

func TestALinkLeadsWhereTheMessageLedAndTellsNothing(t *testing.T) {
	t.Parallel()
	url := "https://shop.example/?mail=anna@example.com&x=ż"
	address := links.Click(workspace, message, 3, url)
	token, ok := strings.CutPrefix(address, "https://l.example/c/")
	require.True(t, ok)
	require.Regexp(t, `^[A-Za-z0-9_-]+$`, token)
	got, err := links.ReadClick(token)
	require.NoError(t, err)
	require.Equal(t, tracking.Target{Workspace: workspace, Message: message, Link: 3, URL: url}, got)
	require.Equal(t, address, links.Click(workspace, message, 3, url), "a second attempt carries the same bytes")
	require.NotEqual(t, address[:60], links.Click(workspace, message, 4, url)[:60])
	_, err = links.ReadOpen(token)
	require.ErrorIs(t, err, tracking.ErrToken, "a link is no picture")
	_, err = tracking.NewLinks([]byte("another secret"), "https://l.example").ReadClick(token)
	require.ErrorIs(t, err, tracking.ErrToken)
	long := "https://shop.example/" + strings.Repeat("a", 5000)
	require.Equal(t, long, links.Click(workspace, message, 0, long))
}

func TestSecurity_09_EveryChangeOfALinkIsNoticed(t *testing.T) {
	t.Parallel()
	token := strings.TrimPrefix(links.Click(workspace, message, 0, "https://shop.example/"), "https://l.example/c/")
	for i := range token {
		for _, c := range "A_" {
			changed := token[:i] + string(c) + token[i+1:]
			if changed == token {
				continue
			}
			_, err := links.ReadClick(changed)
			require.ErrorIs(t, err, tracking.ErrToken, "at %d", i)
		}
	}
	for _, bad := range []string{"", "x", token[1:], token + "A", token[:40], strings.Repeat("A", 9000)} {
		_, err := links.ReadClick(bad)
		require.ErrorIs(t, err, tracking.ErrToken)
	}
}

func TestAShortLinkIsShortAndTheSameEachTime(t *testing.T) {
	t.Parallel()
	address, code := links.Short(workspace, message, 0)
	require.Equal(t, "https://l.example/s/"+code, address)
	require.True(t, tracking.IsCode(code), code)
	_, again := links.Short(workspace, message, 0)
	require.Equal(t, code, again)
	_, other := links.Short(workspace, message, 1)
	require.NotEqual(t, code, other)
	for _, bad := range []string{"", "short", "12345678901", "../../etc/", "żżżżż"} {
		require.False(t, tracking.IsCode(bad), bad)
	}
}

func TestAMailIsWatchedAtItsEnd(t *testing.T) {
	t.Parallel()
	html := links.Watch(workspace, message, "<html><body><p>Hi</p></body></html>")
	require.True(t, strings.HasPrefix(html, "<html><body><p>Hi</p><div"))
	require.True(t, strings.HasSuffix(html, "</body></html>"))
	require.Contains(t, html, links.Open(workspace, message))
	require.Contains(t, links.Watch(workspace, message, "Hi"), "/o/")
}

func FuzzReadClick(f *testing.F) {
	f.Add(strings.TrimPrefix(links.Click(workspace, message, 0, "https://shop.example/"), "https://l.example/c/"))
	f.Add("")
	f.Add(strings.Repeat("A", 72))
	f.Fuzz(func(t *testing.T, token string) {
		target, err := links.ReadClick(token)
		if err != nil {
			require.ErrorIs(t, err, tracking.ErrToken)
			return
		}
		address := links.Click(target.Workspace, target.Message, target.Link, target.URL)
		require.Equal(t, "https://l.example/c/"+token, address, "only what was made here is read")
		_, err = links.ReadOpen(token)
		require.ErrorIs(t, err, tracking.ErrToken)
	})
}

func BenchmarkClick(b *testing.B) {
	for b.Loop() {
		links.Click(workspace, message, 1, "https://shop.example/cart/7?utm_source=mail")
	}
}
