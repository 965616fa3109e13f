package splice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/splice"
)

func TestPartsComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	source := "<p>Hello , see <a href=\"\">this</a></p></body>"
	html := []splice.Part{{From: 0, To: 9, Text: "Żaneta"}, {From: 9, To: 24, Text: "https://x.example/a"}, {From: 24, To: len(source), Text: ""}}
	whole, err := splice.Join(source, html)
	require.NoError(t, err)
	require.Equal(t, "<p>Hello Żaneta, see <a href=\"https://x.example/a\">this</a></p></body>", whole)
	text := []splice.Part{{From: 0, To: 3, Text: "https://x.example/a"}}
	raw := splice.Encode(html, text)
	require.Less(t, len(raw), 60, "the address is kept once")
	lists, err := splice.Decode(raw, 2)
	require.NoError(t, err)
	require.Equal(t, [][]splice.Part{html, text}, lists)
	for at := range len(whole) + 1 {
		with, err := splice.Join(source, splice.Insert(html, at, "<img>"))
		require.NoError(t, err)
		require.Equal(t, whole[:at]+"<img>"+whole[at:], with, "at %d", at)
	}
	_, err = splice.Join("short", html)
	require.Error(t, err)
}

func FuzzDecode(f *testing.F) {
	f.Add(splice.Encode([]splice.Part{{From: 0, To: 3, Text: "a"}}, nil))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, raw []byte) {
		lists, err := splice.Decode(raw, 2)
		if err == nil {
			for _, list := range lists {
				_, _ = splice.Join("a source", list)
			}
		}
	})
}
