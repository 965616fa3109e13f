package auth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// CanMail says whether this installation sends mails of its own.
func (a *Auth) CanMail() bool { return a.mail != nil }

// RequestReset mails a reset link to an address that has an account. The answer is the same for one that has none, and comes before the
// address is looked up, so that the time tells nothing either.
func (a *Auth) RequestReset(ctx context.Context, email, ip string) error {
	if err := a.throttle(ctx, Fold(email), ip); err != nil {
		return err
	}
	if a.mail != nil {
		ctx := context.WithoutCancel(ctx)
		a.later.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, mailLimit)
			defer cancel()
			if err := a.mailReset(ctx, email); err != nil {
				a.log.ErrorContext(ctx, "a reset link was not mailed", "error", err)
			}
		})
	}
	return nil
}

func (a *Auth) mailReset(ctx context.Context, email string) error {
	row, err := store.Q.UserByEmail(ctx, a.db, Fold(email))
	if errors.Is(err, pgx.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	url, _, err := a.resetLink(ctx, row.ID)
	if err != nil {
		return err
	}
	a.send(ctx, row.Email, "A new password for Lejek", fmt.Sprintf("Choose a new password here. The link works once, for an hour:\n\n%s\n\nIf you did not ask for it, do nothing.\n", url))
	return nil
}

// Wait returns when the mails that were promised have been handed over.
func (a *Auth) Wait() { a.later.Wait() }

// MemberReset makes a reset link for a member, to be handed over by an administrator. It is refused for somebody who also belongs to another
// workspace: its administrator must not gain a way into that one.
func (a *Auth) MemberReset(ctx context.Context, workspace, user uuid.UUID) (string, time.Time, error) {
	belongs, err := a.Memberships(ctx, user)
	if err != nil {
		return "", time.Time{}, err
	}
	here := false
	for _, m := range belongs {
		here = here || m.Workspace == workspace
	}
	switch {
	case !here:
		return "", time.Time{}, fault.New(fault.NotFound, "There is no such member.")
	case len(belongs) > 1:
		return "", time.Time{}, fault.New(fault.Forbidden, "This person also belongs to another workspace, so an administrator of this one may not reset the password. They can ask for a link by mail.")
	}
	return a.resetLink(ctx, user)
}

func (a *Auth) resetLink(ctx context.Context, user uuid.UUID) (string, time.Time, error) {
	secret, hash := newSecret("")
	var expires time.Time
	err := a.inTx(ctx, func(tx store.Tx) error {
		if err := store.Q.DeleteResetsOfUser(ctx, tx, user); err != nil {
			return fault.Wrap(err, "drop older reset links")
		}
		expires = tx.Now.Add(ResetLife)
		return fault.Wrap(store.Q.InsertReset(ctx, tx, store.InsertResetParams{TokenHash: hash, UserID: user, At: tx.Now, ExpiresAt: expires}), "make a reset link")
	})
	return a.base + "/reset/" + secret, expires, err
}

// ConfirmReset sets a new password with a link's secret, once, and ends every session of the person.
func (a *Auth) ConfirmReset(ctx context.Context, secret, password, ip string) error {
	if err := a.take(ctx, bucketKey("reset", ip), perIP); err != nil {
		return err
	}
	if err := checkPassword(password); err != nil {
		return err
	}
	hash, err := a.hash(ctx, password)
	if err != nil {
		return err
	}
	return a.inTx(ctx, func(tx store.Tx) error {
		user, err := store.Q.TakeReset(ctx, tx, store.TakeResetParams{TokenHash: hashSecret(secret), At: tx.Now})
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "This link is used or older than an hour. Ask for a new one.")
		}
		if err != nil {
			return fault.Wrap(err, "use up a reset link")
		}
		return setPassword(ctx, tx, user, hash)
	})
}

// setPassword also ends what an older password let in: sessions and reset links.
func setPassword(ctx context.Context, tx store.Tx, user uuid.UUID, hash string) error {
	if err := store.Q.SetPassword(ctx, tx, store.SetPasswordParams{ID: user, PasswordHash: hash, At: tx.Now}); err != nil {
		return fault.Wrap(err, "set a password")
	}
	if err := store.Q.DeleteSessionsOfUser(ctx, tx, user); err != nil {
		return fault.Wrap(err, "end sessions")
	}
	return fault.Wrap(store.Q.DeleteResetsOfUser(ctx, tx, user), "drop reset links")
}
