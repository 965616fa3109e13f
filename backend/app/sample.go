package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/sample"
	"github.com/lejek/lejek/backend/worker"
)

// Login is how to sign in to the sample workspace.
type Login struct{ Email, Password string }

// Sample fills an installation that has nobody yet with the sample workspace, and answers how to sign in to it. The password is drawn
// once and kept in the data directory, readable by its owner alone. An installation with people of its own is left as it is:
// ok is false.
func (a *App) Sample(ctx context.Context) (login Login, ok bool, err error) {
	path := filepath.Join(a.Config.DataDir, "sample-login")
	need, err := a.Auth.NeedsSetup(ctx)
	if err != nil {
		return Login{}, false, err
	}
	if !need {
		kept, err := os.ReadFile(path) //nolint:gosec // the operator names the directory
		if errors.Is(err, os.ErrNotExist) {
			return Login{}, false, nil
		}
		return Login{Email: sample.Email, Password: strings.TrimSpace(string(kept))}, err == nil, err
	}
	password, err := drawPassword()
	if err != nil {
		return Login{}, false, err
	}
	if err := os.WriteFile(path, []byte(password+"\n"), 0o600); err != nil {
		return Login{}, false, fmt.Errorf("keep the password of the sample workspace: %w", err)
	}
	_, err = sample.Seed(ctx, sample.Deps{
		DB: a.Pool, Clock: a.Clock, Machine: clock.Machine{}, Secret: a.Config.Secret, BaseURL: a.Config.BaseURL, Compile: compiler(ctx),
		Template: worker.ReadCreative, Logger: a.logger,
	}, password)
	return Login{Email: sample.Email, Password: password}, err == nil, err
}

// drawPassword draws four syllable pairs and a number: enough to be no guess, short enough to type.
func drawPassword() (string, error) {
	const consonants, vowels = "bdfgklmnprstwz", "aeiou"
	var b strings.Builder
	letter := func(from string) error {
		n, err := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
		if err == nil {
			b.WriteByte(from[n.Int64()])
		}
		return err
	}
	for part := range 4 {
		if part > 0 {
			b.WriteByte('-')
		}
		for _, from := range []string{consonants, vowels, consonants, vowels} {
			if err := letter(from); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}
