package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai/aitest"
)

func TestGenerateDraftsAPublishableFunnel(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"welcome series", "porzucony koszyk", "цепочка реактивации"} {
		code, out, errs := call(t, "generate", prompt, "--json", "--offline")
		require.Equal(t, exitDone, code, errs)
		var got struct {
			Outcome, Engine string
			Graph           struct{ Nodes []any }
			Creatives       []struct{ Slug, Subject string }
			Assumptions     []string
			Questions       []string
			Problems        []struct{ Severity string }
		}
		require.NoError(t, json.Unmarshal([]byte(out), &got))
		require.Equal(t, "graph", got.Outcome)
		require.Equal(t, "offline", got.Engine)
		require.NotEmpty(t, got.Graph.Nodes)
		require.NotEmpty(t, got.Creatives)
		require.NotEmpty(t, got.Creatives[0].Subject)
		require.NotEmpty(t, got.Creatives[0].Slug)
		require.NotNil(t, got.Assumptions)
		require.NotNil(t, got.Questions)
		for _, p := range got.Problems {
			require.Equal(t, "warning", p.Severity)
		}
	}
}

func TestWhatGeneratePrintsIsReadByValidateSimulateTestAndEdit(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"--bundle", "--json"} {
		_, out, _ := call(t, "generate", "abandoned cart", shape, "--offline")
		path := filepath.Join(t.TempDir(), "bundle.json")
		require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
		for _, command := range [][]string{{"validate", path}, {"test", path}, {"simulate", path, "--start", "2026-12-01T09:00:00Z"}, {"edit", "--offline", path, "make the wait 3 days"}} {
			code, said, errs := call(t, command...)
			require.Equal(t, exitDone, code, shape+" "+command[0]+": "+said+errs)
		}
	}
}

func TestAnAnswerThatDrawsNothingIsRefusedInWords(t *testing.T) {
	t.Parallel()
	_, out, _ := call(t, "generate", "--offline", "--json", "do marketing")
	path := filepath.Join(t.TempDir(), "question.json")
	require.NoError(t, os.WriteFile(path, []byte(out), 0o600))
	code, said, _ := call(t, "validate", path)
	require.Equal(t, exitFailed, code)
	require.Contains(t, said, "draws no funnel")
}

func TestGenerateAsksAndRefusesInWords(t *testing.T) {
	t.Parallel()
	code, out, _ := call(t, "generate", "--offline", "do marketing")
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "Question (no AI model used)")
	code, out, _ = call(t, "generate", "--offline", "email people who unsubscribed last year")
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "Not drawn (no AI model used)")
	code, _, _ = call(t, "generate")
	require.Equal(t, exitUsage, code)
	code, _, _ = call(t, "generate", "x", "--lang", "de")
	require.Equal(t, exitUsage, code)
}

func TestGenerateAsksTheConfiguredModelAndFallsBackHonestly(t *testing.T) {
	server := aitest.Start(aitest.Status(500))
	defer server.Close()
	t.Setenv("LEJEK_AI_BASE_URL", server.URL)
	t.Setenv("LEJEK_AI_MODEL", "fake-1")
	code, out, _ := call(t, "generate", "abandoned cart")
	require.Equal(t, exitDone, code)
	require.Contains(t, out, "Proposal (no AI model used)")
	require.Contains(t, out, "The model fake-1 did not answer (its server failed)")
	require.Equal(t, "fake-1", server.Asked()[0].Model)
}

func TestEditChangesABundleAndLeavesTheFileAsItIs(t *testing.T) {
	t.Parallel()
	_, bundle, _ := call(t, "generate", "When tag vip is added send an email, wait 2 days, send another email", "--bundle", "--offline")
	path := filepath.Join(t.TempDir(), "bundle.json")
	require.NoError(t, os.WriteFile(path, []byte(bundle), 0o600))
	code, out, errs := call(t, "edit", "--offline", path, "make the wait 3 days and add an SMS")
	require.Equal(t, exitDone, code, errs)
	require.Contains(t, out, "Proposal (no AI model used)")
	require.Contains(t, out, "Wait 3 d")
	for sentence, says := range map[string][]string{
		"cofnij":                     {"Bez zmian (bez modelu AI)", "naciśnij Cofnij"},
		"ustaw czekanie na 9000 dni": {"Pytanie (bez modelu AI)", "krok „Czekaj 9000 dni” nie może mieć takiej wartości"},
		"поставь ожидание на 9000 дней": {"Вопрос (без модели ИИ)", "не может быть такого значения"},
		"отмени это":                    {"Без изменений (без модели ИИ)", "Отмен"},
	} {
		_, out, _ = call(t, "edit", "--offline", path, sentence)
		for _, words := range says {
			require.Contains(t, out, words, sentence)
		}
		for _, foreign := range []string{"offline", "Undo", "too long", "FIELD_INVALID", "wait-1", "Nothing"} {
			require.NotContains(t, out, foreign, sentence)
		}
	}
	code, out, errs = call(t, "edit", "--offline", "--bundle", path, "ustaw czekanie na 3 dni")
	require.Equal(t, exitDone, code, errs)
	changed := filepath.Join(t.TempDir(), "changed.json")
	require.NoError(t, os.WriteFile(changed, []byte(out), 0o600))
	code, _, errs = call(t, "validate", changed)
	require.Equal(t, exitDone, code, errs)
	var got struct{ Outcome string }
	_, out, _ = call(t, "edit", "--offline", "--json", changed, "make the wait 3 days")
	require.NoError(t, json.Unmarshal([]byte(out), &got))
	require.Equal(t, "unchanged", got.Outcome)
	left, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, bundle, string(left))
	code, _, _ = call(t, "edit", path)
	require.Equal(t, exitUsage, code)
}

func TestWriteSuggestsAMessageAndSaysWhoWroteIt(t *testing.T) {
	server := aitest.Start(aitest.Says(`{"subject":null,"preheader":null,"body":"Winda nie działa, zapraszamy schodami.","cta_label":null,"cta_url":null,"left_out":[]}`))
	defer server.Close()
	t.Setenv("LEJEK_AI_BASE_URL", server.URL)
	t.Setenv("LEJEK_AI_MODEL", "fake-1")
	code, out, errs := call(t, "write", "--channel", "sms", "napisz, że winda nie działa")
	require.Equal(t, exitDone, code, errs)
	require.Equal(t, "Winda nie działa, zapraszamy schodami.\n\n(fake-1)\n", out)
	code, out, _ = call(t, "write", "--offline", "napisz, że winda nie działa")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "podłącz model")
	code, out, errs = call(t, "write", "--offline", "abandoned cart, 10% off")
	require.Equal(t, exitDone, code, errs)
	require.Contains(t, out, "No AI model was used")
	require.Contains(t, out, "10%")
	for _, wrong := range [][]string{{"write"}, {"write", "x", "--channel", "fax"}, {"write", "x", "--lang", "de"}} {
		code, _, _ = call(t, wrong...)
		require.Equal(t, exitUsage, code)
	}
}
