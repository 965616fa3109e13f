package people

import (
	"fmt"
	"net/mail"
	"strings"
	"time"
	_ "time/tzdata" // zones are checked the same on every machine
	"unicode"
	"unicode/utf8"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/net/idna"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"

	"github.com/lejek/lejek/engine"
)

// Limits of a contact, in characters.
const (
	maxLine  = 200 // a name, an external id, a source
	maxEmail = 254
	maxLocal = 64
	maxText  = 8000 // a custom text field
)

// domains reads the part after the @ as a browser would, and refuses what no name server could hold.
var domains = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.ValidateLabels(true), idna.CheckJoiners(true), idna.CheckHyphens(true),
	idna.StrictDomainName(true), idna.VerifyDNSLength(true))

// Email reads an e-mail address: as it is to be written on a message, and folded, by which it is found. The domain of the
// folded form is ASCII and lower case. The error says to a person what is wrong.
func Email(text string) (email, folded string, err error) {
	email = norm.NFC.String(strings.TrimSpace(text))
	wrong := func(why string) (string, string, error) {
		return "", "", fmt.Errorf("%q is not an e-mail address: %s. Write it like name@example.com", clip(email), why)
	}
	if email == "" {
		return wrong("it is empty")
	}
	if len(email) > maxEmail {
		return wrong(fmt.Sprintf("it is longer than %d characters", maxEmail))
	}
	at := strings.LastIndexByte(email, '@')
	if at < 0 {
		return wrong("the @ is missing")
	}
	local, domain := email[:at], email[at+1:]
	switch {
	case local == "" || len(local) > maxLocal:
		return wrong("the part before the @ is empty or too long")
	case strings.ContainsFunc(email, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return wrong("it contains a space or a line break")
	case strings.ContainsFunc(local, func(r rune) bool { return r > unicode.MaxASCII }):
		return wrong("the part before the @ may only have letters without accents")
	case !strings.Contains(domain, "."):
		return wrong("the part after the @ needs a dot")
	}
	ascii, err := domains.ToASCII(domain)
	if again, errAgain := domains.ToASCII(ascii); err != nil || errAgain != nil || again != ascii {
		return wrong("the part after the @ is not a domain")
	}
	if parsed, err := mail.ParseAddress(local + "@" + ascii); err != nil || parsed.Address != local+"@"+ascii || parsed.Name != "" {
		return wrong("it has a character that does not belong there")
	}
	return email, engine.Fold(local) + "@" + strings.ToLower(ascii), nil
}

// Phone reads a telephone number with its country code into E.164, such as +48601234567.
func Phone(text string) (string, error) {
	number := strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(number, "00"); ok {
		number = "+" + rest
	}
	if !strings.HasPrefix(number, "+") {
		return "", fmt.Errorf("%q is not a telephone number with a country code. Write it like +48 601 234 567", clip(text))
	}
	parsed, err := phonenumbers.Parse(number, phonenumbers.UNKNOWN_REGION)
	if err != nil || !phonenumbers.IsPossibleNumber(parsed) {
		return "", fmt.Errorf("%q is not a telephone number: the country code or the number of digits is wrong. Write it like +48 601 234 567", clip(text))
	}
	return phonenumbers.Format(parsed, phonenumbers.E164), nil
}

// Zone checks an IANA time zone. Empty is the workspace's.
func Zone(text string) (string, error) {
	zone := strings.TrimSpace(text)
	if zone == "" {
		return "", nil
	}
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		return "", fmt.Errorf("%q is not a time zone. Write it like Europe/Warsaw", clip(text))
	}
	return zone, nil
}

// Language checks a language by its code, such as pl or pt-BR. Empty is the workspace's.
func Language(text string) (string, error) {
	code := strings.ReplaceAll(strings.TrimSpace(text), "_", "-")
	if code == "" {
		return "", nil
	}
	tag, err := language.Parse(code)
	if err != nil || tag == language.Und {
		return "", fmt.Errorf("%q is not a language code. Write it like en, pl or pt-BR", clip(text))
	}
	return tag.String(), nil
}

// line reads a one-line text.
func line(text string) (string, error) {
	text = norm.NFC.String(strings.TrimSpace(text))
	if !utf8.ValidString(text) {
		return "", fmt.Errorf("%q is not valid UTF-8. Save the data as UTF-8", clip(strings.ToValidUTF8(text, "?")))
	}
	if strings.ContainsFunc(text, unicode.IsControl) {
		return "", fmt.Errorf("%q contains a line break or a control character. Remove it", clip(text))
	}
	if utf8.RuneCountInString(text) > maxLine {
		return "", fmt.Errorf("%q is longer than %d characters. Shorten it", clip(text), maxLine)
	}
	return text, nil
}

// clip keeps messages short.
func clip(text string) string {
	const limit = 60
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return text
}
