package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCreativesNameTheirTexts(t *testing.T) {
	t.Parallel()
	creative := Creative{Subject: "Hi {{ first_nam }}", Blocks: []Block{
		{ID: "t1", Type: "text", Doc: json.RawMessage(`{"type":"doc","content":[{"type":"paragraph","content":[
			{"type":"text","text":"Hello "},
			{"type":"variable","attrs":{"expr":"first_name","fallback":"the \"one\"","label":"First name"}},
			{"type":"hardBreak"},
			{"type":"text","text":"Shop","marks":[{"type":"bold"},{"type":"link","attrs":{"href":"https://x.example/{{ cty }}","target":"_blank"}}]}
		]}]}`)},
		{ID: "b1", Type: "button", Text: "Go", URL: "{{ event.url }}"},
	}}
	texts, problems := creative.Texts()
	require.Empty(t, problems)
	require.Equal(t, []CreativeText{
		{Field: "subject", Text: "Hi {{ first_nam }}"},
		{Field: "blocks.t1", Text: "Hello "},
		{Field: "blocks.t1", Text: `{{ default(first_name, "the \"one\"") }}`},
		{Field: "blocks.t1", Text: "https://x.example/{{ cty }}"},
		{Field: "blocks.t1", Text: "Shop"},
		{Field: "blocks.b1", Text: "Go"},
		{Field: "blocks.b1", Text: "{{ event.url }}"},
	}, texts)
}

func TestRichTextThatMailCannotShowIsRefused(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[]`:                   "not a document",
		`{"type":"paragraph"}`: `cannot hold "paragraph" here`,
		`{"type":"doc","content":[{"type":"text","text":"x"}]}`:                                                                                                `cannot hold "text" here`,
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"image"}]}]}`:                                                                         `"image"`,
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"text","text":"x","marks":[{"type":"code"}]}]}]}`:                                     `"code"`,
		`{"type":"doc","content":[{"type":"paragraph","content":[{"type":"variable","attrs":{}}]}]}`:                                                           "is empty",
		`{"type":"doc","content":[` + strings.Repeat(`{"type":"paragraph"},`, maxDocNodes) + `{"type":"paragraph"}]}`:                                          "too many parts",
		`{"type":"doc","content":[` + strings.Repeat(`{"type":"bulletList","content":[{"type":"listItem","content":[`, 20) + strings.Repeat(`]}]}`, 20) + `]}`: "too many parts",
	} {
		_, err := DecodeDoc(json.RawMessage(raw))
		require.ErrorContains(t, err, want)
	}
	doc, err := DecodeDoc(nil)
	require.NoError(t, err)
	require.True(t, doc.IsEmpty())
}
