package auth

import (
	"context"
	"sync"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/lejek/lejek/backend/fault"
)

// hashers is how many passwords are hashed at once: each takes 19 MiB and about 40 ms of a core.
const hashers = 2

// hashWait is how long a sign-in waits for its turn before it is asked to come back.
const hashWait = 10 * time.Second

var hashParams = &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoy is what the password of an unknown address is compared with, so that the answer takes as long.
var decoy = sync.OnceValue(func() string {
	hash, err := argon2id.CreateHash("nobody has this password", hashParams)
	if err != nil {
		panic(err) // only without random bytes
	}
	return hash
})

func (a *Auth) hash(ctx context.Context, password string) (string, error) {
	if err := a.takeTurn(ctx); err != nil {
		return "", err
	}
	defer a.endTurn()
	hash, err := argon2id.CreateHash(password, hashParams)
	return hash, fault.Wrap(err, "hash a password")
}

func (a *Auth) matches(ctx context.Context, password, hash string) (bool, error) {
	if err := a.takeTurn(ctx); err != nil {
		return false, err
	}
	defer a.endTurn()
	ok, err := argon2id.ComparePasswordAndHash(password, hash)
	return ok, fault.Wrap(err, "compare a password")
}

func (a *Auth) takeTurn(ctx context.Context) error {
	timer := time.NewTimer(hashWait)
	defer timer.Stop()
	select {
	case a.hashing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fault.New(fault.Unavailable, "Too many people are signing in right now. Please try again in a moment.")
	}
}

func (a *Auth) endTurn() { <-a.hashing }
