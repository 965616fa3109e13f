package creative

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

var update = flag.Bool("update", false, "write the golden files anew")

func welcome() engine.Creative {
	return engine.Creative{
		Channel: "email", Name: "Cart reminder",
		Subject:   `{{ first_name | default("Hello") }}, your mat is still here`,
		Preheader: "We keep it for you until {{ event.until | date(\"Monday\") }}",
		ReplyTo:   "hello@aurora.example",
		Blocks: []engine.Block{
			{ID: "h1", Type: "heading", Level: 1, Text: `{{ first_name | default("Hello") }}, you left {{ event.product }} in your cart`},
			{ID: "t1", Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[
				{"type":"paragraph","content":[{"type":"text","text":"We hold it until "},
					{"type":"variable","attrs":{"expr":"event.until | date(\"Monday, 2 January\")","fallback":"Sunday","label":"Hold ends"}},
					{"type":"text","text":", then it goes "},{"type":"text","text":"back on the shelf","marks":[{"type":"bold"}]},{"type":"text","text":"."}]},
				{"type":"bulletList","content":[
					{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"Price: {{ event.total | money(\"PLN\") }}"}]}]},
					{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"See the "},
						{"type":"text","text":"care guide","marks":[{"type":"link","attrs":{"href":"https://aurora.example/care?p={{ event.id }}"}}]}]}]}]}
			]}`)},
			{ID: "i1", Type: "image", URL: "https://aurora.example/mat.png", Alt: `The mat "Terra" & a plant`, Href: "https://aurora.example/mat"},
			{ID: "b1", Type: "button", Text: "Finish my order", URL: "{{ event.url }}"},
			{ID: "s1", Type: "spacer", Height: 12},
			{ID: "t2", Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[
				{"type":"paragraph","content":[{"type":"text","text":"Not sure about the size?"},{"type":"hardBreak"},{"type":"text","text":"Write to a person: "},
					{"type":"text","text":"hello@aurora.example","marks":[{"type":"italic"},{"type":"link","attrs":{"href":"mailto:hello@aurora.example"}}]}]},
				{"type":"orderedList","content":[
					{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"Measure"}]}]},
					{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"Roll out"}]}]}]}]}`)},
			{ID: "d1", Type: "divider"},
			{ID: "f1", Type: "footer"},
		},
	}
}

func scope() *engine.MergeScope {
	return &engine.MergeScope{
		Fields: map[string]any{"first_name": "Anna"},
		Event: map[string]any{
			"product": "Cork mat “Terra”", "until": "2026-12-06", "total": 249.0, "id": "a/1", "url": "https://aurora.example/c/8Kd2?a=1&b=2",
		},
		Workspace:      map[string]any{"name": "Studio Aurora", "address": "ul. Józefa 12\n31-056 Kraków"},
		UnsubscribeURL: "https://lejek.example/u/abc", ViewURL: "https://lejek.example/v/abc",
	}
}

func compile(t testing.TB, creative engine.Creative, options Options) (Artifact, []engine.Problem) {
	t.Helper()
	artifact, problems, err := Compile(context.Background(), creative, options)
	require.NoError(t, err)
	return artifact, problems
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "run: go test ./backend/creative -update")
	require.Equal(t, string(want), got)
}

func TestAMessageLooksAsWeKeptIt(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "pl", "ru"} {
		artifact, problems := compile(t, welcome(), Options{Language: language})
		require.Empty(t, problems)
		values := scope()
		values.Language = language
		out, err := artifact.Render(values, nil)
		require.NoError(t, err)
		golden(t, "welcome."+language+".txt", "Subject: "+out.Subject+"\nPreheader: "+out.Preheader+"\nReply-To: "+out.ReplyTo+"\n\n"+out.Text)
		if language == "en" {
			golden(t, "welcome.en.html", out.HTML+"\n")
		}
		require.NotContains(t, out.HTML, "LQ0")
		require.NotContains(t, out.HTML, "{{")
		require.NotContains(t, out.HTML, "fonts.googleapis.com")
	}
}

func TestEqualCreativesHaveEqualHashes(t *testing.T) {
	t.Parallel()
	first, _ := compile(t, welcome(), Options{})
	second, _ := compile(t, welcome(), Options{})
	require.Equal(t, first, second)
	polish, _ := compile(t, welcome(), Options{Language: "pl"})
	require.NotEqual(t, first.Hash, polish.Hash)
	changed := welcome()
	changed.Subject += "!"
	other, _ := compile(t, changed, Options{})
	require.NotEqual(t, first.Hash, other.Hash)

	raw, err := json.Marshal(first)
	require.NoError(t, err)
	var stored Artifact
	require.NoError(t, json.Unmarshal(raw, &stored))
	want, err := first.Render(scope(), nil)
	require.NoError(t, err)
	got, err := stored.Render(scope(), nil)
	require.NoError(t, err)
	require.Equal(t, want, got)
	hash := stored.Hash
	require.NoError(t, stored.seal())
	require.Equal(t, hash, stored.Hash)
}

func TestOurTextsSpeakThePersonsLanguage(t *testing.T) {
	t.Parallel()
	artifact, _ := compile(t, welcome(), Options{Language: "pl"})
	for language, want := range map[string]string{"": "Wypisz się", "de": "Wypisz się", "ru": "Отписаться", "en": "Unsubscribe"} {
		values := scope()
		values.Language = language
		out, err := artifact.Render(values, nil)
		require.NoError(t, err)
		require.Contains(t, out.HTML, ">"+want+"</a>", language)
		require.Contains(t, out.Text, want+": https://lejek.example/u/abc", language)
		require.Equal(t, want, out.Links[4].Text)
		require.Contains(t, out.HTML, `<html lang="pl"`)
	}
}

func TestLinksAreListedAndTracked(t *testing.T) {
	t.Parallel()
	artifact, _ := compile(t, welcome(), Options{})
	out, err := artifact.Render(scope(), func(i int, url string) string { return "https://t.example/?n=" + string(rune('a'+i)) + "&u=1" })
	require.NoError(t, err)
	require.Equal(t, []RenderedLink{
		{"https://aurora.example/care?p=a%2F1", "care guide"},
		{"https://aurora.example/mat", `The mat "Terra" & a plant`},
		{"https://aurora.example/c/8Kd2?a=1&b=2", "Finish my order"},
		{"mailto:hello@aurora.example", "hello@aurora.example"},
		{"https://lejek.example/u/abc", "Unsubscribe"},
		{"https://lejek.example/v/abc", "View in browser"},
	}, out.Links)
	for _, tracked := range []string{"n=a", "n=b", "n=c"} {
		require.Contains(t, out.HTML, `href="https://t.example/?`+tracked+`&amp;u=1"`)
		require.Contains(t, out.Text, `https://t.example/?`+tracked+`&u=1`)
	}
	require.Contains(t, out.HTML, `href="mailto:hello@aurora.example"`)
	require.Contains(t, out.HTML, `href="https://lejek.example/u/abc"`)
}

func TestAMissingValueNamesItsVariable(t *testing.T) {
	t.Parallel()
	artifact, _ := compile(t, welcome(), Options{})
	values := scope()
	delete(values.Event, "product")
	_, err := artifact.Render(values, nil)
	var fault *engine.MergeError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, engine.MergeMissing, fault.Fault)
	require.Equal(t, "event.product", fault.Variable)
}

func TestSecurity_11_ValuesCannotBreakOut(t *testing.T) {
	t.Parallel()
	artifact, problems := compile(t, welcome(), Options{})
	require.Empty(t, problems)
	for _, attack := range []string{
		`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`, `</title><script>alert(1)</script>`,
		`<!--[if mso]><script>alert(1)</script><![endif]-->`, `--><script>alert(1)</script>`, `{{ first_name }}`, `LQ0001LQ`, `]]>`, "a\x00b<b>",
	} {
		values := scope()
		values.Fields["first_name"] = attack
		values.Event["product"], values.Event["id"] = attack, attack
		values.Workspace = map[string]any{"name": attack, "address": attack}
		if strings.ContainsRune(attack, 0) {
			_, err := artifact.Render(values, nil)
			require.Error(t, err, attack)
			continue
		}
		out, err := artifact.Render(values, nil)
		require.NoError(t, err, attack)
		require.NotContains(t, out.HTML, "<script", attack)
		require.NotContains(t, out.HTML, "<img src=x", attack)
		require.NotContains(t, out.HTML, "' onmouseover", attack)
		plain := scope()
		plain.Workspace["address"] = "one line"
		clean, err := artifact.Render(plain, nil)
		require.NoError(t, err)
		require.Equal(t, strings.Count(clean.HTML, "<"), strings.Count(out.HTML, "<"), attack)
		require.Equal(t, strings.Count(clean.HTML, `"`), strings.Count(out.HTML, `"`), attack)
	}
	for _, address := range []string{"javascript:alert(1)", "data:text/html,x", "https://x\" onclick=\"a", "//x"} {
		values := scope()
		values.Event["url"] = address
		_, err := artifact.Render(values, nil)
		var fault *engine.MergeError
		require.ErrorAs(t, err, &fault, address)
		require.Equal(t, engine.MergeUnsafe, fault.Fault)
	}
	values := scope()
	values.Event["url"] = `https://x/" onclick="a`
	out, err := artifact.Render(values, nil)
	require.NoError(t, err)
	require.NotContains(t, out.HTML, `" onclick="`)
	require.Contains(t, out.HTML, "https://x/%22%20onclick=%22a")
	values = scope()
	values.Fields["first_name"] = "Anna\r\nBcc: all@example.com"
	_, err = artifact.Render(values, nil)
	require.Error(t, err)
}

func TestSecurity_12_TheAuthorsOwnMarkupIsText(t *testing.T) {
	t.Parallel()
	creative := engine.Creative{
		Subject: `<b>&amp; "x"</b>`, Preheader: "</mj-preview><mj-raw><script>",
		Blocks: []engine.Block{
			{ID: "h", Type: "heading", Text: "</h1></mj-text><mj-raw><script>alert(1)</script></mj-raw>"},
			{ID: "b", Type: "button", Text: "<i>Go</i> LQ0001LQ", URL: "https://x.example/?a=1&b=<2>"},
			{ID: "c", Type: "button", Text: "Go", URL: "https://x.example/?a=1&b=2"},
			{ID: "i", Type: "image", URL: "https://x.example/i.png", Alt: `" onload="alert(1)`},
			{ID: "t", Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"]]></mj-text><script>"}]}]}`)},
		},
	}
	artifact, problems := compile(t, creative, Options{})
	require.Empty(t, problems)
	out, err := artifact.Render(scope(), nil)
	require.NoError(t, err)
	require.NotContains(t, out.HTML, "<script")
	require.NotContains(t, out.HTML, `" onload="`)
	require.Contains(t, out.HTML, "&lt;i&gt;Go&lt;/i&gt; LQ0001LQ")
	require.Contains(t, out.HTML, `href="https://x.example/?a=1&amp;b=2"`)
	require.Contains(t, out.HTML, `href="https://x.example/?a=1&amp;b=%3C2%3E"`)
	require.Equal(t, `<b>&amp; "x"</b>`, out.Subject)
}

func TestProblemsNameTheBlock(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		block engine.Block
		want  string
	}{
		"unknown type":   {engine.Block{Type: "video"}, `There is no block of type "video".`},
		"no address":     {engine.Block{Type: "button", Text: "Go"}, "Say where the link leads."},
		"no scheme":      {engine.Block{Type: "button", Text: "Go", URL: "shop.example"}, "has to begin with https://"},
		"script":         {engine.Block{Type: "button", Text: "Go", URL: "javascript:alert(1)"}, "has to begin with https://"},
		"half a scheme":  {engine.Block{Type: "button", Text: "Go", URL: "java{{ first_name }}"}, "has to begin with https://"},
		"open braces":    {engine.Block{Type: "heading", Text: "Hi {{ first_name"}, "not closed"},
		"no image":       {engine.Block{Type: "image"}, "Give the image an address."},
		"bad rich text":  {engine.Block{Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[{"type":"table"}]}`)}, `cannot hold "table"`},
		"bad expression": {engine.Block{Type: "image", URL: "https://x/i.png", Alt: "{{ now() }}"}, `no function "now"`},
	} {
		c.block.ID = "x1"
		_, problems := compile(t, engine.Creative{Subject: "s", Blocks: []engine.Block{c.block}}, Options{})
		require.Len(t, problems, 1, name)
		require.Equal(t, "blocks.x1", problems[0].Field, name)
		require.Contains(t, problems[0].Message, c.want, name)
	}
	_, problems := compile(t, engine.Creative{Subject: "{{ a", Preheader: "a\nb", ReplyTo: "{{ }}"}, Options{})
	var fields []string
	for _, p := range problems {
		fields = append(fields, p.Field)
	}
	require.Equal(t, []string{"subject", "preheader", "reply_to"}, fields)
}

func TestAMessageThatGmailWouldCutIsSaid(t *testing.T) {
	t.Parallel()
	long := json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"` + strings.Repeat("word ", 18_000) + `"}]}]}`)
	_, problems := compile(t, engine.Creative{Subject: "s", Blocks: []engine.Block{{ID: "a", Type: "text", Doc: long}, {ID: "b", Type: "text", Doc: long}}}, Options{})
	require.Len(t, problems, 1)
	require.Equal(t, "BODY_LARGE", problems[0].Code)
	require.Equal(t, engine.Warning, problems[0].Severity)
}

func TestACompileStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, _, err := Compile(ctx, welcome(), Options{})
	require.ErrorIs(t, err, context.Canceled)

	many := engine.Creative{Subject: "s"}
	for range maxBlocks {
		many.Blocks = append(many.Blocks, engine.Block{ID: "x", Type: "button", Text: "Go", URL: "https://x.example"})
	}
	ctx, cancel = context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	_, _, err = Compile(ctx, many, Options{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, problems := compile(t, welcome(), Options{})
	require.Empty(t, problems)
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, _, err := Compile(context.Background(), welcome(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	artifact, _, err := Compile(context.Background(), welcome(), Options{})
	require.NoError(b, err)
	values := scope()
	for b.Loop() {
		if _, err := artifact.Render(values, nil); err != nil {
			b.Fatal(err)
		}
	}
}
