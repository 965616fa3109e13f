package delivery

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/google/uuid"
)

// ErrSealed says that a stored password was sealed with another secret.
var ErrSealed = errors.New("the stored password cannot be read: LEJEK_SECRET is another one than when it was saved. Enter the password again")

// seal encrypts a password for one provider, with a key of the installation's secret.
func seal(secret []byte, provider uuid.UUID, password string) ([]byte, error) {
	box, err := sealer(secret)
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, box.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("seal a password: %w", err)
	}
	return box.Seal(nonce, nonce, []byte(password), provider[:]), nil
}

func unseal(secret []byte, provider uuid.UUID, sealed []byte) (string, error) {
	if len(sealed) == 0 {
		return "", nil
	}
	box, err := sealer(secret)
	if err != nil {
		return "", err
	}
	if len(sealed) < box.NonceSize() {
		return "", ErrSealed
	}
	plain, err := box.Open(nil, sealed[:box.NonceSize()], sealed[box.NonceSize():], provider[:])
	if err != nil {
		return "", ErrSealed
	}
	return string(plain), nil
}

func sealer(secret []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, secret, nil, "lejek provider passwords", 32)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("derive a key: %w", err)
	}
	return cipher.NewGCM(block)
}
