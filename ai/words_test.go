package ai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/engine"
)

// shop is a workspace with names of its own.
func shop() *engine.Workspace {
	return &engine.Workspace{
		Fields: []engine.ContactField{{Key: "city", Type: "text", Label: "City"}, {Key: "points", Type: "number"}, {Key: "vip", Type: "boolean"}},
		Events: map[string][]string{"cart_updated": {"total"}}, Tags: []string{"stali-klienci", "vip"}, Lists: []string{"newsletter"},
	}
}

// mail is a message as a model writes it.
func mail(subject, body, label, url string) string {
	or := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	b, err := json.Marshal(map[string]any{"subject": or(subject), "preheader": or("In short"), "body": body, "cta_label": or(label), "cta_url": or(url), "left_out": []string{}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

const goodBody = "Hi {{ first_name | default(\"there\") }},\n\nThank you for your order. We would love to hear how you like it.\n\n{{ workspace.name }}"

func worded(t *testing.T, prompt, channel string, servers ...*aitest.Server) ai.Words {
	t.Helper()
	return drafter(servers...).Words(t.Context(), ai.WordsRequest{
		Request: ai.Request{Prompt: prompt, Workspace: shop()}, Channel: channel, Variables: []string{"event.total"},
	})
}

func TestAMessageIsWrittenFromASentenceUnderTheModelsName(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(mail("Thank you", goodBody, "Tell us", "https://shop.example/review")))
	got := worded(t, "Thank them for the order and ask for a review at https://shop.example/review, mention the city", "email", s)
	require.NotNil(t, got.Creative, got.Message)
	require.Equal(t, "first", got.Engine)
	require.Equal(t, "Thank you", got.Creative.Subject)
	require.Equal(t, "In short", got.Creative.Preheader)
	texts, _ := got.Creative.Texts()
	require.Contains(t, string(asJSON(t, texts)), "Thank you for your order")
	require.Contains(t, string(asJSON(t, got.Creative.Blocks)), `"expr":"first_name"`, "a variable is a chip")
	require.Contains(t, string(asJSON(t, got.Creative.Blocks)), `"url":"https://shop.example/review"`)
	asked := s.Plans()[0]
	require.Equal(t, "json_schema", asked.Format)
	require.Contains(t, asked.User, `{"name":"city","label":"City"}`)
	require.Contains(t, asked.User, `"event.total"`)
	require.Contains(t, asked.System, "language with code en")
}

func TestAMessageForAPhoneIsShortAndInTheLanguageOfTheSentence(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(`{"subject":null,"preheader":null,"body":"Dzień dobry, zamówienie czeka w salonie. Zapraszamy!","cta_label":null,"cta_url":null,"left_out":["wysyłka jutro rano"]}`))
	got := drafter(s).Words(t.Context(), ai.WordsRequest{Request: ai.Request{Prompt: "Napisz, że zamówienie czeka w salonie, wyślij jutro rano", Language: "en"}, Channel: "sms"})
	require.NotNil(t, got.Creative, got.Message)
	require.Equal(t, "Dzień dobry, zamówienie czeka w salonie. Zapraszamy!", got.Creative.Text)
	require.Equal(t, []string{"Not part of the text: wysyłka jutro rano"}, got.Notes, "the notes are in the language of the interface")
	push := serve(t, aitest.Says(mail("Ready", "Your order is ready to be picked up.", "", "")))
	got = worded(t, "the order is ready", "push", push)
	require.Equal(t, "Ready", got.Creative.Title)
	require.Equal(t, "Your order is ready to be picked up.", got.Creative.Text)
	polish := serve(t, aitest.Says(mail("Dziękujemy", "Dzień dobry,\n\ndziękujemy za zamówienie i prosimy o opinię.", "", "")))
	require.Equal(t, "Dziękujemy", worded(t, "thank them for the order, in Polish", "email", polish).Creative.Subject)
}

func TestWhatAModelInventsInAMessageIsSentBackOnceAndThenNotUsed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ reply, code string }{
		"a discount":           {mail("Thank you", goodBody+"\n\nHere is 20% off.", "", ""), "FACTS"},
		"a price":              {mail("Thank you", goodBody+"\n\nOnly 9 zł.", "", ""), "FACTS"},
		"a code":               {mail("Thank you", goodBody+"\n\nUse BACK15.", "", ""), "FACTS"},
		"a date":               {mail("Thank you", goodBody+"\n\nOnly until 24 December.", "", ""), "FACTS"},
		"an address":           {mail("Thank you", goodBody+"\n\nSee evil.com for more.", "", ""), "FACTS"},
		"the button's address": {mail("Thank you", goodBody, "Go", "https://evil.example"), "FACTS"},
		"a mailbox":            {mail("Thank you", goodBody+"\n\nWrite to boss@shop.example.", "", ""), "FACTS"},
		"a variable":           {mail("Thank you, {{ nickname }}", goodBody, "", ""), "VAR_UNKNOWN"},
		"a template's code":    {mail("Thank you", goodBody+"{% if x %}", "", ""), "MARKUP"},
		"a filter":             {mail("Thank you", "Dear {{ first_name | upper }}, thank you for the order.", "", ""), "VAR_UNKNOWN"},
		"markup":               {mail("Thank you", goodBody+"<script>x</script>", "", ""), "MARKUP"},
		"another language":     {mail("Спасибо", "Спасибо за заказ! Нам важно ваше мнение.", "", ""), "LANGUAGE"},
		"nothing":              {mail("", "", "", ""), "LENGTH"},
		"no JSON":              {"I would rather talk about it.", "FORM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, aitest.Says(c.reply), aitest.Says(mail("Thank you", goodBody, "", "")))
			got := worded(t, "thank them for the order", "email", s)
			require.NotNil(t, got.Creative, got.Message)
			require.Equal(t, "first", got.Engine)
			require.Contains(t, s.Plans()[1].User, c.code)
			s = serve(t, aitest.Says(c.reply))
			got = worded(t, "thank them for the order", "email", s)
			require.Len(t, s.Plans(), 2)
			require.Equal(t, ai.Offline, got.Engine)
			require.NotNil(t, got.Creative, "there is a built-in text that thanks")
			require.Contains(t, got.Notes[0], "could not be used")
		})
	}
}

func TestNumbersAndOffersOfTheSentenceAndOfThePresentTextMayBeUsed(t *testing.T) {
	t.Parallel()
	s := serve(t, aitest.Says(mail("15% off", goodBody+"\n\n15% off with BACK15 until 24 December, orders over {{ event.total | default(\"99\") }}.", "", "")))
	now := engine.Creative{Channel: "email", Subject: "From 99 up", Blocks: []engine.Block{}}
	got := drafter(s).Words(t.Context(), ai.WordsRequest{
		Request: ai.Request{Prompt: "make it friendlier, 15% with code BACK15 until 24 December", Workspace: shop()}, Channel: "email", Variables: []string{"event.total"}, Now: now,
	})
	require.NotNil(t, got.Creative, got.Message)
	require.Contains(t, s.Plans()[0].User, "From 99 up", "the model is told the present words")
}

func TestEachFaultOfAModelLeavesABuiltInTextOrAnHonestRefusal(t *testing.T) {
	t.Parallel()
	for name, reply := range map[string]aitest.Reply{
		"401": aitest.Status(401), "404": aitest.Status(404), "429": aitest.RateLimited(30), "500": aitest.Status(500), "502 page": aitest.HTML(502), "hang": aitest.Hang(),
		"cut off": aitest.CutOff(), "length twice": aitest.Length(`{"subject":`), "no choices": aitest.NoChoices(), "huge": aitest.Huge(2 << 20),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := worded(t, "remind them of the abandoned cart", "email", serve(t, reply))
			require.NotNil(t, got.Creative, got.Message)
			require.Equal(t, ai.Offline, got.Engine)
			require.Contains(t, got.Notes[0], "No AI model was used")
			got = worded(t, "tell them that the lift is broken", "email", serve(t, reply))
			require.Nil(t, got.Creative)
			require.Contains(t, got.Message, "The model first")
			require.Contains(t, got.Message, "No built-in text fits")
			live := serve(t, aitest.Says(mail("The lift", "The lift is broken, please take the stairs for now.", "", "")))
			got = worded(t, "tell them that the lift is broken", "email", serve(t, reply), live)
			require.Equal(t, "second", got.Engine)
			require.Contains(t, got.Notes[0], "the reserve second did")
		})
	}
	for name, reply := range map[string]aitest.Reply{"refusal": aitest.Refusal("I cannot help with that."), "content filter": aitest.ContentFilter()} {
		reserve := serve(t, aitest.Says(mail("x", goodBody, "", "")))
		got := worded(t, "remind them of the abandoned cart", "email", serve(t, reply), reserve)
		require.Nil(t, got.Creative, name)
		require.Contains(t, got.Message, "declined")
		require.Empty(t, reserve.Asked(), "a no is not shopped around")
	}
}

func TestWithoutAModelABuiltInTextSaysThatItIsOne(t *testing.T) {
	t.Parallel()
	for prompt, c := range map[string]struct{ channel, holds, note string }{
		"abandoned cart reminder with 15% off, code BACK15": {"email", "BACK15", "does not follow the details"},
		"przypomnij o porzuconym koszyku, kod WROC10":       {"sms", "WROC10", "nie uwzględnia szczegółów"},
		"поздравь с днём рождения":                          {"push", "", "не учтены"},
		"thank them for the order":                          {"letter", "hank", "No AI model was used"},
	} {
		got := worded(t, prompt, c.channel)
		require.NotNil(t, got.Creative, prompt)
		require.Equal(t, ai.Offline, got.Engine)
		require.Equal(t, c.channel, got.Creative.Channel)
		require.Contains(t, string(asJSON(t, got.Creative)), c.holds, prompt)
		require.Contains(t, strings.Join(got.Notes, " "), c.note, prompt)
	}
	for prompt, says := range map[string]string{
		"tell them that the lift is broken": "No built-in text fits",
		"napisz, że winda nie działa":       "nie pasuje żaden gotowy tekst",
		"напиши, что лифт не работает":      "не подходит ни один готовый текст",
		"   ": "Say in a sentence",
	} {
		got := worded(t, prompt, "email")
		require.Nil(t, got.Creative, prompt)
		require.Contains(t, got.Message, says)
	}
	got := worded(t, "tell them that the lift is broken", "email")
	got.Explain("no_key")
	require.Contains(t, got.Message, "connect a model under Settings, AI")
}
