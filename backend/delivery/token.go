package delivery

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/google/uuid"
)

// Purpose binds a token to one use: a token for one cannot be played for another.
type Purpose byte

// The purposes of tokens in links of messages.
const (
	PurposeUnsubscribe Purpose = 'u'
	PurposeView        Purpose = 'v'
)

// ErrToken says a link was cut, changed or made by somebody else.
var ErrToken = errors.New("this link is not complete or was not made here; open it again from the message")

const (
	tokenVersion = 1
	tokenBody    = 2 + 16 + 16
	tokenMAC     = 16
)

// Tokens makes and reads the tokens of links in messages. They are bound to purpose, workspace and message, and never expire: a
// link to unsubscribe works for as long as the mail lies in somebody's mailbox.
type Tokens struct{ key []byte }

// NewTokens derives the key from the installation's secret.
func NewTokens(secret []byte) Tokens {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("lejek message links"))
	return Tokens{key: mac.Sum(nil)}
}

// Make returns a token safe in a URL path.
func (t Tokens) Make(purpose Purpose, workspace, message uuid.UUID) string {
	raw := make([]byte, 0, tokenBody+tokenMAC)
	raw = append(raw, tokenVersion, byte(purpose))
	raw = append(raw, workspace[:]...)
	raw = append(raw, message[:]...)
	return base64.RawURLEncoding.EncodeToString(append(raw, t.sum(raw)...))
}

// Read checks a token and returns what it names, or ErrToken.
func (t Tokens) Read(purpose Purpose, token string) (workspace, message uuid.UUID, err error) {
	if base64.RawURLEncoding.DecodedLen(len(token)) != tokenBody+tokenMAC {
		return workspace, message, ErrToken
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(raw) != tokenBody+tokenMAC {
		return workspace, message, ErrToken
	}
	body, mac := raw[:tokenBody], raw[tokenBody:]
	if !hmac.Equal(mac, t.sum(body)) || body[0] != tokenVersion || Purpose(body[1]) != purpose {
		return workspace, message, ErrToken
	}
	copy(workspace[:], body[2:18])
	copy(message[:], body[18:])
	return workspace, message, nil
}

func (t Tokens) sum(body []byte) []byte {
	mac := hmac.New(sha256.New, t.key)
	mac.Write(body)
	return mac.Sum(nil)[:tokenMAC]
}
