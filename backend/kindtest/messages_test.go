package kindtest

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/creative/pdftest"
)

// sendLine is a line of one message of any channel.
func sendLine(kind string, creative, more object) object {
	config := object{"creative": "creative:hello", "class": "marketing"}
	maps.Copy(config, more)
	line := Line(On("go"), Step(kind, config))
	line["creatives"] = object{"hello": creative}
	return line
}

// only is the one message of a person.
func (w *World) only(contact string) Answer {
	w.Helper()
	list := w.Call(200, "GET", "/messages?contact="+contact, nil)
	require.Nil(w, list.Get("items.1"), list.Body)
	return w.Call(200, "GET", "/messages/"+list.Text("items.0.id"), nil)
}

// fate is the state of somebody's one message and why.
func (w *World) fate(contact string) string {
	w.Helper()
	got := w.only(contact)
	return got.Text("message.state") + " " + got.Text("message.reason")
}

// deny lets somebody refuse a channel.
func (w *World) deny(contact, channel string) {
	w.Helper()
	w.Call(200, "PUT", "/contacts/"+contact+"/consents", object{"items": []object{{"channel": channel, "state": "denied", "source": "test"}}})
	w.Settle() // or the run that begins meanwhile would end by it
}

// live makes the workspace send for real, with a mail server and nothing else.
func (w *World) live() { w.Helper(); w.SMTP() }

func sms(text string) object { return object{"channel": "sms", "text": text} }

func TestKind_send_sms_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Texts", sendLine("send_sms", sms("Cześć {{ first_name }}! https://shop.example/c/7 €"), object{"sender": "Aurora"}))
	anna := w.Contact("anna@example.com", object{"phone": "+48501502503", "first_name": "Żaneta"})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	got := w.only(anna)
	require.Equal(t, "sms", got.Text("message.channel"))
	require.Equal(t, "+48501502503", got.Text("message.to"))
	require.Equal(t, "Aurora", got.Text("headers.From"))
	require.Regexp(t, `^Cześć Żaneta! `+w.URL+`/s/[0-9A-Za-z]{10} €$`, got.Text("text"))
	require.Equal(t, "https://shop.example/c/7", got.Text("message.links.0.url"))
	require.Equal(t, "ucs2", got.Text("sms.encoding"))
	require.EqualValues(t, len([]rune(got.Text("text"))), got.Get("sms.units"))
	require.EqualValues(t, 1, got.Get("sms.parts"))
	short := strings.Fields(got.Text("text"))[2]
	led := w.Request("GET", strings.TrimPrefix(short, w.URL), nil, "User-Agent", person)
	require.Equal(t, 302, led.Status)
	require.Equal(t, "https://shop.example/c/7", led.Header.Get("Location"))
	require.Equal(t, 404, w.Request("GET", "/s/0000000000", nil).Status)
	w.Call(200, "PATCH", "/workspace", object{"short_links": false})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Contains(t, w.Call(200, "GET", "/messages?to=%2B48501502503", nil).Text("items.0.subject"), "https://shop.example/c/7", "as the author wrote it")
	w.Audit()
}

func TestKind_send_sms_Works_ByWhatsApp(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Texts", sendLine("send_sms", object{"channel": "whatsapp", "text": "Hello", "template": "hello_1"}, object{"via": "whatsapp"}))
	anna := w.Contact("anna@example.com", object{"phone": "+48501502503"})
	jan := w.Contact("jan@example.com", object{"phone": "+48501502504"})
	w.deny(jan, "whatsapp")
	for _, email := range []string{"anna@example.com", "jan@example.com"} {
		w.Event(email, "go", nil)
	}
	w.Settle()
	got := w.only(anna)
	require.Equal(t, "whatsapp", got.Text("message.channel"))
	require.Equal(t, "hello_1", got.Text("headers.Template"))
	require.Equal(t, "skipped unsubscribed", w.fate(jan), "SMS alone was agreed to")
	w.Audit()
}

func TestKind_send_sms_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Texts", sendLine("send_sms", sms("Order {{ event.number }}"), nil))
	people := map[string]string{}
	for name, phone := range map[string]string{"anna": "+48501502503", "left": "+48501502504", "none": "", "real": "+48501502505"} {
		more := object{}
		if phone != "" {
			more["phone"] = phone
		}
		people[name] = w.Contact(name+"@example.com", more)
	}
	w.deny(people["left"], "sms")
	w.Event("anna@example.com", "go", nil) // without a number
	for _, name := range []string{"left", "none"} {
		w.Event(name+"@example.com", "go", object{"number": 1})
	}
	w.Settle()
	w.live()
	w.Event("real@example.com", "go", object{"number": 1})
	w.Settle()
	require.Equal(t, "failed variable: event.number", w.fate(people["anna"]))
	require.Equal(t, "skipped unsubscribed", w.fate(people["left"]))
	require.Equal(t, "skipped no_address", w.fate(people["none"]))
	require.Equal(t, "failed no_provider", w.fate(people["real"]), "not silently into the Test inbox")
	w.Audit()
}

func TestKind_send_sms_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(sendLine("send_sms", sms(" "), nil), "BODY_EMPTY", "send-sms-1")
	w.Refused(sendLine("send_sms", Email("Hello", "Hello"), nil), "FIELD_INVALID", "send-sms-1")
	w.Refused(sendLine("send_sms", sms("Hi {{ shoe_size }}"), nil), "VAR_UNKNOWN", "send-sms-1")
}

var push = object{"channel": "push", "title": "Hi {{ first_name }}", "text": "New classes", "url": "https://shop.example/new", "icon": "https://shop.example/i.png"}

func TestKind_send_push_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Pushes", sendLine("send_push", push, nil))
	anna := w.Contact("anna@example.com", object{"first_name": "Anna"})
	w.Call(201, "POST", "/contacts/"+anna+"/devices", object{"platform": "web", "token": "https://push.example/1"})
	device := w.Call(201, "POST", "/contacts/"+anna+"/devices", object{"platform": "ios", "token": "abc"}).Text("id")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	got := w.only(anna)
	require.Equal(t, "web, ios", got.Text("message.to"))
	require.Equal(t, "Hi Anna", got.Text("push.title"))
	require.Equal(t, "New classes", got.Text("push.text"))
	require.Equal(t, "https://shop.example/i.png", got.Text("push.icon"))
	led := w.Request("GET", strings.TrimPrefix(got.Text("push.url"), w.URL), nil, "User-Agent", person)
	require.Equal(t, "https://shop.example/new", led.Header.Get("Location"))
	w.Call(204, "DELETE", "/contacts/"+anna+"/devices/"+device, nil)
	require.Nil(t, w.Call(200, "GET", "/contacts/"+anna+"/devices", nil).Get("items.1"))
	w.Audit()
}

func TestKind_send_push_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Pushes", sendLine("send_push", push, nil))
	none := w.Contact("none@example.com", object{"first_name": "Nora"})
	late := w.Contact("late@example.com", object{"first_name": "Lena"})
	w.Call(201, "POST", "/contacts/"+late+"/devices", object{"platform": "android", "token": "x"})
	w.Event("none@example.com", "go", nil)
	w.Call(200, "POST", "/workspace/pause-sending", nil)
	w.Event("late@example.com", "go", nil)
	w.Settle()
	w.After(25 * time.Hour)
	w.Call(200, "POST", "/workspace/resume-sending", nil)
	w.Settle()
	require.Equal(t, "skipped no_address", w.fate(none))
	require.Equal(t, "expired expired", w.fate(late))
	w.Audit()
}

func TestKind_send_push_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(sendLine("send_push", object{"channel": "push", "title": "Hi", "text": ""}, nil), "BODY_EMPTY", "send-push-1")
	w.Refused(sendLine("send_push", object{"channel": "push", "text": "Hi", "url": "javascript:alert(1)"}, nil), "FIELD_INVALID", "send-push-1")
}

func letter(text string) object {
	return object{"channel": "letter", "blocks": []object{
		{"id": "b1", "type": "heading", "text": "Dziękujemy", "level": 1},
		{"id": "b2", "type": "text", "doc": object{"type": "doc", "content": []object{{"type": "paragraph", "content": []object{{"type": "text", "text": text}}}}}},
	}}
}

func TestKind_send_letter_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	for _, key := range []string{"street", "postal_code", "city", "country"} {
		w.Call(201, "POST", "/fields", object{"key": key, "type": "text", "label": key})
	}
	w.Funnel("Letters", sendLine("send_letter", letter("Съешь ещё этих булок, {{ first_name }}. Zażółć gęślą jaźń."), nil))
	anna := w.Contact("anna@example.com", object{"first_name": "Żaneta", "last_name": "Łęcka",
		"fields": object{"street": "ul. Długa 7/3", "postal_code": "31-147", "city": "Kraków"}})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	got := w.only(anna)
	require.Equal(t, "delivered", got.Text("message.state"), got.Body)
	require.Equal(t, []any{"Żaneta Łęcka", "ul. Długa 7/3", "31-147 Kraków"}, got.Get("letter.address"))
	require.EqualValues(t, 1, got.Get("letter.pages"))
	page := w.Call(200, "GET", "/messages/"+got.Text("message.id")+"/letter.pdf", nil)
	require.Equal(t, "application/pdf", page.Header.Get("Content-Type"))
	text, err := pdftest.Text([]byte(page.Body))
	require.NoError(t, err)
	for _, line := range []string{"Żaneta Łęcka", "ul. Długa 7/3", "31-147 Kraków", "Dziękujemy", "Съешь ещё этих булок, Żaneta. Zażółć gęślą jaźń."} {
		require.Contains(t, text, line)
	}
	w.Call(204, "DELETE", "/contacts/"+anna, nil)
	require.Equal(t, 404, w.Request("GET", "/api/v1/messages/"+got.Text("message.id")+"/letter.pdf", nil, w.Admin()...).Status)
	w.Audit()
}

func TestKind_send_letter_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	for _, key := range []string{"street", "city"} {
		w.Call(201, "POST", "/fields", object{"key": key, "type": "text", "label": key})
	}
	w.Funnel("Letters", sendLine("send_letter", letter("Hello"), object{"class": "transactional"}))
	none := w.Contact("none@example.com", object{"fields": object{"city": "Kraków"}})
	housed := w.Contact("real@example.com", object{"fields": object{"city": "Kraków", "street": "Długa 7"}})
	w.Event("none@example.com", "go", nil)
	w.live()
	w.Event("real@example.com", "go", nil)
	w.Settle()
	require.Equal(t, "skipped no_address", w.fate(none))
	require.Equal(t, "failed no_provider", w.fate(housed))
	w.Audit()
}

func TestKind_send_letter_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(sendLine("send_letter", object{"channel": "letter", "blocks": []object{}}, nil), "BODY_EMPTY", "send-letter-1")
	button := letter("Hello")
	button["blocks"] = append(button["blocks"].([]object), object{"id": "b3", "type": "button", "text": "x", "url": "https://x.example"})
	w.Refused(sendLine("send_letter", button, nil), "FIELD_INVALID", "send-letter-1")
}
