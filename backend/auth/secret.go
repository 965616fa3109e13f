package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const secretBytes = 32

// newSecret is 32 random bytes as text, and the hash under which they are kept.
func newSecret(prefix string) (text string, hash []byte) {
	raw := make([]byte, secretBytes)
	rand.Read(raw) // never fails, by its documentation
	text = prefix + base64.RawURLEncoding.EncodeToString(raw)
	return text, hashSecret(text)
}

// hashSecret is enough for a secret nobody can guess; a slow hash is for passwords.
func hashSecret(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}
