package providers

import (
	"bytes"
	"context"
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
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/lejek/lejek/backend/mailwire"
	"github.com/lejek/lejek/backend/outgoing"
)

// WebPush is the push services of browsers.
const WebPush = "webpush"

var _ = register(Kind{
	Name: WebPush, Channels: []string{"push"}, open: openWebPush,
	Fields: []Field{{Name: "subject", Required: true, Example: "mailto:push@example.com"}, {Name: "private_key", Secret: true, Required: true}},
})

const (
	defaultTTL = 24 * time.Hour
	tokenLife  = 12 * time.Hour // of the proof of who we are; a day at most
	recordSize = 4096
	maxPush    = 3800 // bytes of a notification before it is encrypted
)

type webPush struct {
	web

	subject string
	key     *ecdsa.PrivateKey
	public  []byte // as browsers take it
}

// NewPushKey makes a key of VAPID and its public part, as browsers take it.
func NewPushKey() (private, public string, err error) {
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return "", "", fmt.Errorf("make a key: %w", err)
	}
	return encode64(key.Bytes()), encode64(key.PublicKey().Bytes()), nil
}

// PushPublicKey is the public part of a private key.
func PushPublicKey(private string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(private)
	if err != nil {
		return "", errors.New("the key is not in base64url")
	}
	key, err := ecdh.P256().NewPrivateKey(raw)
	if err != nil {
		return "", errors.New("this is no key of VAPID: 32 bytes in base64url are")
	}
	return encode64(key.PublicKey().Bytes()), nil
}

func encode64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func openWebPush(s Settings) (Adapter, error) {
	var c struct {
		Subject string `json:"subject"`
	}
	if err := config(s, &c, "private_key"); err != nil {
		return nil, err
	}
	public, err := PushPublicKey(s.Secret["private_key"])
	if err != nil {
		return nil, err
	}
	raw, err := base64.RawURLEncoding.DecodeString(s.Secret["private_key"])
	if err != nil {
		return nil, errors.New("the key is not in base64url")
	}
	point, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return nil, errors.New("the key is not in base64url")
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, errors.New("this is no key of VAPID")
	}
	return &webPush{web: web{settings: s, name: "The push service", taken: func(a outgoing.Answer) string { return a.Header.Get("Location") }}, subject: c.Subject, key: key, public: point}, nil
}

// Send implements Adapter. A person may have several browsers: what one took was sent.
func (w *webPush) Send(ctx context.Context, parcels []Parcel, progress Progress) []Outcome {
	return each(ctx, len(parcels), func(i int) Outcome {
		progress.Begun(i)
		outcome := w.all(ctx, parcels[i])
		progress.Ended(i, outcome)
		return outcome
	})
}

func (w *webPush) all(ctx context.Context, p Parcel) Outcome {
	best := Outcome{Answer: mailwire.Answer{Verdict: mailwire.Refused, Code: "no_device", Detail: "no browser of this person takes notifications", Recipient: true}}
	var gone []string
	for _, device := range p.Devices {
		if device.Platform != "web" {
			continue
		}
		request, err := w.encrypted(p, device.Token)
		if err != nil {
			gone = append(gone, device.Token)
			continue
		}
		outcome := w.one(ctx, request)
		if outcome.Code == strconv.Itoa(http.StatusNotFound) || outcome.Code == strconv.Itoa(http.StatusGone) {
			gone = append(gone, device.Token)
			continue
		}
		if better(outcome, best) {
			best = outcome
		}
	}
	best.Gone = gone
	return best
}

// better tells which of two outcomes of one person's devices counts.
func better(a, b Outcome) bool {
	rank := map[mailwire.Verdict]int{mailwire.Accepted: 4, mailwire.Uncertain: 3, mailwire.Postponed: 2, mailwire.Refused: 1}
	return rank[a.Verdict] >= rank[b.Verdict]
}

type subscription struct {
	Endpoint string `json:"endpoint"`
	Keys     struct {
		P256dh string `json:"p256dh"`
		Auth   string `json:"auth"`
	} `json:"keys"`
}

// encrypted is the request for one browser, which alone can read it.
func (w *webPush) encrypted(p Parcel, token string) (outgoing.Request, error) {
	var to subscription
	if err := json.Unmarshal([]byte(token), &to); err != nil {
		return outgoing.Request{}, errors.New("the subscription cannot be read")
	}
	body := p.Text
	if len(body) > maxPush/2 {
		body = string(bytes.ToValidUTF8([]byte(body[:maxPush/2]), nil))
	}
	plain, err := json.Marshal(map[string]string{"title": p.Subject, "body": body, "url": p.Link, "icon": p.Icon, "id": p.Key()})
	if err != nil {
		return outgoing.Request{}, fmt.Errorf("write a notification: %w", err)
	}
	sealed, err := encryptPush(plain, to.Keys.P256dh, to.Keys.Auth)
	if err != nil {
		return outgoing.Request{}, err
	}
	authorization, err := w.vapid(to.Endpoint)
	if err != nil {
		return outgoing.Request{}, err
	}
	ttl := defaultTTL
	if left := p.Expires.Sub(w.settings.Now()); !p.Expires.IsZero() && left > 0 && left < ttl {
		ttl = left
	}
	topic := sum256(p.Message[:])
	return outgoing.Request{Method: http.MethodPost, URL: to.Endpoint, Body: sealed, Header: http.Header{
		"Authorization": {authorization}, "Content-Encoding": {"aes128gcm"}, "Content-Type": {"application/octet-stream"}, "Ttl": {strconv.Itoa(int(ttl.Seconds()))},
		"Urgency": {"normal"}, "Topic": {encode64(topic[:24])}, // the same message replaces itself
	}}, nil
}

// vapid proves who we are to the push service of an endpoint (RFC 8292).
func (w *webPush) vapid(endpoint string) (string, error) {
	at, err := url.Parse(endpoint)
	if err != nil || at.Host == "" {
		return "", errors.New("the endpoint cannot be read")
	}
	claims, err := json.Marshal(map[string]any{"aud": at.Scheme + "://" + at.Host, "exp": w.settings.Now().Add(tokenLife).Unix(), "sub": w.subject})
	if err != nil {
		return "", fmt.Errorf("write a proof: %w", err)
	}
	text := encode64([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode64(claims)
	r, s, err := ecdsa.Sign(rand.Reader, w.key, sum256([]byte(text)))
	if err != nil {
		return "", fmt.Errorf("sign a proof: %w", err)
	}
	return "vapid t=" + text + "." + encode64(append(fixed(r), fixed(s)...)) + ", k=" + encode64(w.public), nil
}

func fixed(n *big.Int) []byte { return n.FillBytes(make([]byte, 32)) }

// encryptPush encrypts for one browser (RFC 8291, aes128gcm of RFC 8188).
func encryptPush(plain []byte, p256dh, auth string) ([]byte, error) {
	rawKey, errKey := base64.RawURLEncoding.DecodeString(p256dh)
	secret, errAuth := base64.RawURLEncoding.DecodeString(auth)
	theirs, err := ecdh.P256().NewPublicKey(rawKey)
	if err = errors.Join(errKey, errAuth, err); err != nil || len(secret) < 16 {
		return nil, errors.New("the keys of the subscription cannot be read")
	}
	ours, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	salt := make([]byte, 16)
	if _, err := rand.Read(salt); err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	shared, err := ours.ECDH(theirs)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	public := ours.PublicKey().Bytes()
	box, nonce, err := pushKeys(shared, secret, salt, rawKey, public)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(salt)
	out = binary.BigEndian.AppendUint32(out, recordSize)
	out = append(append(out, byte(len(public))), public...)
	return box.Seal(out, nonce, append(plain, 2), nil), nil // 2 ends the last record
}

// pushKeys derives what one notification is encrypted with.
func pushKeys(shared, auth, salt, theirs, ours []byte) (cipher.AEAD, []byte, error) {
	info := append(append([]byte("WebPush: info\x00"), theirs...), ours...)
	material, err := hkdf.Key(sha256.New, shared, auth, string(info), 32)
	if err != nil {
		return nil, nil, fmt.Errorf("derive a key: %w", err)
	}
	key, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, nil, fmt.Errorf("derive a key: %w", err)
	}
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, nil, fmt.Errorf("derive a key: %w", err)
	}
	box, err := cipher.NewGCM(block)
	return box, nonce, err
}
