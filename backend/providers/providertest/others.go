package providertest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/clock"
)

var number = regexp.MustCompile(`^(whatsapp:)?\+[1-9]\d{6,14}$`)

// Twilio takes texts of an account.
func Twilio(t testing.TB, account, token string) *Fake {
	t.Helper()
	wrong := func(status, code int, text string) *Refusal {
		return &Refusal{Status: status, Body: map[string]any{"code": code, "message": text, "status": status}}
	}
	return start(t, &Fake{
		sends: post("/2010-04-01/Accounts/" + account + "/Messages.json"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if user, password, ok := r.BasicAuth(); !ok || user != account || password != token {
				return Entry{}, wrong(http.StatusUnauthorized, 20003, "Authenticate")
			}
			if body == nil {
				return Entry{}, nil
			}
			values, err := url.ParseQuery(string(body))
			switch {
			case err != nil || !number.MatchString(values.Get("To")):
				return Entry{}, wrong(http.StatusBadRequest, 21211, "Invalid 'To' Phone Number")
			case values.Get("From") == "" && values.Get("MessagingServiceSid") == "":
				return Entry{}, wrong(http.StatusBadRequest, 21603, "A 'From' phone number is required")
			case values.Get("Body") == "" && values.Get("ContentSid") == "":
				return Entry{}, wrong(http.StatusBadRequest, 21602, "Message body is required")
			case len(values.Get("Body")) > 1600:
				return Entry{}, wrong(http.StatusBadRequest, 21617, "The concatenated message body exceeds the 1600 character limit")
			case strings.HasPrefix(values.Get("To"), "whatsapp:") != strings.HasPrefix(values.Get("From"), "whatsapp:"):
				return Entry{}, wrong(http.StatusBadRequest, 63007, "Twilio could not find a Channel with the specified From address")
			case strings.HasSuffix(values.Get("To"), "000000"):
				return Entry{}, wrong(http.StatusBadRequest, 21610, "Attempt to send to unsubscribed recipient")
			}
			return Entry{To: values.Get("To"), Text: values.Get("Body"), At: clock.Machine{}.Now()}, nil
		},
		list: func(w http.ResponseWriter, r *http.Request, ledger []Entry) bool {
			if r.Method != http.MethodGet || r.URL.Path != "/2010-04-01/Accounts/"+account+"/Messages.json" {
				return false
			}
			messages := []map[string]string{}
			for _, e := range ledger {
				if e.To == r.URL.Query().Get("To") && e.At.UTC().Format(time.DateOnly) >= r.URL.Query().Get("DateSent>") {
					messages = append(messages, map[string]string{"sid": "SM" + e.ID, "to": e.To, "body": e.Text, "direction": "outbound-api", "date_created": e.At.UTC().Format(time.RFC1123Z)})
				}
			}
			reply(w, http.StatusOK, map[string]any{"messages": messages})
			return true
		},
		answer: func(w http.ResponseWriter, e Entry) {
			reply(w, http.StatusCreated, map[string]string{"sid": "SM" + e.ID, "status": "queued"})
		},
	})
}

// Lob takes letters under a key.
func Lob(t testing.TB, key string) *Fake {
	t.Helper()
	return start(t, &Fake{
		Keys: true, sends: post("/v1/letters"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if user, password, ok := r.BasicAuth(); !ok || user != key || password != "" {
				return Entry{}, unauthorized()
			}
			if body == nil {
				return Entry{}, nil
			}
			fields, pdf, ok := formOf(r, body)
			if !ok || !bytes.HasPrefix(pdf, []byte("%PDF")) {
				return Entry{}, invalid("file must be a PDF")
			}
			for _, name := range []string{"to[name]", "to[address_line1]", "to[address_city]", "from", "color"} {
				if fields[name] == "" {
					return Entry{}, invalid(name + " is required")
				}
			}
			return Entry{To: fields["to[name]"], Text: fields["to[address_line1]"] + ", " + fields["to[address_zip]"] + " " + fields["to[address_city]"]}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) { reply(w, http.StatusOK, map[string]string{"id": "ltr_" + e.ID}) },
	})
}

func formOf(r *http.Request, body []byte) (map[string]string, []byte, bool) {
	r.Body = http.NoBody
	again, err := http.NewRequestWithContext(r.Context(), r.Method, r.URL.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, false
	}
	again.Header = r.Header
	if again.ParseMultipartForm(10<<20) != nil {
		return nil, nil, false
	}
	fields := map[string]string{}
	for name, values := range again.MultipartForm.Value {
		fields[name] = values[0]
	}
	file, _, err := again.FormFile("file")
	if err != nil {
		return nil, nil, false
	}
	var pdf bytes.Buffer
	_, err = pdf.ReadFrom(file)
	return fields, pdf.Bytes(), err == nil
}

// Receiver takes signed requests, with a PDF or without.
func Receiver(t testing.TB, secret string) *Fake {
	t.Helper()
	return start(t, &Fake{
		Keys: true, sends: func(r *http.Request) bool { return r.Header.Get("Webhook-Id") != "check" },
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			if body == nil { // a look: its body is known
				body = []byte(`{"channel":"check","id":"check"}`)
			}
			if !webhookSigned(r, body, secret) {
				return Entry{}, unauthorized()
			}
			if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
				fields, pdf, ok := formOf(r, body)
				if !ok || !bytes.HasPrefix(pdf, []byte("%PDF")) {
					return Entry{}, invalid("no PDF")
				}
				return Entry{To: strings.Split(fields["address"], "\n")[0]}, nil
			}
			var m struct{ To, Text string }
			if json.Unmarshal(body, &m) != nil {
				return Entry{}, invalid("no JSON")
			}
			return Entry{To: m.To, Text: m.Text}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) { reply(w, http.StatusOK, map[string]string{"id": e.ID}) },
	})
}

// Browser is one subscription at a push service, with the keys that only the browser has.
type Browser struct {
	*Fake

	Token string // as a page stores it
	key   *ecdh.PrivateKey
	auth  []byte
}

// Push is a push service with one browser that takes notifications of whoever holds the key of VAPID.
func Push(t testing.TB, vapid string) *Browser {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	require.NoError(t, err)
	b := &Browser{key: key, auth: make([]byte, 16)}
	_, err = rand.Read(b.auth)
	require.NoError(t, err)
	b.Fake = start(t, &Fake{
		sends: post("/push/1"),
		check: func(r *http.Request, body []byte) (Entry, *Refusal) {
			ttl, err := strconv.Atoi(r.Header.Get("Ttl"))
			switch {
			case err != nil || ttl < 0:
				return Entry{}, &Refusal{Status: http.StatusBadRequest, Body: map[string]string{"message": "TTL is missing"}}
			case !vapidGood(r, vapid):
				return Entry{}, &Refusal{Status: http.StatusForbidden, Body: map[string]string{"message": "the proof of VAPID is not good"}}
			case r.Header.Get("Content-Encoding") != "aes128gcm":
				return Entry{}, &Refusal{Status: http.StatusUnsupportedMediaType, Body: map[string]string{"message": "aes128gcm is needed"}}
			case len(body) > 4096:
				return Entry{}, &Refusal{Status: http.StatusRequestEntityTooLarge, Body: map[string]string{"message": "too large"}}
			}
			plain, ok := b.open(body)
			if !ok {
				return Entry{}, &Refusal{Status: http.StatusBadRequest, Body: map[string]string{"message": "the browser cannot read it"}}
			}
			return Entry{To: "1", Text: string(plain)}, nil
		},
		answer: func(w http.ResponseWriter, e Entry) {
			w.Header().Set("Location", "/message/"+e.ID)
			w.WriteHeader(http.StatusCreated)
		},
	})
	token, err := json.Marshal(map[string]any{"endpoint": b.URL + "/push/1", "keys": map[string]string{
		"p256dh": base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes()), "auth": base64.RawURLEncoding.EncodeToString(b.auth),
	}})
	require.NoError(t, err)
	b.Token = string(token)
	return b
}

// open decrypts as the browser does (RFC 8291).
func (b *Browser) open(body []byte) ([]byte, bool) {
	if len(body) < 21+65 || binary.BigEndian.Uint32(body[16:20]) < 18 || body[20] != 65 {
		return nil, false
	}
	salt, theirs, sealed := body[:16], body[21:86], body[86:]
	public, err := ecdh.P256().NewPublicKey(theirs)
	if err != nil {
		return nil, false
	}
	shared, err := b.key.ECDH(public)
	if err != nil {
		return nil, false
	}
	derive := func(secret, salt []byte, info string, n int) []byte {
		key, err := hkdf.Key(sha256.New, secret, salt, info, n)
		if err != nil {
			return nil
		}
		return key
	}
	material := derive(shared, b.auth, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(theirs), 32)
	block, err := aes.NewCipher(derive(material, salt, "Content-Encoding: aes128gcm\x00", 16))
	if err != nil {
		return nil, false
	}
	box, err := cipher.NewGCM(block)
	if err != nil {
		return nil, false
	}
	plain, err := box.Open(nil, derive(material, salt, "Content-Encoding: nonce\x00", 12), sealed, nil)
	if err != nil || len(plain) == 0 || plain[len(plain)-1] != 2 {
		return nil, false
	}
	return plain[:len(plain)-1], true
}

// vapidGood checks the proof of RFC 8292.
func vapidGood(r *http.Request, public string) bool {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), "vapid t=")
	if !ok {
		return false
	}
	token, key, ok := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if !ok || key != public || len(parts) != 3 {
		return false
	}
	point, err1 := base64.RawURLEncoding.DecodeString(key)
	signature, err2 := base64.RawURLEncoding.DecodeString(parts[2])
	raw, err3 := base64.RawURLEncoding.DecodeString(parts[1])
	if err1 != nil || err2 != nil || err3 != nil || len(signature) != 64 {
		return false
	}
	verifier, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return false
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(verifier, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return false
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	left := time.Duration(0)
	if json.Unmarshal(raw, &claims) == nil {
		left = time.Unix(claims.Exp, 0).Sub(clock.Machine{}.Now())
	}
	return claims.Aud == "http://"+r.Host && left > 0 && left <= 24*time.Hour && (strings.HasPrefix(claims.Sub, "mailto:") || strings.HasPrefix(claims.Sub, "https:"))
}
