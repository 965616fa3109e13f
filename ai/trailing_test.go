package ai_test

import (
	"encoding/json"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
	"github.com/stretchr/testify/require"
)

// kindsOf counts the steps of a draft by kind.
func kindsOf(r ai.Result) map[string]int {
	out := map[string]int{}
	for _, n := range r.Graph.Nodes {
		out[n.Kind]++
	}
	return out
}

// idle finds questions whose answers all end the way, and waits nothing comes after.
func idle(g *engine.Graph) []string {
	ways := map[string]int{}
	for _, e := range g.Edges {
		ways[e.From]++
	}
	var out []string
	for _, n := range g.Nodes {
		if (n.Kind == "condition" || n.Kind == "wait") && ways[n.ID] == 0 {
			out = append(out, n.ID)
		}
	}
	return out
}

// TestATrailingQuestionStandsBeforeItsMessage has conditions that stand behind the message they are about.
func TestATrailingQuestionStandsBeforeItsMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		prompt string
		hours  []float64
		asks   string // the event that ends the funnel or is asked for
	}{
		{"When somebody leaves a cart, remind them after one hour, and again after two days if they did not buy.", []float64{1, 48}, "payment_made"},
		{"Jak ktoś zostawi koszyk, przypomnij po godzinie i jeszcze raz po dwóch dniach, jeśli nie kupił", []float64{1, 48}, "payment_made"},
		{"Когда кто-то бросает корзину, напомни через час и ещё раз через два дня, если не купил", []float64{1, 48}, "payment_made"},
		{"Abandoned cart: email after 2 hours and an sms after 3 days unless they bought", []float64{2, 72}, "payment_made"},
		{"Porzucony koszyk: mail po 2 godzinach, sms po 3 dniach, jeśli nie kupi.", []float64{2, 72}, "payment_made"},
		{"Брошенная корзина: письмо через 2 часа, смс через 3 дня, если не купит.", []float64{2, 72}, "payment_made"},
		{"After signup send a welcome email, then an sms after 3 days if they have not opened it", []float64{0, 72}, "opened"},
		{"Po rejestracji wyślij mail powitalny, a po 3 dniach sms, jeśli go nie otworzył", []float64{0, 72}, "opened"},
		{"После регистрации отправь приветственное письмо, а через 3 дня смс, если не открыл", []float64{0, 72}, "opened"},
	} {
		t.Run(c.prompt, func(t *testing.T) {
			t.Parallel()
			got := offline(c.prompt)
			require.Equal(t, c.hours, sent(t, got), "\n%s\n%v", got.Explanation, got.Assumptions)
			require.Empty(t, idle(got.Graph), got.Explanation)
			raw, err := json.Marshal(got.Graph)
			require.NoError(t, err)
			require.Contains(t, string(raw), c.asks, got.Explanation)
			require.Equal(t, c.asks == "opened", kindsOf(got)["condition"] == 1, got.Explanation)
		})
	}
}

func TestAQuestionWithoutConsequencesIsNotDrawn(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"After signup send an email. If they open it.", "Po zapisie na newsletter wyślij maila. Jeśli otworzy.", "После подписки отправь письмо. Если открыл.",
	} {
		got := offline(prompt)
		require.Equal(t, ai.StatusGraph, got.Outcome, prompt)
		require.Zero(t, kindsOf(got)["condition"], "%s\n%s", prompt, got.Explanation)
		require.Empty(t, idle(got.Graph), "%s\n%s", prompt, got.Explanation)
	}
}

// TestAnEventNamedLiterallyEndsTheFunnel has goals on events of the customer's own application.
func TestAnEventNamedLiterallyEndsTheFunnel(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"When cart_updated comes, send an email after 1 hour and another after 1 day, stop when order_placed comes",
		"Gdy przyjdzie cart_updated, wyślij maila po 1 godzinie i drugiego po 1 dniu, przestań gdy przyjdzie order_placed",
		"Когда приходит cart_updated, отправь письмо через 1 час и второе через 1 день, остановись когда придёт order_placed",
	} {
		got := offline(prompt)
		require.Equal(t, ai.StatusGraph, got.Outcome, prompt)
		require.Equal(t, 2, kindsOf(got)["send_email"], "%s\n%s", prompt, got.Explanation)
		require.Equal(t, 1, kindsOf(got)["goal"], "%s\n%s", prompt, got.Explanation)
		for _, n := range got.Graph.Nodes {
			switch n.Kind {
			case "goal":
				require.Contains(t, string(n.Config), "order_placed", prompt)
			case "entry":
				require.Contains(t, string(n.Config), "cart_updated", prompt)
			}
		}
		for _, left := range got.Coverage.Ignored {
			require.NotContains(t, left, "order_placed", prompt)
		}
		for _, c := range got.Creatives {
			require.NotContains(t, c.Subject, "workspace.name", "%s: a cart has texts of its own", prompt)
		}
	}
}

func TestTimesOfACountedSeriesAreOneList(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{
		"2 emails after 1 hour and 1 day when someone abandons a cart", "2 maile po 1 godzinie i 1 dniu, porzucony koszyk", "2 письма через 1 час и 1 день, брошенная корзина",
		"cart_updated: 2 emails after 1 hour and 1 day", "send 2 emails after 1 hour and after 1 day when cart_updated comes",
	} {
		got := offline(prompt)
		require.Equal(t, []float64{1, 24}, sent(t, got), "%s\n%s", prompt, got.Explanation)
	}
}
