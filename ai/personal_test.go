package ai_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/engine"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		came  any
		links bool
		text  string
		why   string
	}{
		"plain words":               {"Dobrze, że jesteś, Anno!", false, "Dobrze, że jesteś, Anno!", ""},
		"white space is put right":  {"  one\n two ", false, "one two", ""},
		"a number is no text":       {7.0, false, "", ai.RefusedMissing},
		"nothing":                   {" ", false, "", ai.RefusedMissing},
		"too long":                  {strings.Repeat("ż", 41), false, "", ai.RefusedLong},
		"as long as allowed":        {strings.Repeat("ż", 40), false, strings.Repeat("ż", 40), ""},
		"an address":                {"see https://evil.example", false, "", ai.RefusedLinks},
		"an address without scheme": {"see evil.com now", false, "", ai.RefusedLinks},
		"an address, allowed":       {"see https://shop.example", true, "see https://shop.example", ""},
		"a tag":                     {"<b>hi</b>", true, "", ai.RefusedMarkup},
		"an entity":                 {"&lt;script&gt;", true, "", ai.RefusedMarkup},
		"a comparison is no tag":    {"prices < 10 zł", false, "prices < 10 zł", ""},
		"a hole":                    {"{{ email }}", false, "", ai.RefusedMarkup},
		"a control character":       {"a\x00b", false, "", ai.RefusedControl},
		"writing turned round":      {"a\u202Eb", false, "", ai.RefusedControl},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, why := ai.Guard(c.came, engine.Written{Max: 40, Links: c.links})
			require.Equal(t, c.text, text)
			require.Equal(t, c.why, why)
		})
	}
}

func TestAWriterAsksOnceMoreForWhatCannotBeUsed(t *testing.T) {
	t.Parallel()
	server := aitest.Start(aitest.Fenced(`{"a":"fine","b":"see https://evil.example"}`), aitest.Says(`{"b":"better"}`))
	defer server.Close()
	writer := ai.NewWriter(http.DefaultClient, ai.Provider{BaseURL: server.URL, Key: "k", Model: "m"})
	wish := ai.Wish{Variables: []engine.Written{{Name: "a", Instruction: "x", Max: 20}, {Name: "b", Instruction: "y", Max: 40}}, Attributes: map[string]any{"city": "Nowy Sącz"}, Language: "pl"}
	got, err := writer.Write(t.Context(), wish)
	require.NoError(t, err)
	require.Equal(t, map[string]string{"a": "fine", "b": "better"}, got.Usable)
	require.Empty(t, got.Refused)
	asked := server.Asked()
	require.Len(t, asked, 2)
	require.NotContains(t, asked[0].System, "Sącz", "values are data, not rules")
	require.JSONEq(t, `{"language":"pl","texts":[{"name":"b","instruction":"y","limit":40,"links":false,"refused_before":"link"}],"person":{"city":"Nowy\ue000Sącz"}}`, asked[1].User)
}

func TestAWriterThatGetsNoAnswerSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply   aitest.Reply
		why     string
		lasting bool
	}{
		"a wrong key":   {aitest.Status(401), "auth", true},
		"too often":     {aitest.RateLimited(0), "rate", false},
		"a broken one":  {aitest.Status(500), "server", false},
		"a refusal":     {aitest.Refusal("no"), "refusal", true},
		"no JSON":       {aitest.Says("hello"), "json", false},
		"cut in half":   {aitest.CutOff(), "network", false},
		"a filter":      {aitest.ContentFilter(), "filter", true},
		"far too large": {aitest.Huge(3 << 20), "network", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := aitest.Start(c.reply)
			defer server.Close()
			writer := ai.NewWriter(http.DefaultClient, ai.Provider{BaseURL: server.URL, Model: "m"})
			_, err := writer.Write(t.Context(), ai.Wish{Variables: []engine.Written{{Name: "a", Instruction: "x", Max: 20}}})
			require.Error(t, err)
			why, lasting := ai.Reason(t.Context(), err)
			require.Equal(t, c.why, why)
			require.Equal(t, c.lasting, lasting)
		})
	}
}
