package auth

import (
	"context"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// MePatch is what a person changes about themselves; nil leaves it.
type MePatch struct {
	Name     *string
	Language *string
	Password *string
	Current  string // password, asked for a new one
}

// UpdateMe changes a person. A new password ends every session; token is then a new one, else "".
func (a *Auth) UpdateMe(ctx context.Context, user User, patch MePatch, ip string) (token string, changed User, err error) {
	if patch.Name != nil {
		if user.Name, err = checkName(*patch.Name); err != nil {
			return "", user, err
		}
	}
	if patch.Language != nil {
		if err := checkLanguage(*patch.Language); err != nil {
			return "", user, err
		}
		user.Language = *patch.Language
	}
	hash := ""
	if patch.Password != nil {
		if hash, err = a.newPassword(ctx, user, *patch.Password, patch.Current, ip); err != nil {
			return "", user, err
		}
	}
	err = a.inTx(ctx, func(tx store.Tx) error {
		err := store.Q.UpdateUser(ctx, tx, store.UpdateUserParams{ID: user.ID, Name: user.Name, Language: user.Language})
		if err != nil || hash == "" {
			return fault.Wrap(err, "change a user")
		}
		if err := setPassword(ctx, tx, user.ID, hash); err != nil {
			return err
		}
		token, err = openSession(ctx, tx, user.ID)
		return err
	})
	return token, user, err
}

func (a *Auth) newPassword(ctx context.Context, user User, password, current, ip string) (string, error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	if err := a.throttle(ctx, Fold(user.Email), ip); err != nil {
		return "", err
	}
	row, err := store.Q.UserByID(ctx, a.db, user.ID)
	if err != nil {
		return "", fault.Wrap(err, "read a user")
	}
	ok, err := a.matches(ctx, current, row.PasswordHash)
	if err != nil {
		return "", err
	}
	if !ok {
		return "", fault.InvalidField("current_password", "This is not your present password.")
	}
	return a.hash(ctx, password)
}
