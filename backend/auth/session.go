package auth

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// errSignIn is one answer for an unknown address and a wrong password.
func errSignIn() error {
	return fault.New(fault.Unauthenticated, "The e-mail or the password is not right. Check both, or ask for a new password.")
}

func errSignedOut() error {
	return fault.New(fault.Unauthenticated, "You are not signed in, or your session has ended. Please sign in.")
}

// SignIn answers a new session's token for a person who knows the password. old is the token the browser had, "" for none: it ends, so that
// nobody goes on with a session they planted. It answers RateLimited with a Wait after too many attempts.
func (a *Auth) SignIn(ctx context.Context, email, password, ip, old string) (string, User, error) {
	folded := Fold(email)
	if err := a.throttle(ctx, folded, ip); err != nil {
		return "", User{}, err
	}
	row, err := store.Q.UserByEmail(ctx, a.db, folded)
	known := err == nil
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", User{}, fault.Wrap(err, "read a user")
	}
	hash := row.PasswordHash
	if !known {
		hash = decoy()
	}
	ok, err := a.matches(ctx, password, hash)
	if err != nil {
		return "", User{}, err
	}
	if !ok || !known {
		return "", User{}, errSignIn()
	}
	user := User{ID: row.ID, Email: row.Email, Name: row.Name, Language: row.Language}
	var token string
	err = a.inTx(ctx, func(tx store.Tx) error {
		if old != "" {
			if err := store.Q.DeleteSession(ctx, tx, hashSecret(old)); err != nil {
				return fault.Wrap(err, "end the old session")
			}
		}
		if err := a.sweep(ctx, tx); err != nil {
			return err
		}
		token, err = openSession(ctx, tx, user.ID)
		return err
	})
	return token, user, err
}

func openSession(ctx context.Context, tx store.Tx, user uuid.UUID) (string, error) {
	token, hash := newSecret("")
	err := store.Q.InsertSession(ctx, tx, store.InsertSessionParams{
		TokenHash: hash, UserID: user, At: tx.Now, ExpiresAt: tx.Now.Add(SessionLife),
	})
	return token, fault.Wrap(err, "open a session")
}

// sweep drops what has run out; a sign-in is rare enough to do it and often enough.
func (a *Auth) sweep(ctx context.Context, tx store.Tx) error {
	if err := store.Q.DeleteStaleSessions(ctx, tx, store.DeleteStaleSessionsParams{At: tx.Now, IdleSince: tx.Now.Add(-SessionIdle)}); err != nil {
		return fault.Wrap(err, "drop ended sessions")
	}
	return fault.Wrap(store.Q.DeleteStaleLogins(ctx, tx, tx.Now.Add(-time.Hour)), "drop old sign-in counts")
}

// SignOut ends a session; an unknown token is no error.
func (a *Auth) SignOut(ctx context.Context, token string) error {
	return fault.Wrap(store.Q.DeleteSession(ctx, a.db, hashSecret(token)), "end a session")
}

// BySession is the person behind a session's token, with the role in the workspace.
func (a *Auth) BySession(ctx context.Context, token string, workspace uuid.UUID) (Actor, error) {
	now, hash := a.now(), hashSecret(token)
	row, err := store.Q.SessionUser(ctx, a.db, store.SessionUserParams{
		WorkspaceID: workspace, TokenHash: hash, At: now, IdleSince: now.Add(-SessionIdle),
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Actor{}, errSignedOut()
	}
	if err != nil {
		return Actor{}, fault.Wrap(err, "read a session")
	}
	if now.Sub(row.SeenAt) >= seenResolution {
		if err := store.Q.SeeSession(ctx, a.db, store.SeeSessionParams{At: now, TokenHash: hash}); err != nil {
			return Actor{}, fault.Wrap(err, "keep a session alive")
		}
	}
	actor := Actor{User: &User{ID: row.ID, Email: row.Email, Name: row.Name, Language: row.Language}}
	if workspace == uuid.Nil {
		mine, err := a.Memberships(ctx, row.ID)
		if err != nil {
			return Actor{}, err
		}
		if len(mine) > 0 {
			actor.Workspace, actor.Role = mine[0].Workspace, mine[0].Role
		}
	}
	if row.Role != nil {
		actor.Workspace, actor.Role = workspace, Role(*row.Role)
	}
	return actor, nil
}
