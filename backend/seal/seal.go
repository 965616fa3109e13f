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

// Keys are secrets of an installation: the first one seals, each one opens. So the first can be replaced while what was sealed before still
// opens; see Reseal.
type Keys [][]byte

// Or are the keys, or those of an installation that has but one secret.
func (k Keys) Or(secret []byte) Keys {
	if len(k) == 0 {
		return Keys{secret}
	}
	return k
}

// Box seals for one purpose. Different purposes have different keys.
type Box struct {
	keys    Keys
	purpose string
}

// New is a Box with the installation's keys.
func New(keys Keys, purpose string) Box { return Box{keys, purpose} }

// Seal encrypts a text for an owner, such as a row's id.
func (b Box) Seal(owner []byte, text string) ([]byte, error) {
	box, err := b.aead(b.keys[0])
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
	text, _, err := b.open(owner, sealed)
	return text, err
}

// open tells as well which of the keys it was.
func (b Box) open(owner, sealed []byte) (text string, key int, err error) {
	if len(sealed) == 0 {
		return "", 0, nil
	}
	for i, secret := range b.keys {
		box, err := b.aead(secret)
		if err != nil {
			return "", 0, err
		}
		if len(sealed) < box.NonceSize() {
			break
		}
		if plain, err := box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], owner); err == nil {
			return string(plain), i, nil
		}
	}
	return "", 0, ErrSealed
}

func (b Box) aead(secret []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, b.purpose, 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return cipher.NewGCM(block)
}
