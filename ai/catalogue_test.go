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

// whole is a plan with every step a plan has words for.
const whole = `{"id":"main","steps":[
	{"goal":"payment_made","ref":null,"id":"g"},
	{"limit":"quiet_hours","max":null,"per":"none","frm":"21:00","to":"08:00","days":"sat, sun","id":"q"},
	{"limit":"throttle","max":500,"per":"hour","frm":null,"to":null,"days":null,"id":"t"},
	{"notify":"notify_team","to":"sales@acme.example","text":"A new lead","id":"n"},
	{"tag":"add_tag","name":"VIP","id":"a"},{"tag":"remove_tag","name":"lead","id":"r"},
	{"list":"add_to_list","name":"Customers","id":"l"},{"list":"remove_from_list","name":"Leads","id":"m"},
	{"set":"set_field","field":"plan","value":"pro","id":"f"},
	{"call":"http_request","connection":"CRM","id":"h"},
	{"pay":"create_payment","amount":"50 zł","title":"Deposit","id":"p"},
	{"book":"book_slot","service":"Haircut","id":"b"},
	{"funnel":"enter_funnel","name":"Onboarding","id":"e"},
	{"ai":"ai_generate","message":"m1","vars":[{"name":"opening","ask":"A warm line","max":80,"fallback":"Hello"}],"id":"i"},
	{"wait_until":"date_field","ref":"visit_at","timeout_h":null,"before_h":24,"id":"d"},
	{"send":"send_email","message":"m1","id":"s1"},{"send":"send_sms","message":"m2","id":"s2"},{"send":"send_push","message":"m3","id":"s3"},
	{"send":"send_letter","message":"m4","id":"s4"},
	{"if":"segment","ref":"Active","op":"is","value":null,"yes":"one","no":"two","id":"c"}],"next":null},
	{"id":"one","steps":[{"if":"form_submit","ref":"score","op":"lt","value":"7","yes":"two","no":"end","id":"c2"}],"next":null},
	{"id":"two","steps":[{"if":"channel_ok","ref":"sms","op":"is","value":null,"yes":"three","no":"end","id":"c3"}],"next":null},
	{"id":"three","steps":[{"split":"split","arms":[{"label":"A","pct":50,"to":"end"},{"label":"B","pct":50,"to":"four"}],"id":"sp"}],"next":null},
	{"id":"four","steps":[{"funnel":"exit_funnel","name":null,"id":"x"}],"next":null}`

func TestAPlanCoversTheWholeCatalogue(t *testing.T) {
	t.Parallel()
	d := compile(t, plan(whole))
	require.Empty(t, d.Problems)
	var drawn []string
	for _, n := range d.Bundle.Graph.Nodes {
		drawn = append(drawn, n.Kind)
	}
	for _, k := range engine.Catalogue().Nodes {
		if k.Kind != "join" {
			require.Contains(t, append(drawn, "join"), k.Kind)
		}
	}
	for _, p := range engine.Validate(d.Bundle) {
		if p.Severity == engine.Error {
			require.Contains(t, []string{"SUBJECT_EMPTY", "BODY_EMPTY", "UNSUBSCRIBE_MISSING"}, p.Code, "%s %s", p.Node, p.Message)
		}
	}
	configs := map[string]string{}
	for _, n := range d.Bundle.Graph.Nodes {
		configs[n.ID] = string(n.Config)
	}
	require.JSONEq(t, `{"from":"21:00","to":"08:00","days":["sat","sun"]}`, configs["quiet-hours-1"])
	require.JSONEq(t, `{"count":500,"per":{"amount":1,"unit":"hours"}}`, configs["throttle-1"])
	require.JSONEq(t, `{"via":"email","to":"sales@acme.example","text":"A new lead"}`, configs["notify-team-1"])
	require.JSONEq(t, `{"amount":"50","currency":"PLN","title":"Deposit"}`, configs["create-payment-1"])
	require.JSONEq(t, `{"mode":"date_field","field":"field:visit_at","offset":{"amount":1,"unit":"days","direction":"before"}}`, configs["wait-1"])
	require.JSONEq(t, `{"rule":{"segment":"segment:active"}}`, configs["check-1"])
	require.JSONEq(t, `{"rule":{"consent":{"channel":"sms","state":"granted"}}}`, configs["check-3"])
	require.Contains(t, configs["check-2"], `"where":{"field":"score","op":"lt","value":7}`)
}

func TestEveryTriggerOfTheCatalogueIsDrawn(t *testing.T) {
	t.Parallel()
	for kind, c := range map[string]struct{ trigger, config string }{
		"form_submit":     {`"ref":"Contact form"`, `{"kind":"form_submit","form":"form:contact-form"}`},
		"list_join":       {`"ref":"VIP"`, `{"kind":"list_join","list":"list:vip"}`},
		"contact_created": {`"ref":null`, `{"kind":"contact_created"}`},
		"tag_added":       {`"ref":"lead"`, `{"kind":"tag_added","tag":"tag:lead"}`},
		"segment_enter":   {`"ref":"Silent 90"`, `{"kind":"segment_enter","segment":"segment:silent-90"}`},
		"page_visit":      {`"ref":"/pricing","times":2`, `{"kind":"page_visit","url":"/pricing","times":2}`},
		"message_opened":  {`"ref":null`, `{"kind":"message_opened","message":"any"}`},
		"link_clicked":    {`"ref":"Talk to us"`, `{"kind":"link_clicked","message":"any","link":"*talk-to-us*"}`},
		"booking_made":    {`"ref":null`, `{"kind":"booking_made"}`},
		"payment_made":    {`"ref":null,"at_least":1000`, `{"kind":"payment_made","amount":{"op":"gte","value":1000}}`},
		"date_field":      {`"ref":"birthday","when":"yearly 10:00","offset_days":-3`, `{"kind":"date_field","field":"field:birthday","offset":{"amount":3,"unit":"days","direction":"before"},"at":"10:00","yearly":true}`},
		"schedule":        {`"ref":"segment:Active users","when":"weekly mon 08:00"`, `{"kind":"schedule","rrule":"FREQ=WEEKLY;BYDAY=MO;BYHOUR=8;BYMINUTE=0","audience":"segment:active-users"}`},
		"manual":          {`"ref":null`, `{"kind":"manual"}`},
		"api_event":       {`"ref":"order_shipped"`, `{"kind":"api_event","name":"order_shipped"}`},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			d := compile(t, strings.Replace(plan(`{"id":"a","steps":[{"tag":"add_tag","name":"x","id":"t"}],"next":null}`),
				`"trigger":{"kind":"manual","ref":null,"when":null,"offset_days":null}`, `"trigger":{"kind":"`+kind+`",`+c.trigger+`}`, 1))
			require.Empty(t, d.Problems)
			var config struct {
				Triggers []json.RawMessage `json:"triggers"`
			}
			require.NoError(t, json.Unmarshal(d.Bundle.Graph.Nodes[0].Config, &config))
			require.JSONEq(t, c.config, string(config.Triggers[0]))
			for _, p := range engine.Validate(d.Bundle) {
				require.NotEqual(t, engine.Error, p.Severity, p.Message)
			}
		})
	}
	for _, k := range engine.Catalogue().Triggers {
		require.True(t, ai.Drawable().HasTrigger(k.Kind), k.Kind)
	}
}

func TestRecurringTimesAreReadFromWords(t *testing.T) {
	t.Parallel()
	for when, rule := range map[string]string{
		"weekly mon,wed 8:30": "FREQ=WEEKLY;BYDAY=MO,WE;BYHOUR=8;BYMINUTE=30", "daily 07:00": "FREQ=DAILY;BYHOUR=7;BYMINUTE=0", "monthly 15 10:00": "FREQ=MONTHLY;BYMONTHDAY=15;BYHOUR=10;BYMINUTE=0",
		"yearly 03-08": "FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8;BYHOUR=9;BYMINUTE=0", "yearly 02-31": "FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0",
		"biweekly fri": "FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;BYHOUR=9;BYMINUTE=0", "": "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", "FREQ=DAILY;BYHOUR=6": "FREQ=DAILY;BYHOUR=6",
	} {
		d := compile(t, strings.Replace(plan(`{"id":"a","steps":[],"next":null}`), `"kind":"manual","ref":null,"when":null`, `"kind":"schedule","ref":null,"when":"`+when+`"`, 1))
		require.Contains(t, string(d.Bundle.Graph.Nodes[0].Config), `"rrule":"`+rule+`"`)
		require.False(t, slices.ContainsFunc(engine.Validate(d.Bundle), func(p engine.Problem) bool { return p.Code == "REENTRY_ONCE_RECURRING" }))
	}
}
