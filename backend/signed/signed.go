// Package signed makes the tokens of public pages: which person, booking or submission a link is about, and until when it works. A token is
// bound to one purpose, so that one made for a page cannot be played for another.
package signed

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Purpose is what a token is for.
type Purpose byte

// The purposes.
const (
	Fill        Purpose = 'f' // a form was shown: form, nonce, when
	Confirm     Purpose = 'c' // somebody confirms an address: workspace, submission, until when
	Identity    Purpose = 'i' // who a visitor is: workspace, contact, until when
	Booking     Purpose = 'b' // somebody manages their booking: workspace, booking
	Page        Purpose = 'p' // a page with buttons was shown: what it is about, nonce, when
	Preferences Purpose = 'r' // somebody chooses what they get: workspace, contact
)

// ErrToken says a token was cut, changed, or made for something else.
var ErrToken = errors.New("this link is not complete or was not made here")

// Token is what a token says.
type Token struct {
	First, Second uuid.UUID
	At            time.Time // whole seconds; zero where the purpose has none
}

const (
	version = 1
	bodyLen = 2 + 16 + 16 + 8
	macLen  = 16
)

// Key makes and reads tokens.
type Key struct{ key []byte }

// NewKey derives the key from the installation's secret.
func NewKey(secret []byte) Key {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("lejek public pages"))
	return Key{mac.Sum(nil)}
}

// Make is a token safe in a URL.
func (k Key) Make(purpose Purpose, t Token) string {
	raw := make([]byte, 0, bodyLen+macLen)
	raw = append(raw, version, byte(purpose))
	raw = append(raw, t.First[:]...)
	raw = append(raw, t.Second[:]...)
	seconds := int64(0)
	if !t.At.IsZero() {
		seconds = t.At.Unix()
	}
	raw = binary.BigEndian.AppendUint64(raw, uint64(seconds))
	return base64.RawURLEncoding.EncodeToString(append(raw, k.sum(raw)...))
}

// Read is what a token of the purpose says, or ErrToken. Whether its time is over the caller judges.
func (k Key) Read(purpose Purpose, text string) (Token, error) {
	if base64.RawURLEncoding.DecodedLen(len(text)) != bodyLen+macLen {
		return Token{}, ErrToken
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != bodyLen+macLen {
		return Token{}, ErrToken
	}
	body, mac := raw[:bodyLen], raw[bodyLen:]
	if !hmac.Equal(mac, k.sum(body)) || body[0] != version || Purpose(body[1]) != purpose {
		return Token{}, ErrToken
	}
	t := Token{First: uuid.UUID(body[2:18]), Second: uuid.UUID(body[18:34])}
	if seconds := int64(binary.BigEndian.Uint64(body[34:])); seconds != 0 {
		t.At = time.Unix(seconds, 0).UTC()
	}
	return t, nil
}

// Hash is a keyed hash of something personal, such as an address of a network, that tells equal from different and nothing else.
func (k Key) Hash(what, text string) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write([]byte(what))
	mac.Write([]byte{0})
	mac.Write([]byte(text))
	return mac.Sum(nil)[:macLen]
}

func (k Key) sum(body []byte) []byte {
	mac := hmac.New(sha256.New, k.key)
	mac.Write(body)
	return mac.Sum(nil)[:macLen]
}
