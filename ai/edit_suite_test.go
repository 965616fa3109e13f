package ai_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/engine"
	"github.com/stretchr/testify/require"
)

// basePrompts make the funnels that instructions are tried on.
var basePrompts = []string{
	"Welcome series, 3 emails over a week, 10% off in the last one",
	"abandoned cart: email after 1 hour, after 24 hours and after 3 days with 10% off, stop when they buy",
	"win back customers who have not bought for 90 days: 3 emails, the last one with 10% off",
	"after purchase: thank you email, after 7 days tips, after 14 days ask for a review",
	"trial onboarding: emails on day 0, 1, 3, 7",
	"When tag vip is added send an email, wait 2 days, send another email",
	"When somebody joins the list newsletter send 4 emails, one every 2 days",
	"email now, after 2 days if not opened send another email, then wait 3 days and add the tag done",
	"ask for a review: email after 12 days, another one 5 days later",
	"When the event order_shipped comes, send an email, wait 1 day, send an email, wait 2 days, send an email",
}

// instruction is one of the changes, in three languages, with what must have come of it.
type instruction struct {
	name  string
	say   map[string]string
	holds func(t *testing.T, base engine.Bundle, got ai.Result)
}

func ofKind(b engine.Bundle, kind string) []engine.Node {
	var out []engine.Node
	for _, n := range b.Graph.Nodes {
		if n.Kind == kind {
			out = append(out, n)
		}
	}
	return out
}

func changed(t *testing.T, got ai.Result) engine.Bundle {
	t.Helper()
	require.Equal(t, ai.StatusGraph, got.Outcome, "%v %v %s", got.Questions, got.Assumptions, got.Explanation)
	return got.Bundle()
}

var instructions = []instruction{
	{"wait of 3 days", map[string]string{"en": "make the first wait 3 days", "pl": "ustaw pierwsze czekanie na 3 dni", "ru": "сделай первое ожидание 3 дня"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.NotEmpty(t, ofKind(base, "wait"))
			if got.Outcome == ai.StatusUnchanged {
				return // it was 3 days
			}
			require.Contains(t, strings.ReplaceAll(string(asJSON(t, changed(t, got).Graph)), " ", ""), `"amount":3,"unit":"days"`)
		}},
	{"sms at the end", map[string]string{"en": "add an SMS at the end", "pl": "dodaj SMS na końcu", "ru": "добавь СМС в конце"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "send_sms"), len(ofKind(base, "send_sms"))+1)
		}},
	{"second email out", map[string]string{"en": "remove the 2nd email", "pl": "usuń drugi mail", "ru": "удали второе письмо"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "send_email"), len(ofKind(base, "send_email"))-1)
		}},
	{"email to push", map[string]string{"en": "replace the first email with a push", "pl": "zamień pierwszy mail na push", "ru": "замени первое письмо на пуш"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "send_push"), 1)
			require.Len(t, ofKind(got.Bundle(), "send_email"), len(ofKind(base, "send_email"))-1)
		}},
	{"quiet hours", map[string]string{"en": "add quiet hours from 22 to 8", "pl": "dodaj godziny ciszy od 22 do 8", "ru": "добавь тихие часы с 22 до 8"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "quiet_hours"), 1)
			require.Contains(t, string(ofKind(got.Bundle(), "quiet_hours")[0].Config), `"22:00"`)
		}},
	{"goal booking", map[string]string{"en": "change the goal to a booking", "pl": "zmień cel na rezerwację", "ru": "измени цель на запись"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "goal"), 1)
			require.Contains(t, string(ofKind(got.Bundle(), "goal")[0].Config), "booking")
		}},
	{"test of the first email", map[string]string{"en": "A/B test the first email", "pl": "zrób test A/B pierwszego maila", "ru": "сделай A/B тест первого письма"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "split"), 1)
			require.Len(t, ofKind(got.Bundle(), "send_email"), len(ofKind(base, "send_email"))+1)
		}},
	{"trigger tag", map[string]string{"en": "change the trigger to tag lead", "pl": "zmień wyzwalacz na tag lead", "ru": "измени триггер на тег lead"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			require.Contains(t, string(ofKind(changed(t, got), "entry")[0].Config), `"tag:lead"`)
		}},
	{"discount 15", map[string]string{"en": "increase the discount from 10% to 15%", "pl": "zwiększ rabat z 10% na 15%", "ru": "увеличь скидку с 10% до 15%"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			if !strings.Contains(string(asJSON(t, base.Creatives)), "10%") && !strings.Contains(string(asJSON(t, base.Creatives)), "10 %") {
				require.Equal(t, ai.StatusUnchanged, got.Outcome)
				require.NotEmpty(t, got.Assumptions)
				return
			}
			require.NotContains(t, string(asJSON(t, changed(t, got).Creatives)), "10%")
			require.Contains(t, string(asJSON(t, got.Creatives)), "15")
		}},
	{"condition", map[string]string{"en": "add a condition: if they did not open the last email, send an SMS", "pl": "dodaj warunek: jeśli nie otworzył ostatniego maila, wyślij SMS", "ru": "добавь условие: если не открыл последнее письмо, отправь СМС"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "condition"), len(ofKind(base, "condition"))+1)
			require.Len(t, ofKind(got.Bundle(), "send_sms"), 1)
		}},
	{"rename", map[string]string{"en": "rename the funnel to Spring comeback", "pl": "zmień nazwę lejka na Wiosenny powrót", "ru": "переименуй воронку в Весеннее возвращение"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			changed(t, got)
			require.Contains(t, []string{"Spring comeback", "Wiosenny powrót", "Весеннее возвращение"}, got.Change.Name)
		}},
	{"notify", map[string]string{"en": "notify the team at the end", "pl": "na końcu powiadom zespół", "ru": "в конце уведоми команду"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			require.Len(t, ofKind(changed(t, got), "notify_team"), 1)
		}},
	{"undo", map[string]string{"en": "undo that", "pl": "cofnij to", "ru": "отмени это"},
		func(t *testing.T, _ engine.Bundle, got ai.Result) {
			require.Equal(t, ai.StatusUnchanged, got.Outcome)
			require.True(t, got.Change.Undo)
		}},
	{"which wait", map[string]string{"en": "make the wait 5 days", "pl": "ustaw czekanie na 5 dni", "ru": "сделай ожидание 5 дней"},
		func(t *testing.T, base engine.Bundle, got ai.Result) {
			waits := len(ofKind(base, "wait"))
			if waits > 1 {
				require.Equal(t, ai.StatusClarify, got.Outcome)
				require.Len(t, got.Choices[0], min(waits, 6))
				return
			}
			changed(t, got)
		}},
}

func asJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func TestEachInstructionChangesWhatItAsksForAndNothingElse(t *testing.T) {
	t.Parallel()
	for i, prompt := range basePrompts {
		base := ai.DraftOffline(ai.Request{Prompt: prompt}, ai.Drawable())
		require.Equal(t, ai.StatusGraph, base.Outcome, prompt)
		for _, in := range instructions {
			for lang, say := range in.say {
				t.Run(basePrompts[i][:18]+"/"+in.name+"/"+lang, func(t *testing.T) {
					t.Parallel()
					before := asJSON(t, base.Bundle())
					got := ai.EditOffline(ai.EditRequest{Request: ai.Request{Prompt: say}, Base: base.Bundle()}, ai.Drawable())
					require.Equal(t, string(before), string(asJSON(t, base.Bundle())), "the base was changed")
					require.Equal(t, ai.Offline, got.Engine)
					require.Equal(t, lang, got.Language, "the answer speaks the language of the request")
					for _, question := range append(slices.Concat(got.Choices...), got.Questions...) {
						require.NotRegexp(t, `[a-z]-\d`, question, "a step is called by what it does")
					}
					in.holds(t, base.Bundle(), got)
					if got.Outcome != ai.StatusGraph {
						require.Nil(t, got.Graph)
						return
					}
					untouched(t, base.Bundle(), got)
					partly(t, base.Bundle(), got)
				})
			}
		}
	}
}

// untouched holds an edit to its diff: steps and messages outside it are the same to the byte, there is no new error, and the summary
// says something.
func untouched(t *testing.T, base engine.Bundle, got ai.Result) {
	t.Helper()
	require.Empty(t, ai.NewErrors(base, got.Bundle(), nil))
	require.NotEmpty(t, got.Change.Summary)
	claimed := map[string]bool{}
	for _, g := range got.Change.Groups {
		for _, id := range g.Steps {
			claimed[id] = true
		}
	}
	after := map[string]engine.Node{}
	for _, n := range got.Graph.Nodes {
		after[n.ID] = n
	}
	for _, n := range base.Graph.Nodes {
		is, stays := after[n.ID]
		if claimed[n.ID] {
			continue
		}
		require.True(t, stays, "%s went without being asked for", n.ID)
		require.Equal(t, string(asJSON(t, n)), string(asJSON(t, is)))
		if ref, ok := strings.CutPrefix(creativeOf(t, n), "creative:"); ok {
			require.Equal(t, string(asJSON(t, base.Creatives[ref])), string(asJSON(t, got.Creatives[ref])))
		}
	}
	differs := map[string]bool{}
	for _, c := range engine.Diff(base, got.Bundle()) {
		differs[c.Node] = true
	}
	for _, c := range engine.Diff(base, got.Bundle()) {
		if c.Code == engine.ChangeStepAdded || c.Code == engine.ChangeStepRemoved || c.Code == engine.ChangeField || c.Code == engine.ChangeText {
			require.True(t, claimed[c.Node] || c.Kind == "join", "%s %s is in no group", c.Code, c.Node)
		}
	}
}

func creativeOf(t *testing.T, n engine.Node) string {
	t.Helper()
	var c struct {
		Creative string `json:"creative"`
	}
	require.NoError(t, json.Unmarshal(n.Config, &c))
	return c.Creative
}

// partly takes no group, and each group alone.
func partly(t *testing.T, base engine.Bundle, got ai.Result) {
	t.Helper()
	set := ai.Setting{Kinds: ai.Drawable(), Language: got.Language}
	none, problems := ai.Select(base, got.Change.Ops, nil, set)
	require.Empty(t, problems)
	require.Equal(t, string(asJSON(t, base.Graph)), string(asJSON(t, none.Bundle.Graph)))
	require.Equal(t, string(asJSON(t, base.Creatives)), string(asJSON(t, none.Bundle.Creatives)))
	all := make([]int, 0, len(got.Change.Groups))
	for _, g := range got.Change.Groups {
		all = append(all, g.ID)
		_, problems := ai.Select(base, got.Change.Ops, []int{g.ID}, set)
		require.Empty(t, problems)
	}
	whole, problems := ai.Select(base, got.Change.Ops, all, set)
	require.Empty(t, problems)
	require.Equal(t, string(asJSON(t, *got.Graph)), string(asJSON(t, whole.Bundle.Graph)))
	require.True(t, slices.IsSorted(all))
}

func TestTwoInstructionsInOneSentenceAreTwoGroups(t *testing.T) {
	t.Parallel()
	base := drawn(basePrompts[5])
	for _, say := range []string{"make the wait 3 days and add an SMS", "ustaw czekanie na 3 dni i dodaj SMS", "сделай ожидание 3 дня и добавь СМС"} {
		got := ai.EditOffline(ai.EditRequest{Request: ai.Request{Prompt: say}, Base: base}, ai.Drawable())
		require.Equal(t, ai.StatusGraph, got.Outcome, say)
		require.Len(t, got.Change.Groups, 2, say)
		untouched(t, base, got)
		only, problems := ai.Select(base, got.Change.Ops, []int{1}, ai.Setting{Kinds: ai.Drawable(), Language: "en"})
		require.Empty(t, problems)
		require.Len(t, ofKind(only.Bundle, "send_sms"), 1)
		require.Equal(t, ofKind(base, "wait"), ofKind(only.Bundle, "wait"))
	}
}

func TestAnAnswerToAQuestionNamesItsStep(t *testing.T) {
	t.Parallel()
	base := drawn(basePrompts[9])
	ask := func(prompt string) ai.Result {
		return ai.EditOffline(ai.EditRequest{Request: ai.Request{Prompt: prompt}, Base: base}, ai.Drawable())
	}
	for _, say := range []string{"make the wait 5 days", "ustaw czekanie na 5 dni", "сделай ожидание 5 дней"} {
		first := ask(say)
		require.Equal(t, ai.StatusClarify, first.Outcome)
		got := ask(say + "\n" + first.Choices[0][1])
		require.Equal(t, ai.StatusGraph, got.Outcome, say)
		require.Equal(t, []string{"wait-2"}, got.Change.Groups[0].Steps)
	}
	got := ask("make the wait 5 days\nwait-1")
	require.Equal(t, []string{"wait-1"}, got.Change.Groups[0].Steps, "an id still names its step")
}

func TestAnInstructionMayNameSeveralMessages(t *testing.T) {
	t.Parallel()
	base := drawn(basePrompts[5])
	for say, sent := range map[string][2]int{
		"add an SMS and a push at the end": {1, 1}, "dodaj SMS i push na końcu": {1, 1}, "добавь СМС и пуш в конце": {1, 1},
		"add an SMS after the first email": {1, 0}, "before the first email add a push": {0, 1}, "dodaj push przed pierwszym SMS-em": {0, 0},
	} {
		got := ai.EditOffline(ai.EditRequest{Request: ai.Request{Prompt: say}, Base: base}, ai.Drawable())
		if got.Graph == nil {
			require.Zero(t, sent[0]+sent[1], "%s: %v", say, got.Questions)
			continue
		}
		require.Len(t, ofKind(got.Bundle(), "send_sms"), sent[0], say)
		require.Len(t, ofKind(got.Bundle(), "send_push"), sent[1], say)
		require.Len(t, ofKind(got.Bundle(), "send_email"), len(ofKind(base, "send_email")), say)
		untouched(t, base, got)
	}
}

func TestStepsThatDoTheSameAreToldApart(t *testing.T) {
	t.Parallel()
	base := drawn("When the event order_shipped comes, send an email, wait 2 days, send an email, wait 2 days, send an email, wait 2 days, send an email")
	ask := func(prompt string) ai.Result {
		return ai.EditOffline(ai.EditRequest{Request: ai.Request{Prompt: prompt}, Base: base}, ai.Drawable())
	}
	first := ask("make the wait 5 days")
	require.Equal(t, []string{"Wait 2 d (1 of 3)", "Wait 2 d (2 of 3)", "Wait 2 d (3 of 3)"}, first.Choices[0])
	for i, id := range []string{"wait-1", "wait-2", "wait-3"} {
		got := ask("make the wait 5 days\n" + first.Choices[0][i])
		require.Equal(t, []string{id}, got.Change.Groups[0].Steps)
	}
}

func drawn(prompt string) engine.Bundle {
	r := ai.DraftOffline(ai.Request{Prompt: prompt}, ai.Drawable())
	return r.Bundle()
}
