package forms

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/engine"
)

// MaxBody is the largest body of answers, in bytes.
const MaxBody = 64 << 10

const (
	maxAnswer = 1000
	maxArea   = 5000
)

// The members of a body that are no answers. Keys of questions never begin with _.
const (
	memberConsent  = "_consent"
	memberToken    = "_token"
	memberHoneypot = "_website"
	memberVisitor  = "_visitor"
	memberKey      = "_key"
)

// Sent is a body of answers, read but not judged.
type Sent struct {
	Answers  map[string]any // text, number, boolean
	Consent  bool
	Token    string // says when the form was shown
	Honeypot string // what no person sees and fills in
	Visitor  uuid.UUID
	Key      string // the sender's
}

// Decode reads a body: a JSON object, or a form as browsers send it.
func Decode(contentType string, body []byte) (Sent, error) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = ""
	}
	members := map[string]any{}
	switch {
	case len(body) > MaxBody:
		return Sent{}, fault.New(fault.TooLarge, "The answers are too large: at most %d bytes.", MaxBody)
	case !utf8.Valid(body):
		return Sent{}, fault.New(fault.Invalid, "The answers are not UTF-8. Encode them so and send them again.")
	case kind == "application/json":
		decoder := json.NewDecoder(bytes.NewReader(engine.KeepDigits(body)))
		if err := decoder.Decode(&members); err != nil || decoder.More() || members == nil {
			return Sent{}, fault.New(fault.Invalid, "The body is not a JSON object of answers, such as {\"email\": \"anna@example.com\"}.")
		}
	case kind == "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(body))
		if err != nil {
			return Sent{}, fault.New(fault.Invalid, "The form is not encoded as a form.")
		}
		for key, all := range values {
			members[key] = all[len(all)-1]
		}
	default:
		return Sent{}, fault.New(fault.Invalid, "Send the answers as application/json or application/x-www-form-urlencoded; say so in the header Content-Type.")
	}
	return sentOf(members)
}

func sentOf(members map[string]any) (Sent, error) {
	sent := Sent{Answers: map[string]any{}}
	var c checker
	for key, value := range members {
		switch value.(type) {
		case string, float64, bool, nil:
		default:
			c.addf(key, "Expected a text, a number, or true or false.")
			continue
		}
		text, _ := value.(string)
		if strings.ContainsRune(key+text, 0) {
			c.addf("", "A text holds the character NUL, which cannot be stored. Take it out.")
			continue
		}
		switch key {
		case memberConsent:
			sent.Consent = truth(value)
		case memberToken:
			sent.Token = text
		case memberHoneypot:
			sent.Honeypot = text
		case memberKey:
			sent.Key = text
		case memberVisitor:
			sent.Visitor, _ = uuid.Parse(text) // an odd one is no visitor
		default:
			sent.Answers[key] = value
		}
	}
	if len(sent.Key) > maxName {
		c.addf(memberKey, "The key is too long: at most %d bytes.", maxName)
	}
	return sent, fault.InvalidFields(c.wrong)
}

func truth(value any) bool {
	switch v := value.(type) {
	case bool:
		return v
	case string:
		return slices.Contains([]string{"on", "true", "1", "yes"}, strings.ToLower(v))
	case float64:
		return v != 0
	}
	return false
}

// judge checks the answers against the questions: what is left are answers of the right type, by key.
func judge(fields []Field, sent Sent, consentRequired bool) (map[string]any, error) {
	var c checker
	answers := map[string]any{}
	known := map[string]bool{}
	for _, f := range fields {
		known[f.Key] = true
		value, err := f.answer(sent.Answers[f.Key])
		switch {
		case err != nil:
			c.addf(f.Key, "%s.", capital(err.Error()))
		case value != nil:
			answers[f.Key] = value
		case f.Required:
			c.addf(f.Key, "Please fill in “%s”.", f.Label)
		}
	}
	for key := range sent.Answers {
		if !known[key] {
			c.addf(short(key), "This form does not ask for that. Leave it out.")
		}
	}
	if consentRequired && !sent.Consent {
		c.addf(memberConsent, "Please tick the box to agree.")
	}
	slices.SortFunc(c.wrong, func(a, b fault.Field) int { return strings.Compare(a.Path, b.Path) })
	return answers, fault.InvalidFields(c.wrong)
}

// answer reads one answer; nil is none.
func (f Field) answer(value any) (any, error) {
	text := ""
	switch v := value.(type) {
	case string:
		text = strings.TrimSpace(v)
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	case bool:
		text = strconv.FormatBool(v)
	}
	if f.Type == "checkbox" {
		if !truth(value) {
			return nil, nil
		}
		return true, nil
	}
	if text == "" {
		return nil, nil
	}
	most := maxAnswer
	if f.Type == "textarea" {
		most = maxArea
	}
	if n := utf8.RuneCountInString(text); n > most {
		return nil, fmt.Errorf("this is too long: %d characters of at most %d", n, most)
	}
	switch f.Type {
	case "email":
		email, _, err := people.Email(text)
		return email, err
	case "phone":
		return asAny(people.Phone(text))
	case "number":
		n, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", "."), 64)
		if err != nil || n != n || n > 1e15 || n < -1e15 {
			return nil, fmt.Errorf("%q is not a number", short(text))
		}
		return n, nil
	case "date":
		day, err := engine.ParseDate(text)
		if err != nil {
			return nil, err
		}
		return day.String(), nil
	case "select":
		if !slices.Contains(f.Options, text) {
			return nil, fmt.Errorf("%q is not one of the choices", short(text))
		}
	}
	return text, nil
}

func asAny(text string, err error) (any, error) { return text, err }

func short(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

func capital(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(r)) + text[size:]
}
