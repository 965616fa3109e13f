package kindtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// taken is one request a service got.
type taken struct {
	Method, Path string
	Header       http.Header
	Body         string
}

// service is another application, over a real socket. It keeps what it got and answers as the test says.
type service struct {
	URL string

	mu     sync.Mutex
	ledger []taken
}

func newService(t testing.TB, answer func(w http.ResponseWriter, r taken)) *service {
	t.Helper()
	s := &service{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got := taken{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header, Body: string(body)}
		s.mu.Lock()
		s.ledger = append(s.ledger, got)
		s.mu.Unlock()
		answer(w, got)
	}))
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

func (s *service) got() []taken {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]taken(nil), s.ledger...)
}

// branch is a funnel by hand with one step "ask" of a kind: who leaves it by ok comes to "good", the others to "bad".
func branch(kind string, config object, good, bad object) object {
	manual := object{"triggers": []object{{"kind": "manual"}}, "reentry": object{"rule": "after_exit"}}
	node := func(id string, step object) object {
		return object{"id": id, "kind": step["kind"], "name": "", "config": step["config"]}
	}
	return object{
		"graph": object{"schema": 1, "nodes": []object{
			node("start", Step("entry", manual)), node("ask", Step(kind, config)), node("good", good), node("bad", bad),
		}, "edges": []object{
			{"from": "start", "port": "next", "to": "ask"}, {"from": "ask", "port": "ok", "to": "good"}, {"from": "ask", "port": "error", "to": "bad"},
		}}, "creatives": object{},
	}
}

// begin starts a funnel for somebody by hand and works off what follows.
func (w *World) begin(funnel, contact string) {
	w.Helper()
	got := w.Request("POST", "/api/v1/contacts/"+contact+"/start/"+funnel, object{}, w.Admin()...)
	require.Less(w, got.Status, 300, got.Body)
	w.Settle()
}

// way is where somebody's newest run left each step: "start:next ask:ok good:next"; a step that holds it has no port.
func (w *World) way(funnel, contact string) string {
	w.Helper()
	var steps []string
	visits, _ := w.Run(funnel, contact).Get("journal").([]any)
	for i, visit := range visits {
		v, _ := visit.(object)
		node, port := fmt.Sprint(v["node"]), v["port"]
		switch {
		case port != nil:
			steps = append(steps, node+":"+fmt.Sprint(port))
		case i == len(visits)-1:
			steps = append(steps, node)
		}
	}
	return strings.Join(steps, " ")
}

// told is what the journal says of the last visit of a step.
func (w *World) told(funnel, contact, node string) object {
	w.Helper()
	var detail object
	visits, _ := w.Run(funnel, contact).Get("journal").([]any)
	for _, visit := range visits {
		if v, _ := visit.(object); v["node"] == node {
			detail, _ = v["detail"].(object)
		}
	}
	return detail
}

// ask is a funnel with one request. Who comes through has in the field city what was kept of the answer.
func ask(config object) object {
	if _, given := config["save"]; !given {
		config["save"] = []object{{"name": "order", "path": "id"}}
	}
	return branch("http_request", config, setCity(`{{ vars.order | default("none") }}`), setCity("failed"))
}

func setCity(value string) object {
	return Step("set_field", object{"field": "field:city", "value": value})
}

func askWorld(t *testing.T) (w *World, anna string) {
	t.Helper()
	w = New(t)
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	return w, w.Contact("anna@example.com", object{"first_name": "Anna \"the first\""})
}

func TestASavedAnswerKeepsTheDigitsOfAnId(t *testing.T) {
	t.Parallel()
	w, anna := askWorld(t)
	shop := newService(t, func(rw http.ResponseWriter, _ taken) { _, _ = rw.Write([]byte(`{"id":1234567890123456789}`)) })
	funnel := w.Funnel("Ask", ask(object{"url": shop.URL}))
	w.begin(funnel, anna)
	require.Equal(t, "1234567890123456789", w.Call(200, "GET", "/contacts/"+anna, nil).Get("fields.city"))
}

func TestKind_http_request_Works(t *testing.T) {
	t.Parallel()
	w, anna := askWorld(t)
	shop := newService(t, func(rw http.ResponseWriter, _ taken) { _, _ = rw.Write([]byte(`{"data":{"items":[{"id":"A-17"}]}}`)) })
	w.Call(201, "POST", "/connections", object{"kind": "http", "name": "Shop", "base_url": shop.URL + "/v1", "headers": []object{{"name": "X-Api-Key", "value": "canary"}}})
	funnel := w.Funnel("Orders", ask(object{
		"connection": "connection:shop", "method": "PUT", "url": `/people/{{ email }}`, "headers": []object{{"name": "X-Name", "value": `{{ email }}`}},
		"body": `{"name": "Dear {{ first_name }}", "known": {{ first_name }}, "n": {{ 1 + 1 }}}`, "save": []object{{"name": "order", "path": "data.items.0.id"}},
	}))
	w.begin(funnel, anna)
	got := shop.got()
	require.Len(t, got, 1)
	require.Equal(t, "PUT", got[0].Method)
	require.Equal(t, "/v1/people/anna%40example.com", got[0].Path)
	require.Equal(t, "canary", got[0].Header.Get("X-Api-Key"))
	require.Equal(t, "anna@example.com", got[0].Header.Get("X-Name"))
	require.Equal(t, "application/json", got[0].Header.Get("Content-Type"))
	require.NotEmpty(t, got[0].Header.Get("Idempotency-Key"))
	require.JSONEq(t, `{"name": "Dear Anna \"the first\"", "known": "Anna \"the first\"", "n": 2}`, got[0].Body)
	require.Equal(t, "start:next ask:ok good:next", w.way(funnel, anna))
	require.Equal(t, "A-17", w.Run(funnel, anna).Text("vars.order"))
	require.Equal(t, "A-17", w.Call(200, "GET", "/contacts/"+anna, nil).Text("fields.city"))
	require.NotContains(t, w.Run(funnel, anna).Body, "canary")
	w.Audit()
}

func TestKind_http_request_Fails(t *testing.T) {
	t.Parallel()
	w, anna := askWorld(t)
	const failed = "start:next ask:error bad:next"
	t.Run("AfterManyAttemptsWithOneKey", func(t *testing.T) {
		shop := newService(t, func(rw http.ResponseWriter, _ taken) { rw.WriteHeader(http.StatusBadGateway) })
		funnel := w.Funnel("Down", ask(object{"url": shop.URL}))
		w.begin(funnel, anna)
		require.Equal(t, "start:next ask", w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["problem"], "502")
		w.After(time.Hour)
		got := shop.got()
		require.Len(t, got, 8)
		for _, one := range got {
			require.Equal(t, got[0].Header.Get("Idempotency-Key"), one.Header.Get("Idempotency-Key"))
		}
		require.Equal(t, failed, w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["failed"], "502")
	})
	t.Run("AtOnceWhenItWillNotGetBetter", func(t *testing.T) {
		shop := newService(t, func(rw http.ResponseWriter, _ taken) { rw.WriteHeader(http.StatusNotFound) })
		funnel := w.Funnel("Gone", ask(object{"url": shop.URL}))
		w.begin(funnel, anna)
		require.Len(t, shop.got(), 1)
		require.Equal(t, failed, w.way(funnel, anna))
	})
	t.Run("WhenAVariableIsMissing", func(t *testing.T) {
		shop := newService(t, func(http.ResponseWriter, taken) {})
		funnel := w.Funnel("Nameless", ask(object{"url": shop.URL + "/{{ last_name }}"}))
		w.begin(funnel, anna)
		require.Empty(t, shop.got())
		require.Equal(t, failed, w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["failed"], "last_name")
	})
	t.Run("WhenTheAddressIsPrivate", func(t *testing.T) {
		funnel := w.Funnel("Inner", ask(object{"url": "http://169.254.169.254/latest/meta-data/"}))
		w.begin(funnel, anna)
		require.Equal(t, failed, w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["failed"], "not public")
	})
	t.Run("WhenTheConnectionIsGone", func(t *testing.T) {
		shop := newService(t, func(http.ResponseWriter, taken) {})
		connection := w.Call(201, "POST", "/connections", object{"kind": "http", "name": "Late", "base_url": shop.URL}).Text("id")
		funnel := w.Funnel("Late", ask(object{"connection": "connection:late"}))
		got := w.Call(409, "DELETE", "/connections/"+connection, nil)
		require.Contains(t, got.Body, "Late", "whoever wants to remove it hears where it is used")
		w.Call(200, "POST", "/funnels/"+funnel+"/stop", nil)
		w.Call(204, "DELETE", "/connections/"+connection, nil)
	})
	t.Run("AnAnswerWithoutTheValueIsNoFailure", func(t *testing.T) {
		shop := newService(t, func(rw http.ResponseWriter, _ taken) { _, _ = rw.Write([]byte("<html>")) })
		funnel := w.Funnel("Html", ask(object{"url": shop.URL}))
		w.begin(funnel, anna)
		require.Equal(t, "start:next ask:ok good:next", w.way(funnel, anna))
		require.Contains(t, w.told(funnel, anna, "ask")["kept"], "no JSON")
	})
	w.Audit()
}

func TestKind_http_request_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Refused(ask(object{"url": "ftp://shop.example"}), "FIELD_INVALID", "ask")
	w.Refused(ask(object{"connection": "connection:nowhere", "url": "/x"}), "REF_MISSING", "ask")
	w.Refused(ask(object{"url": "https://shop.example", "save": []object{{"name": "Order ID", "path": "id"}}}), "FIELD_INVALID", "ask")
	w.Refused(Line(On("bought"), Step("http_request", object{"url": "https://shop.example"}), setCity(`{{ vars.order | default("none") }}`)), "VAR_UNKNOWN", "set-field-2")
}
