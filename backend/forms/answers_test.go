package forms

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
)

var questions = []Field{
	{Key: "email", Type: "email", Label: "E-mail", Required: true}, {Key: "phone", Type: "phone", Label: "Phone"}, {Key: "n", Type: "number", Label: "Number"},
	{Key: "day", Type: "date", Label: "Day"}, {Key: "size", Type: "select", Label: "Size", Options: []string{"S", "M"}},
	{Key: "more", Type: "textarea", Label: "More"}, {Key: "yes", Type: "checkbox", Label: "Yes"},
}

func TestDecodeReadsBothShapesAlike(t *testing.T) {
	t.Parallel()
	asJSON, err := Decode("application/json; charset=utf-8", []byte(`{"email":" anna@example.com ","n":1.5,"day":"2026-12-24","size":"M","yes":true,"_consent":true,"_key":"k","_website":""}`))
	require.NoError(t, err)
	asForm, err := Decode("application/x-www-form-urlencoded", []byte(`email=anna%40example.com&n=1%2C5&day=2026-12-24&size=M&yes=on&_consent=on&_key=k&_website=`))
	require.NoError(t, err)
	want := map[string]any{"email": "anna@example.com", "n": 1.5, "day": "2026-12-24", "size": "M", "yes": true}
	for _, sent := range []Sent{asJSON, asForm} {
		require.True(t, sent.Consent)
		require.Equal(t, "k", sent.Key)
		answers, err := judge(questions, sent, true)
		require.NoError(t, err)
		require.Equal(t, want, answers)
	}
}

func TestDecodeRefusesWhatIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ kind, body string }{
		"AnotherType": {"text/xml", "<a/>"}, "NoType": {"", "{}"}, "AList": {"application/json", "[]"}, "Null": {"application/json", "null"},
		"Two": {"application/json", "{}{}"}, "Nested": {"application/json", `{"email":{"a":1}}`}, "NUL": {"application/json", `{"email":"a\u0000"}`},
		"NotUTF8": {"application/json", "{\"email\":\"\xff\"}"}, "BrokenForm": {"application/x-www-form-urlencoded", "a=%zz"},
	} {
		_, err := Decode(c.kind, []byte(c.body))
		require.Equal(t, fault.Invalid, fault.CodeOf(err), name)
	}
	_, err := Decode("application/json", make([]byte, MaxBody+1))
	require.Equal(t, fault.TooLarge, fault.CodeOf(err))
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{`{"email":"anna@example.com","_consent":true}`, `{"n":"1e999","day":"2026-02-30"}`, `{"phone":"+48 601","size":"L"}`, `email=a&yes=on`, `%00=%00`} {
		f.Add(true, []byte(seed))
		f.Add(false, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, asJSON bool, body []byte) {
		kind := "application/x-www-form-urlencoded"
		if asJSON {
			kind = "application/json"
		}
		sent, err := Decode(kind, body)
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err))
			return
		}
		answers, err := judge(questions, sent, false)
		if err != nil {
			require.Equal(t, fault.Invalid, fault.CodeOf(err))
			return
		}
		require.NotEmpty(t, answers["email"])
		raw, err := json.Marshal(answers)
		require.NoError(t, err)
		require.True(t, utf8.Valid(raw))
		again, err := judge(questions, Sent{Answers: answers}, false)
		require.NoError(t, err)
		require.Equal(t, answers, again, "an answer that was read is an answer")
	})
}
