package kindtest

import (
	"io"
	"maps"
	"mime/quotedprintable"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"github.com/stretchr/testify/require"
)

// mailLine is a line of one mail.
func mailLine(creative object, more object) object {
	config := object{"creative": "creative:hello", "class": "marketing"}
	maps.Copy(config, more)
	line := Line(On("go"), Step("send_email", config))
	line["creatives"] = object{"hello": creative}
	return line
}

func TestKind_send_email_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	w.Funnel("Mails", mailLine(Email("Hello {{ first_name | default(\"there\") }}", "Thank you for {{ event.total | money(\"PLN\") }}"), nil))
	w.Contact("anna@example.com", object{"first_name": "Żaneta"})
	w.Event("anna@example.com", "go", object{"total": 12.5})
	w.Settle()
	require.Len(t, sink.Ledger(), 1)
	letter := sink.Ledger()[0]
	require.Equal(t, "anna@example.com", letter.To)
	require.Equal(t, "Hello Żaneta", decodeHeader(t, letter.Header.Get("Subject")))
	require.Contains(t, letter.Header.Get("List-Unsubscribe"), w.URL+"/u/")
	require.Equal(t, "List-Unsubscribe=One-Click", letter.Header.Get("List-Unsubscribe-Post"))
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(letter.Raw)))
	require.NoError(t, err)
	require.Contains(t, string(text), "12.50")
	require.Equal(t, "delivered", w.Call(200, "GET", "/messages?to=anna@example.com", nil).Get("items.0.state"))
	w.Audit()
}

func TestKind_send_email_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	sink := w.SMTP()
	sink.OnRcpt = func(to string) error {
		if strings.HasPrefix(to, "nobody@") {
			return &smtp.SMTPError{Code: 550, EnhancedCode: smtp.EnhancedCode{5, 1, 1}, Message: "no such user"}
		}
		return nil
	}
	w.Funnel("Mails", mailLine(Email("Hello", "Order {{ event.number }}"), nil))
	for _, name := range []string{"nobody", "anna", "gone"} {
		w.Contact(name + "@example.com")
	}
	gone := w.Call(200, "GET", "/contacts?q=gone@example.com", nil).Text("items.0.id")
	w.Call(200, "PUT", "/contacts/"+gone+"/consents", object{"items": []object{{"channel": "email", "state": "denied", "source": "test"}}})
	w.Event("nobody@example.com", "go", object{"number": 1})
	w.Event("anna@example.com", "go", nil) // there is no number to show, and no fallback
	w.Event("gone@example.com", "go", object{"number": 2})
	w.Settle()
	require.Empty(t, sink.Ledger())
	for to, state := range map[string][]string{"nobody": {"failed", "bounced"}, "anna": {"failed"}, "gone": {"skipped", "<nil>"}} {
		require.Contains(t, state, w.Call(200, "GET", "/messages?to="+to+"@example.com", nil).Text("items.0.state"), to)
	}
	w.Audit()
}

func TestKind_send_email_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(mailLine(Email("", "Hello"), nil), "SUBJECT_EMPTY", "send-email-1")
	w.Refused(mailLine(Email("Hello", "Hello {{ shoe_size }}"), nil), "VAR_UNKNOWN", "send-email-1")
	w.Refused(mailLine(Email("Hello", "Hello"), object{"creative": "creative:nothing"}), "CREATIVE_MISSING", "send-email-1")
}

func TestKind_add_tag_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Funnel("Tag", Line(On("go"), w.Tag("met")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"met"}, w.Tags(anna))
	require.Contains(t, w.Call(200, "GET", "/contacts/"+anna+"/timeline", nil).Body, "tag_added")
	w.Audit()
}

func TestKind_add_tag_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	funnel := w.Funnel("Tag", Line(On("go"), w.Tag("met"), w.Tag("after")))
	anna := w.Contact("anna@example.com", object{"tags": []string{"met"}})
	w.Settle()
	before := w.DBCount("SELECT count(*) FROM events WHERE name = 'tag_added'")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"after", "met"}, w.Tags(anna), "one that is on already stops nothing")
	require.Equal(t, before+1, w.DBCount("SELECT count(*) FROM events WHERE name = 'tag_added'"), "and is no news")
	require.Equal(t, "done", w.Run(funnel, anna).Get("run.state"))
	w.Audit()
}

func TestKind_add_tag_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("add_tag", object{})), "FIELD_REQUIRED", "add-tag-1")
	w.Refused(Line(On("go"), Step("add_tag", object{"tag": "tag:nowhere"})), "REF_MISSING", "add-tag-1")
}

func TestKind_remove_tag_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Tag("met")
	w.Tag("vip")
	w.Funnel("Untag", Line(On("go"), Step("remove_tag", object{"tag": "tag:met"})))
	anna := w.Contact("anna@example.com", object{"tags": []string{"met", "vip"}})
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"vip"}, w.Tags(anna))
	require.Contains(t, w.Call(200, "GET", "/contacts/"+anna+"/timeline", nil).Body, "tag_removed")
	w.Audit()
}

func TestKind_remove_tag_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Tag("met")
	funnel := w.Funnel("Untag", Line(On("go"), Step("remove_tag", object{"tag": "tag:met"}), w.Tag("after")))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", nil)
	w.Settle()
	require.Equal(t, []string{"after"}, w.Tags(anna), "one that is not on stops nothing")
	require.Zero(t, w.DBCount("SELECT count(*) FROM events WHERE name = 'tag_removed'"))
	require.Equal(t, "done", w.Run(funnel, anna).Get("run.state"))
	w.Audit()
}

func TestKind_remove_tag_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("remove_tag", object{})), "FIELD_REQUIRED", "remove-tag-1")
	w.Refused(Line(On("go"), Step("remove_tag", object{"tag": "tag:nowhere"})), "REF_MISSING", "remove-tag-1")
}

func TestKind_set_field_Works(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "points", "type": "number", "label": "Points"})
	w.Call(201, "POST", "/fields", object{"key": "city", "type": "text", "label": "City"})
	w.Funnel("Fields", Line(On("go"),
		Step("set_field", object{"field": "field:points", "value": "{{ event.total | default(0) }}"}),
		Step("set_field", object{"field": "field:city", "value": "From {{ event.city | default(\"nowhere\") }}"}),
	))
	anna := w.Contact("anna@example.com")
	w.Event("anna@example.com", "go", object{"total": 12.5, "city": "Łódź"})
	w.Settle()
	got := w.Call(200, "GET", "/contacts/"+anna, nil)
	require.InDelta(t, 12.5, got.Get("fields.points"), 0, "a single hole keeps its type")
	require.Equal(t, "From Łódź", got.Get("fields.city"))
	w.Audit()
}

func TestKind_set_field_Fails(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Call(201, "POST", "/fields", object{"key": "points", "type": "number", "label": "Points"})
	funnel := w.Funnel("Fields", Line(On("go"), Step("set_field", object{"field": "field:points", "value": "{{ event.total | default(0) }}"}), w.Tag("after")))
	anna := w.Contact("anna@example.com", object{"fields": object{"points": 3}})
	w.Event("anna@example.com", "go", object{"total": "many"})
	w.After(time.Hour)
	require.EqualValues(t, 3, w.Call(200, "GET", "/contacts/"+anna, nil).Get("fields.points"), "what is no number does not get into a number's field")
	require.Contains(t, w.Run(funnel, anna).Body, "many", "the journal or the error says why")
	w.Audit()
}

func TestKind_set_field_Refused(t *testing.T) {
	t.Parallel()
	w := New(t)
	w.Refused(Line(On("go"), Step("set_field", object{"field": "field:shoe", "value": "1"})), "REF_MISSING", "set-field-1")
	w.Refused(Line(On("go"), Step("set_field", object{"value": "1"})), "FIELD_REQUIRED", "set-field-1")
}
