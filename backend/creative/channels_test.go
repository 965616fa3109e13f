package creative_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/creative"
	"github.com/lejek/lejek/backend/creative/pdftest"
	"github.com/lejek/lejek/engine"
)

func compiled(t *testing.T, c engine.Creative) *creative.Artifact {
	t.Helper()
	artifact, problems, err := creative.Compile(t.Context(), c, creative.Options{})
	require.NoError(t, err)
	require.Empty(t, problems)
	raw, err := json.Marshal(artifact)
	require.NoError(t, err)
	var read creative.Artifact
	require.NoError(t, json.Unmarshal(raw, &read))
	require.Equal(t, artifact, read, "an artifact survives JSON")
	return &artifact
}

func anna() *engine.MergeScope {
	return &engine.MergeScope{
		Fields: map[string]any{
			"first_name": "Żaneta", "last_name": "Łęcka", "street": "ul. Długa 7/3", "postal_code": "31-147", "city": "Kraków", "country": "Polska",
		},
		Event: map[string]any{"url": "https://shop.example/c/7"}, Workspace: map[string]any{"name": "Studio Aurora", "address": "ul. Krótka 1, Kraków"},
		UnsubscribeURL: "https://l.example/u/t", ViewURL: "https://l.example/v/t", Language: "pl",
	}
}

func TestATextForAPhoneIsFilledAndItsLinksAreShortened(t *testing.T) {
	t.Parallel()
	artifact := compiled(t, engine.Creative{Channel: "sms", Text: "Cześć {{ first_name }}! Koszyk: {{ event.url }}. Stop: {{ unsubscribe_url }}"})
	plain, err := artifact.Render(anna(), nil)
	require.NoError(t, err)
	require.Equal(t, "Cześć Żaneta! Koszyk: https://shop.example/c/7. Stop: https://l.example/u/t", plain.Text)
	var asked []string
	short, err := artifact.Render(anna(), func(_ int, url string) string {
		asked = append(asked, url)
		return "https://l.example/s/x"
	})
	require.NoError(t, err)
	require.Equal(t, "Cześć Żaneta! Koszyk: https://l.example/s/x. Stop: https://l.example/u/t", short.Text)
	require.Equal(t, []string{"https://shop.example/c/7"}, asked, "the way out is left alone")
	require.Equal(t, "https://shop.example/c/7", short.Links[0].URL)
	_, err = artifact.Render(&engine.MergeScope{}, nil)
	require.ErrorAs(t, err, new(*engine.MergeError))
}

func TestAPushIsAFrameWithOneLink(t *testing.T) {
	t.Parallel()
	artifact := compiled(t, engine.Creative{Channel: "push", Title: "Hej {{ first_name }}", Text: "Now zajęcia", URL: "{{ event.url }}", Icon: "https://shop.example/i.png"})
	got, err := artifact.Render(anna(), func(i int, url string) string { return url + "#" + string(rune('0'+i)) })
	require.NoError(t, err)
	require.Equal(t, "Hej Żaneta", got.Title)
	require.Equal(t, "Now zajęcia", got.Text)
	require.Equal(t, "https://shop.example/c/7#0", got.URL)
	require.Equal(t, "https://shop.example/i.png", got.Icon)
	require.Equal(t, []creative.RenderedLink{{URL: "https://shop.example/c/7"}}, got.Links)
	evil := anna()
	evil.Event["url"] = "javascript:alert(1)"
	_, err = artifact.Render(evil, nil)
	require.ErrorAs(t, err, new(*engine.MergeError))
	evil.Event["url"] = "mailto:a@example.com"
	_, err = artifact.Render(evil, nil)
	require.ErrorAs(t, err, new(*engine.MergeError))
}

func letterOf(texts ...string) engine.Creative {
	content := []any{}
	for _, text := range texts {
		content = append(content, map[string]any{"type": "paragraph", "content": []any{map[string]any{"type": "text", "text": text}}})
	}
	doc, err := json.Marshal(map[string]any{"type": "doc", "content": content})
	if err != nil {
		panic(err)
	}
	return engine.Creative{Channel: "letter", Blocks: []engine.Block{
		{ID: "b1", Type: "heading", Text: "Dziękujemy, {{ first_name }}", Level: 1}, {ID: "b2", Type: "text", Doc: doc}, {ID: "b3", Type: "divider"}, {ID: "b4", Type: "spacer", Height: 20},
	}}
}

func TestALetterIsAPageWithTheAddressInItsWindow(t *testing.T) {
	t.Parallel()
	artifact := compiled(t, letterOf("Zażółć gęślą jaźń.", "Съешь же ещё этих мягких французских булок, да выпей чаю: 100 ₽ (сто) \\ 🎉."))
	got, err := artifact.Render(anna(), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"Żaneta Łęcka", "ul. Długa 7/3", "31-147 Kraków", "Polska"}, got.Address)
	require.Equal(t, 1, got.Pages)
	require.Equal(t, "Dziękujemy, Żaneta", got.Subject)
	text, err := pdftest.Text(got.PDF)
	require.NoError(t, err)
	for _, line := range append(got.Address, "Studio Aurora · ul. Krótka 1, Kraków", "Dziękujemy, Żaneta", "Zażółć gęślą jaźń.") {
		require.Contains(t, text, line)
	}
	require.Contains(t, strings.ReplaceAll(text, "\n", " "), "Съешь же ещё этих мягких французских булок, да выпей чаю: 100 ₽ (сто) \\ .")
	again, err := artifact.Render(anna(), nil)
	require.NoError(t, err)
	require.Equal(t, got.PDF, again.PDF, "the same letter is the same bytes")
}

func TestALongLetterGoesOnOnTheNextPage(t *testing.T) {
	t.Parallel()
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = "Paragraph that is long enough to be worth a line of its own."
	}
	got, err := compiled(t, letterOf(texts...)).Render(anna(), nil)
	require.NoError(t, err)
	require.Greater(t, got.Pages, 1)
}

func TestAListAndALinkOnPaper(t *testing.T) {
	t.Parallel()
	doc := `{"type":"doc","content":[{"type":"orderedList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[
		{"type":"text","text":"our site","marks":[{"type":"link","attrs":{"href":"https://aurora.example"}},{"type":"bold"}]}]}]}]}]}`
	got, err := compiled(t, engine.Creative{Channel: "letter", Blocks: []engine.Block{{ID: "b", Type: "text", Doc: json.RawMessage(doc)}}}).Render(anna(), nil)
	require.NoError(t, err)
	text, err := pdftest.Text(got.PDF)
	require.NoError(t, err)
	require.Contains(t, text, "1. ")
	require.Contains(t, text, "our site")
	require.Contains(t, strings.ReplaceAll(text, "\n", ""), "(https://aurora.example)")
}

func TestPartsALetterCannotHaveAreNamed(t *testing.T) {
	t.Parallel()
	_, problems, err := creative.Compile(t.Context(), engine.Creative{Channel: "letter", Blocks: []engine.Block{{ID: "b", Type: "button", Text: "x", URL: "https://x.example"}}}, creative.Options{})
	require.NoError(t, err)
	require.Equal(t, "blocks.b", problems[0].Field)
}

func BenchmarkLetter(b *testing.B) {
	artifact, _, err := creative.Compile(b.Context(), letterOf("Zażółć gęślą jaźń."), creative.Options{})
	require.NoError(b, err)
	for b.Loop() {
		if _, err := artifact.Render(anna(), nil); err != nil {
			b.Fatal(err)
		}
	}
}
