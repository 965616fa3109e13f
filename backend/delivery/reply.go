package delivery

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"github.com/google/uuid"
)

const replyMAC = 6

var replyText = base32.StdEncoding.WithPadding(base32.NoPadding)

// Replies makes and reads the addresses people answer to: the mailbox of the workspace, with the message behind a plus. An address that was
// not made here leads nowhere.
type Replies struct{ key []byte }

// NewReplies derives the key from the installation's secret.
func NewReplies(secret []byte) Replies {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("lejek replies"))
	return Replies{mac.Sum(nil)}
}

// Address is where an answer to a message goes, such as replies+abc@example.com.
func (r Replies) Address(mailbox string, workspace, message uuid.UUID) string {
	local, host, _ := strings.Cut(mailbox, "@")
	return local + "+" + strings.ToLower(replyText.EncodeToString(append(message[:], r.sum(workspace, message)...))) + "@" + host
}

// Read is the message an address belongs to; false for one that has none of this workspace.
func (r Replies) Read(workspace uuid.UUID, address string) (uuid.UUID, bool) {
	local, _, _ := strings.Cut(address, "@")
	_, token, marked := strings.Cut(local, "+")
	raw, err := replyText.DecodeString(strings.ToUpper(token))
	if !marked || err != nil || len(raw) != 16+replyMAC {
		return uuid.Nil, false
	}
	message := uuid.UUID(raw[:16])
	return message, hmac.Equal(raw[16:], r.sum(workspace, message))
}

func (r Replies) sum(workspace, message uuid.UUID) []byte {
	mac := hmac.New(sha256.New, r.key)
	mac.Write(workspace[:])
	mac.Write(message[:])
	return mac.Sum(nil)[:replyMAC]
}
