package connections

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
)

const (
	maxName    = 200
	maxSecret  = 4000
	maxHeaders = 20
)

var (
	slugShape     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,62}$`)
	headerShape   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	telegramToken = regexp.MustCompile(`^[0-9]{3,20}:[A-Za-z0-9_-]{20,100}$`)
	stripeKey     = regexp.MustCompile(`^(sk|rk)_(test|live)_[A-Za-z0-9_]{8,250}$`)
	stripeSigning = regexp.MustCompile(`^whsec_[A-Za-z0-9+/=_-]{8,250}$`)
	chatShape     = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,64})$`)
)

// ownHeaders are set by the request itself.
var ownHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "idempotency-key"}

// headers judges those given. A value that is left out stays as it is stored, unless the address has moved to another host.
func headers(given []Header, stored map[string]string, moved bool, no func(path, format string, args ...any)) (kept map[string]string, names []string) {
	kept = map[string]string{}
	for i, header := range given {
		at := fmt.Sprintf("headers.%d", i)
		value, there := stored[header.Name]
		switch {
		case !headerShape.MatchString(header.Name):
			no(at+".name", "%q is no name of a header. Enter one such as X-Api-Key.", clip(header.Name))
		case slices.Contains(ownHeaders, strings.ToLower(header.Name)):
			no(at+".name", "%q is set by Lejek. Remove it.", header.Name)
		case header.Value == nil && (!there || moved):
			no(at+".value", "Enter the value of %q.", header.Name)
		case header.Value != nil && (len(*header.Value) > maxSecret || strings.ContainsAny(*header.Value, "\r\n\x00")):
			no(at+".value", "The value must be one line of at most %d characters.", maxSecret)
		}
		put(&value, header.Value)
		if _, twice := kept[header.Name]; twice {
			no(at+".name", "%q is there twice.", header.Name)
		}
		kept[header.Name] = value
		names = append(names, header.Name)
	}
	return kept, names
}

// apply puts an input on top of what there is and judges the whole.
func apply(row store.Connection, hidden secrets, settings Settings, in Input) (store.Connection, secrets, Settings, error) {
	var wrong []fault.Field
	no := func(path, format string, args ...any) {
		wrong = append(wrong, fault.Field{Path: path, Message: fmt.Sprintf(format, args...)})
	}
	before, stored := base(row), len(row.Secret) > 0
	put(&row.Name, in.Name)
	put(&row.BaseURL, in.BaseURL)
	put(&settings.Chat, in.Chat)
	put(&hidden.Token, in.Token)
	put(&hidden.Signing, in.Signing)
	row.BaseURL = strings.TrimRight(row.BaseURL, "/")
	moved := stored && hostOf(before) != hostOf(base(row))
	if in.Headers != nil {
		hidden.Headers, settings.Headers = headers(in.Headers, hidden.Headers, moved, no)
	} else if moved && len(hidden.Headers) > 0 {
		no("headers", "The address is on another host. Enter the values of the headers again.")
	}
	if moved && in.Token == nil && hidden.Token != "" {
		no("token", "The address is on another host. Enter the key again.")
	}
	if row.Name == "" || utf8.RuneCountInString(row.Name) > maxName || strings.ContainsAny(row.Name, "\r\n\x00") {
		no("name", "Enter a name of at most %d characters.", maxName)
	}
	if row.Slug != "" && !slugShape.MatchString(row.Slug) {
		no("slug", "Use small letters, digits, - and _ for the slug.")
	}
	if len(hidden.Headers) > maxHeaders {
		no("headers", "At most %d headers.", maxHeaders)
	}
	judge(row, hidden, settings, no)
	settings.Token, settings.Signing = hidden.Token != "", hidden.Signing != ""
	return row, hidden, settings, fault.InvalidFields(wrong)
}

// judge says what a connection of its kind needs.
func judge(row store.Connection, hidden secrets, settings Settings, no func(path, format string, args ...any)) {
	needsAddress := row.Kind == HTTP
	switch row.Kind {
	case HTTP:
		if hidden.Token != "" {
			no("token", "Enter keys of a web service as headers.")
		}
	case Slack:
		if target, err := outgoing.Target(hidden.Token); err != nil || target.Path == "" || len(hidden.Token) > maxSecret {
			no("token", "Enter the address of the incoming webhook, such as https://hooks.slack.com/services/...")
		}
	case Telegram:
		if !telegramToken.MatchString(hidden.Token) {
			no("token", "Enter the token of the bot, as BotFather gave it: digits, a colon, letters.")
		}
		if !chatShape.MatchString(settings.Chat) {
			no("chat", "Enter the chat: its number, or @ and the name of a channel.")
		}
	case Stripe:
		if !stripeKey.MatchString(hidden.Token) {
			no("token", "Enter a secret or restricted key of Stripe. It begins with sk_ or rk_.")
		}
		if hidden.Signing != "" && !stripeSigning.MatchString(hidden.Signing) {
			no("signing_secret", "Enter the signing secret of the webhook. It begins with whsec_.")
		}
	default:
		no("kind", "There is no kind %q. Use http, slack, telegram or stripe.", clip(row.Kind))
		return
	}
	if row.Kind != HTTP && len(hidden.Headers) > 0 {
		no("headers", "Only a web service has headers.")
	}
	if row.BaseURL == "" && !needsAddress {
		return
	}
	target, err := outgoing.Target(row.BaseURL)
	switch {
	case err != nil:
		no("base_url", "Enter the address of the service. %s.", sentence(err.Error()))
	case target.RawQuery != "" || target.Fragment != "":
		no("base_url", "Leave away what follows ? or #.")
	case row.Kind == Slack:
		no("base_url", "Slack needs only the address of the webhook.")
	}
}

func put(at, value *string) {
	if value != nil {
		*at = strings.TrimSpace(*value)
	}
}

// The addresses of services that have one.
var usual = map[string]string{Telegram: "https://api.telegram.org", Stripe: "https://api.stripe.com"}

// base is the address of a connection's service.
func base(row store.Connection) string {
	if row.BaseURL == "" {
		return usual[row.Kind]
	}
	return row.BaseURL
}

func hostOf(address string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return parsed.Scheme + "://" + parsed.Host
}

func clip(text string) string { return store.Text(text, 80) }

func sentence(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
