// Package seal encrypts secrets that the database keeps, such as passwords and keys of other services, with keys derived from the
// installation's secret. What is sealed for one owner cannot be opened for another: moving a row's secret to another row makes it unreadable.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
)

// ErrSealed says that a stored secret was sealed with another secret of the installation, or for another owner.
var ErrSealed = errors.New("the stored password cannot be read: LEJEK_SECRET is another one than when it was saved. Enter the password again")

// Box seals for one purpose. Different purposes have different keys.
type Box struct {
	secret  []byte
	purpose string
}

// New is a Box. The secret is the installation's.
func New(secret []byte, purpose string) Box { return Box{secret, purpose} }

// Seal encrypts a text for an owner, such as a row's id.
func (b Box) Seal(owner []byte, text string) ([]byte, error) {
	box, err := b.aead()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return box.Seal(nonce, nonce, []byte(text), owner), nil
}

// Open decrypts what Seal made for the owner; nothing gives "". The error is ErrSealed.
func (b Box) Open(owner, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	box, err := b.aead()
	if err != nil {
		return "", err
	}
	if len(sealed) < box.NonceSize() {
		return "", ErrSealed
	}
	plain, err := box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], owner)
	if err != nil {
		return "", ErrSealed
	}
	return string(plain), nil
}

func (b Box) aead() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, b.secret, nil, b.purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return cipher.NewGCM(block)
}
