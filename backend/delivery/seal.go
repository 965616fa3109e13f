package delivery

import (
	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/seal"
)

// ErrSealed says that a stored password was sealed with another secret.
var ErrSealed = seal.ErrSealed

const passwords = "lejek provider passwords"

func sealPassword(secret []byte, provider uuid.UUID, password string) ([]byte, error) {
	return seal.New(secret, passwords).Seal(provider[:], password)
}

func openPassword(secret []byte, provider uuid.UUID, sealed []byte) (string, error) {
	return seal.New(secret, passwords).Open(provider[:], sealed)
}
