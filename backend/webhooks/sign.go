package webhooks

import (
	"time"

	"github.com/lejek/lejek/backend/signed"
)

// Sign is the signature of a delivery: what a receiver computes to know that it is ours.
func Sign(secret, id string, at time.Time, body []byte) (string, error) {
	return signed.Standard(secret, id, at, body)
}
