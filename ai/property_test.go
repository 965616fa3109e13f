package ai_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
	"github.com/stretchr/testify/require"
)

// named are words that mean each playbook, in three languages.
var named = map[string][3]string{
	"welcome": {"welcome series", "seria powitalna", "приветственная серия"}, "double_opt_in": {"double opt in", "double opt-in", "дабл оптин"},
	"lead_magnet": {"ebook nurturing", "sekwencja po pobraniu ebooka", "прогрев после скачивания чеклиста"}, "abandoned_cart": {"abandoned cart", "porzucony koszyk", "брошенная корзина"},
	"browse_abandonment": {"browse abandonment", "porzucone przeglądanie", "брошенный просмотр товара"}, "post_purchase": {"post-purchase sequence", "sekwencja po zakupie", "цепочка после покупки"},
	"review_request": {"review request", "prośba o opinię", "запрос отзыва"}, "cross_sell": {"cross-sell flow", "cross-sell", "допродажа"},
	"replenishment": {"replenishment reminder", "kończy się zapas", "заканчивается корм"}, "winback": {"win-back", "odzyskiwanie klientów", "реактивация"},
	"sunset": {"sunset flow", "czyszczenie bazy", "чистка базы"}, "birthday": {"birthday flow", "urodziny klienta", "день рождения клиента"},
	"anniversary": {"anniversary flow", "rocznica klienta", "годовщина"}, "renewal": {"subscription renewal reminder", "odnowienie subskrypcji", "продление подписки"},
	"invoice_dunning": {"unpaid invoice reminders", "przypomnienie o fakturze", "неоплаченный счёт"}, "payment_failed": {"failed payment flow", "nieudana płatność", "неудачный платёж"},
	"appointment": {"appointment reminders", "przypomnienie o wizycie", "напоминание о записи"}, "no_show": {"no-show flow", "klient nie przyszedł", "неявка"},
	"webinar": {"webinar funnel", "lejek webinarowy", "воронка для вебинара"}, "trial_onboarding": {"trial onboarding", "okres próbny", "пробный период"},
	"customer_onboarding": {"customer onboarding", "onboarding klienta", "онбординг клиента"}, "demo_followup": {"demo follow-up", "po demo", "после демо"},
	"nps": {"nps survey", "ankieta nps", "nps опрос"}, "referral": {"referral program", "program poleceń", "реферальная программа"},
	"vip": {"VIP flow", "lejek dla klientów vip", "воронка для вип клиентов"}, "restock": {"back in stock", "znowu dostępny produkt", "снова в наличии"},
	"promo": {"black friday campaign", "promocja black friday", "чёрная пятница"}, "newsletter": {"weekly newsletter", "cotygodniowy newsletter", "еженедельная рассылка"},
	"reconsent": {"re-consent campaign", "odnowienie zgód", "обновление согласий"}, "hot_lead": {"hot lead flow", "gorący lead", "горячий лид"},
	"prepayment": {"deposit after booking", "zaliczka po rezerwacji", "предоплата после записи"}, "complaint_recovery": {"complaint recovery", "sekwencja po reklamacji", "работа с жалобой"},
}

var languagesOf = [3]string{"en", "pl", "ru"}

// extras are slots that any playbook takes, by language.
var extras = [3][][]string{
	{{"", ", 2 emails", ", 4 emails", ", 3 sms"}, {"", " every 3 days", " over 12 days"}, {"", ", 15% off with code BACK15"}, {"", ", stop when they buy"}, {"", ", not at night", ", quiet hours 22-8"}, {"", ". If they don't click within 2 days notify the team"}},
	{{"", ", 2 maile", ", 4 maile", ", 3 smsy"}, {"", " co 3 dni", " przez 12 dni"}, {"", ", rabat 15% z kodem BACK15"}, {"", ", przestań jak kupi"}, {"", ", nie w nocy", ", cisza od 22 do 8"}, {"", ". Jeśli nie kliknie w 2 dni powiadom zespół"}},
	{{"", ", 2 письма", ", 4 письма", ", 3 смс"}, {"", " раз в 3 дня", " в течение 12 дней"}, {"", ", скидка 15% с промокодом BACK15"}, {"", ", остановить если купит"}, {"", ", не ночью", ", не беспокоить с 22 до 8"}, {"", ". Если не перешёл по ссылке за 2 дня уведомить менеджера"}},
}

// pairs are choices, one of each slot, that have every two values of every two slots together at least once.
func pairs(sizes []int) [][]int {
	type pair [4]int // slot, value, slot, value
	open := map[pair]bool{}
	of := func(row []int, each func(pair)) {
		for a := range row {
			for b := a + 1; b < len(row); b++ {
				each(pair{a, row[a], b, row[b]})
			}
		}
	}
	var all [][]int
	row := make([]int, len(sizes))
	for more := true; more; {
		all = append(all, slices.Clone(row))
		of(row, func(p pair) { open[p] = true })
		more = false
		for k := len(row) - 1; k >= 0 && !more; k-- {
			row[k]++
			if more = row[k] < sizes[k]; !more {
				row[k] = 0
			}
		}
	}
	var rows [][]int
	for len(open) > 0 {
		best, most := 0, 0
		for k, row := range all {
			n := 0
			of(row, func(p pair) {
				if open[p] {
					n++
				}
			})
			if n > most {
				best, most = k, n
			}
		}
		of(all[best], func(p pair) { delete(open, p) })
		rows = append(rows, all[best])
	}
	return rows
}

// TestEveryPlaybookWithEveryTwoSlotsIsValid draws every playbook in every language by its name alone, and with every two values of every two
// slots. Which values of the other slots stand beside them differs from one playbook to the next.
func TestEveryPlaybookWithEveryTwoSlotsIsValid(t *testing.T) {
	t.Parallel()
	for turn, id := range slices.Sorted(maps.Keys(named)) {
		for l, name := range named[id] {
			holds(t, id, name, l, false)
			sizes := make([]int, len(extras[l]))
			for k, values := range extras[l] {
				sizes[k] = len(values)
			}
			for _, row := range pairs(sizes) {
				prompt := name
				for k, value := range row {
					prompt += extras[l][k][(value+turn)%sizes[k]]
				}
				got := holds(t, id, prompt, l, prompt != name)
				if asked := extras[l][len(row)-1][1]; strings.HasSuffix(prompt, asked) && got.Graph != nil {
					require.True(t, slices.ContainsFunc(got.Graph.Nodes, func(n engine.Node) bool {
						return n.Kind == "condition" && strings.Contains(string(n.Config), "clicked")
					}), "%s\n%s", prompt, got.Explanation)
				}
			}
		}
	}
}

// holds requires that a prompt gives a sound graph, or a question where it may.
func holds(t *testing.T, id, prompt string, l int, asks bool) ai.Result {
	t.Helper()
	got := ai.DraftOffline(ai.Request{Prompt: prompt, Language: languagesOf[l]}, catalogue())
	if got.Outcome == ai.StatusClarify && asks {
		return got // a count and a span that do not fit are asked about
	}
	require.Equal(t, ai.StatusGraph, got.Outcome, "%s: %s %v", id, prompt, got.Questions)
	require.Empty(t, ai.Errors(got.Problems), prompt)
	_, err := engine.Compile(got.Bundle())
	require.NoError(t, err, prompt)
	require.NotNil(t, got.Coverage, prompt)
	require.Empty(t, senseless(got), "%s\n%s", prompt, got.Explanation)
	require.Equal(t, ai.Offline, got.Engine)
	return got
}

func TestAllThirtyTwoPlaybooksAreThere(t *testing.T) {
	t.Parallel()
	require.Len(t, named, 32)
}

func TestWhatIsPassedOverIsReported(t *testing.T) {
	t.Parallel()
	got := offline("abandoned cart, 3 emails, and please feed the office hamster")
	require.Contains(t, strings.Join(got.Coverage.Ignored, " "), "hamster")
	require.Contains(t, strings.Join(got.Coverage.Understood, " "), "abandoned cart")
	require.Greater(t, got.Coverage.Share, 0.4)
	require.Less(t, got.Coverage.Share, 1.0)
}

// TestAPlanCutAnywhereNeverPanics reads every beginning of plans as a model may leave them.
func TestAPlanCutAnywhereNeverPanics(t *testing.T) {
	t.Parallel()
	example, err := os.ReadFile("testdata/flowspec.example.json")
	require.NoError(t, err)
	for _, reply := range []string{string(example), plan(whole), soundPlan} {
		for n := range len(reply) {
			spec, err := ai.DecodeSpec([]byte(reply[:n]))
			if err == nil {
				ai.Compile(spec, ai.Setting{Kinds: catalogue()})
			}
		}
	}
}

// sample makes a random value of a schema: any graph a constrained model could write.
type sample struct{ r *rand.Rand }

func (s sample) value(schema map[string]any, depth int) any {
	if list, ok := schema["anyOf"].([]any); ok {
		return s.value(list[s.r.IntN(len(list))].(map[string]any), depth)
	}
	if words, ok := schema["enum"].([]any); ok {
		return words[s.r.IntN(len(words))]
	}
	kind := schema["type"]
	if kinds, ok := kind.([]any); ok {
		kind = kinds[s.r.IntN(len(kinds))]
	}
	switch kind {
	case "object":
		out := map[string]any{}
		for name, of := range schema["properties"].(map[string]any) {
			out[name] = s.value(of.(map[string]any), depth+1)
		}
		return out
	case "array":
		out := []any{}
		for range s.r.IntN(6) {
			out = append(out, s.value(schema["items"].(map[string]any), depth+1))
		}
		return out
	case "integer":
		return s.r.IntN(200) - 20
	case "number":
		return s.r.Float64() * 100
	case "null":
		return nil
	default:
		return []string{"main", "a", "b", "end", "m1", "VIP", "9:30", "тег", ""}[s.r.IntN(9)]
	}
}

func TestRandomPlansNeverPanic(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	require.NoError(t, json.Unmarshal(catalogue().Schema(), &schema))
	s := sample{rand.New(rand.NewPCG(1, 2))}
	for n := range 10_000 {
		reply, err := json.Marshal(s.value(schema, 0))
		require.NoError(t, err)
		spec, err := ai.DecodeSpec(reply)
		if err != nil {
			continue
		}
		d := ai.Compile(spec, ai.Setting{Kinds: catalogue()})
		if n%20 == 0 {
			engine.Validate(d.Bundle)
			ai.Explain(d.Bundle, "ru")
		}
	}
}

func TestAskingIsAboutSomething(t *testing.T) {
	t.Parallel()
	for prompt, topic := range map[string]string{
		"send 3 emails after signup but at most 1": "count", "welcome series, 5 emails every 7 days over 10 days": "timing",
		"send a fax to new customers": "channel", "remind people 2 days before they abandon their cart": "timing", "split 60/60 two welcome emails": "count",
	} {
		got := offline(prompt)
		require.Equal(t, ai.StatusClarify, got.Outcome, prompt)
		require.Contains(t, got.Topics, topic, prompt)
		require.Len(t, got.Choices, len(got.Questions))
		require.NotEmpty(t, got.Choices[0], fmt.Sprint(prompt))
	}
}
