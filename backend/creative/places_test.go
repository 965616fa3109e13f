package creative

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEachPlaceOfAHoleIsKnown(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]string{
		`<p>@</p>`:                   "text",
		`@`:                          "text",
		`<p title="a @ b">`:          "attr",
		`<p title='@'>`:              "attr",
		`<title>@</title>`:           "attr",
		`<a href="@">`:               "url",
		"<a\n\n HREF = '@' class=x>": "url",
		`<img alt="@" src="@"/>`:     "attr url",
		`<td background="@">`:        "url",
		`<a href="https://x/@">`:     "! inside a part of an address",
		`<a href=@>`:                 "! in an attribute without quotes",
		`<a @="x">`:                  "! in the name of an attribute",
		`<@>`:                        "! in the name of a tag",
		`<b@>`:                       "! in the name of a tag",
		`</b @>`:                     "! inside a tag that takes no values",
		`<p style="color:@">`:        "! in the attribute style",
		`<p onclick="@">`:            "! in the attribute onclick",
		`<img srcset="@">`:           "! in the attribute srcset",
		`<style>@</style>`:           "! inside <style>",
		`<script>@</script>`:         "! inside <script>",
		`<style>a</style>@`:          "text",
		`<!-- @ -->`:                 "! inside a comment",
		`<!doctype @>`:               "! inside a tag that takes no values",
		`<!--[if mso]><a href="@">@</a><![endif]-->`: "url text",
		`<!--[if @]><b>x</b><![endif]-->`:            "! inside a comment",
		`<!--[if !mso]><!-->@<!--<![endif]-->`:       "text",
		`<!--[if mso]><style>@</style><![endif]-->@`: "! inside <style> text",
		`<p title="a>@">@`:                           "attr text",
	} {
		tokens := newTokens("")
		source := document
		for strings.Contains(source, "@") {
			source = strings.Replace(source, "@", tokens.add(tokenValue{}), 1)
		}
		var got []string
		for i, found := range locate(source, tokens) {
			require.Equal(t, i, found.index, document)
			require.True(t, strings.HasPrefix(source[found.at:], tokens.mark), document)
			if found.fault != "" {
				got = append(got, "! "+found.fault)
				continue
			}
			got = append(got, string(found.place))
		}
		require.Equal(t, want, strings.Join(got, " "), document)
	}
}

func TestTokensOccurNowhereElse(t *testing.T) {
	t.Parallel()
	tokens := newTokens("LQ0000LQ and LQQ")
	require.Equal(t, "LQQQ", tokens.mark)
	first, second := tokens.add(tokenValue{}), tokens.add(tokenValue{})
	start, end, index := tokens.next(first+second, 0)
	require.Equal(t, []int{0, len(first), 0}, []int{start, end, index})
	start, _, index = tokens.next(first+second, end)
	require.Equal(t, []int{len(first), 1}, []int{start, index})
	start, _, _ = tokens.next("LQQQ0009LQQQ", 0)
	require.Equal(t, -1, start)
}
