package kindtest

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
)

// model puts a fake model behind the step.
func (w *World) model(replies ...aitest.Reply) *aitest.Server {
	w.Helper()
	server := aitest.Start(replies...)
	w.Cleanup(server.Close)
	w.App.Worker.Wording.Writer = ai.NewWriter(http.DefaultClient, ai.Provider{BaseURL: server.URL, Key: "sk-test", Model: "fake"})
	return server
}

// written is a text by AI and a mail that shows it.
func written(attributes ...string) object {
	line := Line(On("go"),
		Step("ai_generate", object{"variables": []object{{"name": "opening", "instruction": "Greet warmly", "max": 40, "fallback": "Good to have you"}}, "attributes": attributes}),
		Step("send_email", object{"creative": "creative:hello"}))
	line["creatives"] = object{"hello": Email("{{ vars.opening }}", "Hello")}
	return line
}

func TestKind_ai_generate_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	server := w.model(aitest.Says(`{"opening":"Dzień dobry z Krakowa"}`))
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	funnel := w.Funnel("Written", written("field:city"))
	anna := w.Contact("anna@example.com", object{"first_name": "Anna", "fields": object{"city": "Kraków"}})
	jan := w.Contact("jan@example.com", object{"first_name": "Jan", "fields": object{"city": "Kraków"}})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, "Dzień dobry z Krakowa", w.only(anna).Text("message.subject"))
	asked := server.Asked()
	require.Len(t, asked, 1)
	require.Equal(t, "Bearer sk-test", asked[0].Authorization)
	require.JSONEq(t, `{"language":"en","texts":[{"name":"opening","instruction":"Greet warmly","limit":40,"links":false}],"person":{"city":"Kraków"}}`,
		asked[0].User, "what is not allowed does not leave")
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	require.Equal(t, "Dzień dobry z Krakowa", w.only(jan).Text("message.subject"))
	require.Len(t, server.Asked(), 1, "the same values are not paid for twice")
	require.Equal(t, 1, w.DBCount("SELECT sum(written) FROM ai_usage"))
	require.Contains(t, w.Run(funnel, jan).Body, `"cached":true`)
	w.Audit()
}

func TestKind_ai_generate_Fails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		replies []aitest.Reply
		daily   int
		reason  string
		asked   int
	}{
		"without a key":        {nil, 10, "no_key", 0},
		"a wrong key":          {[]aitest.Reply{aitest.Status(401)}, 10, "auth", 1},
		"a refusal":            {[]aitest.Reply{aitest.Refusal("no")}, 10, "refusal", 1},
		"text with an address": {[]aitest.Reply{aitest.Says(`{"opening":"see https://evil.example"}`)}, 10, "unfit", 2},
		"the day is used up":   {[]aitest.Reply{aitest.Says(`{"opening":"hi"}`)}, 0, "quota", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := New(t)
			var server *aitest.Server
			if c.replies != nil {
				server = w.model(c.replies...)
			}
			w.App.Worker.Wording.Daily = c.daily
			funnel := w.Funnel("Written", written())
			anna := w.Contact("anna@example.com")
			w.Event("anna@example.com", "go", nil)
			w.Settle()
			require.Equal(t, "Good to have you", w.only(anna).Text("message.subject"))
			require.Contains(t, w.Run(funnel, anna).Body, `"fallback":"`+c.reason+`"`, "the journal says why")
			require.Zero(t, w.DBCount("SELECT coalesce(sum(written), 0) FROM ai_usage"))
			if server != nil {
				require.Len(t, server.Asked(), c.asked)
			}
			w.Audit()
		})
	}
	t.Run("nobody answers until the deadline", func(t *testing.T) {
		t.Parallel()
		w := New(t)
		w.model(aitest.Status(500))
		w.Funnel("Written", written())
		anna := w.Contact("anna@example.com")
		w.Event("anna@example.com", "go", nil)
		w.Settle()
		w.After(11 * time.Minute)
		require.Equal(t, "Good to have you", w.only(anna).Text("message.subject"))
		w.Audit()
	})
}

func TestKind_ai_generate_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	line := written()
	w.Refused(Line(On("go"), Step("ai_generate", object{"variables": []object{{"name": "opening", "instruction": "Greet", "max": 40, "fallback": ""}}})), "FIELD_REQUIRED", "ai-generate-1")
	w.Refused(written("field:shoe_size"), "REF_MISSING", "ai-generate-1")
	w.Refused(written("field:email"), "FIELD_INVALID", "ai-generate-1")
	line["creatives"] = object{"hello": Email("{{ vars.closing }}", "Hello")}
	w.Refused(line, "VAR_UNKNOWN", "send-email-2")
}

// ahead is a wait of three hours, a tag, a text by AI and a mail that shows it.
func ahead(texts string) object {
	line := Line(On("go"), Step("wait", object{"mode": "duration", "for": object{"amount": 3, "unit": "hours"}}), Step("add_tag", object{"tag": "tag:waited"}),
		Step("ai_generate", object{"variables": []object{{"name": "opening", "instruction": "Greet warmly", "max": 40, "fallback": "Good to have you"}}, "attributes": []string{"field:city"}, "texts": texts}),
		Step("send_email", object{"creative": "creative:hello"}))
	line["creatives"] = object{"hello": Email("{{ vars.opening }}", "Hello")}
	return line
}

func TestTextsArePreparedBeforeAWaitEndsAndNobodyWaitsForThem(t *testing.T) {
	t.Parallel()
	w := New(t)
	server := w.model(aitest.Says(`{"opening":"Dzień dobry"}`))
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Tag("waited")
	funnel := w.Funnel("Ahead", ahead("live"))
	anna := w.Contact("anna@example.com", object{"fields": object{"city": "Gdynia"}})
	jan := w.Contact("jan@example.com", object{"fields": object{"city": "Gdynia"}})
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.Settle()
	w.After(119 * time.Minute)
	require.Empty(t, server.Asked(), "who leaves early costs nothing")
	w.After(2 * time.Minute)
	require.Len(t, server.Asked(), 1, "one call for both")
	server.Close() // whatever happens to the model now, the text is there
	w.After(time.Hour)
	for _, person := range []string{anna, jan} {
		require.Equal(t, "Dzień dobry", w.only(person).Text("message.subject"))
		require.Contains(t, w.Run(funnel, person).Body, `"cached":true`)
		require.NotContains(t, w.Run(funnel, person).Body, `"problem"`)
	}
	require.Equal(t, 1, w.DBCount("SELECT count(*) FROM ai_calls WHERE op = 'texts' AND task_id IS NULL"), "the call is accounted for")
	w.Audit()
}

// either is a wait of three hours and a condition, with a text by AI and a mail on each of its ways.
func either() object {
	writes := func(id, ask, fallback string) object {
		return object{"id": id, "kind": "ai_generate", "config": object{"variables": []object{{"name": "opening", "instruction": ask, "max": 40, "fallback": fallback}}, "attributes": []string{"field:city"}, "texts": "live"}}
	}
	sends := func(id string) object {
		return object{"id": id, "kind": "send_email", "config": object{"creative": "creative:hello"}}
	}
	link := func(from, port, to string) object { return object{"from": from, "port": port, "to": to} }
	return object{
		"graph": object{
			"schema": 1,
			"nodes": []object{
				{"id": "in", "kind": "entry", "config": object{"triggers": []object{On("go")}}},
				{"id": "wait", "kind": "wait", "config": object{"mode": "duration", "for": object{"amount": 3, "unit": "hours"}}},
				{"id": "which", "kind": "condition", "config": object{"rule": object{"tag": "tag:vip"}}},
				writes("ai-vip", "Greet a regular", "Good to have you"), sends("mail-vip"), writes("ai-new", "Greet a newcomer", "Hello"), sends("mail-new"),
			},
			"edges": []object{
				link("in", "next", "wait"), link("wait", "next", "which"), link("which", "yes", "ai-vip"), link("ai-vip", "next", "mail-vip"),
				link("which", "no", "ai-new"), link("ai-new", "next", "mail-new"),
			},
		},
		"creatives": object{"hello": Email("{{ vars.opening }}", "Hello")},
	}
}

func TestTheTextsOfBothWaysOfAConditionAreWrittenOnceBeforeTheWaitEnds(t *testing.T) {
	t.Parallel()
	w := New(t)
	server := w.model(func(rw http.ResponseWriter, r *http.Request, asked aitest.Asked) {
		text := "Hello, newcomer"
		if strings.Contains(asked.User, "Greet a regular") {
			text = "Hello, regular"
		}
		aitest.Says(`{"opening":"`+text+`"}`)(rw, r, asked)
	})
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Tag("vip")
	funnel := w.Funnel("Either", either())
	anna := w.Contact("anna@example.com", object{"fields": object{"city": "Gdynia"}, "tags": []string{"vip"}})
	jan := w.Contact("jan@example.com", object{"fields": object{"city": "Gdynia"}})
	ola := w.Contact("ola@example.com", object{"fields": object{"city": "Gdynia"}})
	for _, who := range []string{"anna", "jan", "ola"} {
		w.Event(who+"@example.com", "go", nil)
	}
	w.Settle()
	w.After(121 * time.Minute)
	require.Len(t, server.Asked(), 2, "one call for each way, whoever goes it")
	server.Close() // whatever happens to the model now, the texts are there
	w.After(time.Hour)
	for person, subject := range map[string]string{anna: "Hello, regular", jan: "Hello, newcomer", ola: "Hello, newcomer"} {
		require.Equal(t, subject, w.only(person).Text("message.subject"))
		require.Contains(t, w.Run(funnel, person).Body, `"cached":true`)
	}
	w.Audit()
}

func TestAModelThatIsAwayDuringTheWaitIsAskedAgainAndALateTextIsTheFallback(t *testing.T) {
	t.Parallel()
	w := New(t)
	server := w.model(aitest.Status(500), aitest.Status(500), aitest.Says(`{"opening":"Back again"}`))
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Tag("waited")
	funnel := w.Funnel("Ahead", ahead("live"))
	anna := w.Contact("anna@example.com", object{"fields": object{"city": "Gdynia"}})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	w.After(3 * time.Hour)
	require.Equal(t, "Back again", w.only(anna).Text("message.subject"))
	require.Len(t, server.Asked(), 3)
	require.NotContains(t, w.Run(funnel, anna).Body, "problem", "what is prepared is no part of a person's way")
	w.Audit()
}

func TestOnlyApprovedTextsAreSentWhereTheStepSaysSo(t *testing.T) {
	t.Parallel()
	w := New(t)
	server := w.model(aitest.Says(`{"opening":"Unseen"}`))
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Tag("waited")
	anna := w.Contact("anna@example.com", object{"fields": object{"city": "Gdynia"}})
	jan := w.Contact("jan@example.com", object{"fields": object{"city": "Sopot"}})
	funnel := w.Funnel("Approved", ahead("approved"))
	texts := w.Call(200, "GET", "/funnels/"+funnel+"/texts", nil)
	for _, v := range texts.Get("items.0.variants").([]any) {
		variant := v.(map[string]any)
		if variant["values"].(map[string]any)["city"] == "Gdynia" {
			w.Call(200, "PUT", "/funnels/"+funnel+"/texts/ai-generate-3/variants/"+variant["id"].(string), object{"state": "approved", "texts": object{"opening": "By hand, for Gdynia"}})
		}
	}
	w.Event("anna@example.com", "go", nil)
	w.Event("jan@example.com", "go", nil)
	w.After(3 * time.Hour)
	require.Equal(t, "By hand, for Gdynia", w.only(anna).Text("message.subject"))
	require.Equal(t, "Good to have you", w.only(jan).Text("message.subject"))
	require.Contains(t, w.Run(funnel, jan).Body, `"fallback":"unapproved"`)
	require.Empty(t, server.Asked())
	w.Audit()
}

func TestATextThatWasRefusedIsNotSent(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.model(aitest.Says(`{"opening":"Unseen"}`))
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	funnel := w.Funnel("Refused", written("field:city"))
	anna := w.Contact("anna@example.com", object{"fields": object{"city": "Gdynia"}})
	variant := w.Call(200, "GET", "/funnels/"+funnel+"/texts", nil).Text("items.0.variants.0.id")
	w.Call(200, "PUT", "/funnels/"+funnel+"/texts/ai-generate-1/variants/"+variant, object{"state": "refused"})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, "Good to have you", w.only(anna).Text("message.subject"))
	require.Contains(t, w.Run(funnel, anna).Body, `"fallback":"refused"`)
	w.Audit()
}
