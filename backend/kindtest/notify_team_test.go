package kindtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newSlack is an incoming webhook of Slack: it takes a JSON object with a text and nothing it does not know.
func newSlack(t testing.TB) (s *service, webhook string) {
	s = newService(t, func(w http.ResponseWriter, r taken) {
		var payload map[string]any
		switch text, ok := "", false; {
		case r.Method != http.MethodPost || r.Path != "/services/T0/B0/canary":
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte("no_service"))
		case r.Header.Get("Content-Type") != "application/json" || json.Unmarshal([]byte(r.Body), &payload) != nil:
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write([]byte("invalid_payload"))
		default:
			if text, ok = payload["text"].(string); !ok || text == "" || len(payload) != 1 {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = w.Write([]byte("no_text"))
				return
			}
			_, _ = w.Write([]byte("ok"))
		}
	})
	return s, s.URL + "/services/T0/B0/canary"
}

const botToken = "123456:canaryCanaryCanaryCanary"

// newTelegram is the Bot API of Telegram, as far as sendMessage goes.
func newTelegram(t testing.TB) *service {
	slow := true
	return newService(t, func(w http.ResponseWriter, r taken) {
		var message struct {
			ChatID string `json:"chat_id"`
			Text   string `json:"text"`
		}
		refuse := func(status int, body string) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
		switch err := json.Unmarshal([]byte(r.Body), &message); {
		case !strings.HasPrefix(r.Path, "/bot"+botToken+"/"):
			refuse(http.StatusUnauthorized, `{"ok":false,"error_code":401,"description":"Unauthorized"}`)
		case r.Path != "/bot"+botToken+"/sendMessage":
			refuse(http.StatusNotFound, `{"ok":false,"error_code":404,"description":"Not Found"}`)
		case err != nil || message.Text == "" || len([]rune(message.Text)) > 4096:
			refuse(http.StatusBadRequest, `{"ok":false,"error_code":400,"description":"Bad Request: message text is empty"}`)
		case message.ChatID != "-100200300":
			refuse(http.StatusBadRequest, `{"ok":false,"error_code":400,"description":"Bad Request: chat not found"}`)
		case slow:
			slow = false
			refuse(http.StatusTooManyRequests, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 60","parameters":{"retry_after":60}}`)
		default:
			_, _ = w.Write([]byte(`{"ok":true,"result":{"message_id":1}}`))
		}
	})
}

func TestKind_notify_team_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	eve := w.Contact("eve@example.com", object{"first_name": "<Eve> & *co*"})
	manual := object{"kind": "manual"}
	const text = "New: {{ first_name }}\nCall her."

	t.Run("BySlack", func(t *testing.T) {
		slack, webhook := newSlack(t)
		w.Call(201, "POST", "/connections", object{"kind": "slack", "name": "Sales", "token": webhook})
		funnel := w.Funnel("Slack", Line(manual, Step("notify_team", object{"via": "slack", "connection": "connection:sales", "text": text})))
		w.begin(funnel, eve)
		require.Len(t, slack.got(), 1)
		require.JSONEq(t, `{"text": "New: &lt;Eve&gt; &amp; *co*\nCall her."}`, slack.got()[0].Body)
		require.Equal(t, "slack", w.told(funnel, eve, "notify-team-1")["told"])
		require.NotContains(t, w.Run(funnel, eve).Body, "canary")
	})
	t.Run("ByTelegram", func(t *testing.T) {
		telegram := newTelegram(t)
		w.Call(201, "POST", "/connections", object{"kind": "telegram", "name": "Bot", "base_url": telegram.URL, "token": botToken, "chat": "-100200300"})
		funnel := w.Funnel("Telegram", Line(manual, Step("notify_team", object{"via": "telegram", "connection": "connection:bot", "text": text})))
		w.begin(funnel, eve)
		require.Len(t, telegram.got(), 1)
		require.Equal(t, "entry:next notify-team-1:next", w.way(funnel, eve), "the run has gone on")
		w.After(59 * time.Second)
		require.Len(t, telegram.got(), 1, "it asked for a minute's rest")
		w.After(time.Second)
		require.Len(t, telegram.got(), 2)
		require.JSONEq(t, `{"chat_id": "-100200300", "text": "New: <Eve> & *co*\nCall her."}`, telegram.got()[1].Body)
	})
	t.Run("ByMailInTheSandbox", func(t *testing.T) {
		funnel := w.Funnel("Mail", Line(manual, Step("notify_team", object{"via": "email", "text": text})))
		w.begin(funnel, eve)
		inbox := w.Call(200, "GET", "/messages?"+url.Values{"to": {"anna@lejek.example"}}.Encode(), nil)
		require.Equal(t, "New: <Eve> & *co*", inbox.Text("items.0.subject"), "everybody of the team gets it: so far Anna")
		require.Equal(t, "sandbox", inbox.Text("items.0.provider"))
	})
	t.Run("ByMailToAnAddress", func(t *testing.T) {
		sink := w.SMTP()
		funnel := w.Funnel("Boss", Line(manual, Step("notify_team", object{"via": "email", "to": "boss@example.com, second@example.com", "text": text})))
		w.begin(funnel, eve)
		require.Len(t, sink.Ledger(), 2)
		require.Equal(t, "boss@example.com", sink.Ledger()[0].To)
		require.Contains(t, sink.Ledger()[0].Raw, "Call her.")
	})
	w.Audit()
}

func TestKind_notify_team_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	eve := w.Contact("eve@example.com")
	slack, webhook := newSlack(t)
	w.Call(201, "POST", "/connections", object{"kind": "slack", "name": "Sales", "token": strings.Replace(webhook, "canary", "wrong-canary", 1)})
	funnel := w.Funnel("Slack", Line(object{"kind": "manual"}, Step("notify_team", object{"via": "slack", "connection": "connection:sales", "text": "Hello"}), w.Tag("on")))
	w.begin(funnel, eve)
	require.Equal(t, []string{"on"}, w.Tags(eve), "a lost notice never stops a run")
	require.Len(t, slack.got(), 1)
	require.Contains(t, w.told(funnel, eve, "notify-team-1")["failed"], "no_service")
	require.NotContains(t, w.Run(funnel, eve).Body, "canary")
	w.Audit()
}

func TestKind_notify_team_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	manual := object{"kind": "manual"}
	w.Refused(Line(manual, Step("notify_team", object{"via": "slack", "text": "Hello"})), "FIELD_REQUIRED", "notify-team-1")
	w.Refused(Line(manual, Step("notify_team", object{"via": "slack", "connection": "connection:nowhere", "text": "Hello"})), "REF_MISSING", "notify-team-1")
	w.Refused(Line(manual, Step("notify_team", object{"via": "email", "to": "boss", "text": "Hello"})), "FIELD_INVALID", "notify-team-1")
	w.Refused(Line(manual, Step("notify_team", object{"via": "email"})), "FIELD_REQUIRED", "notify-team-1")
}
