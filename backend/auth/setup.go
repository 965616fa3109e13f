package auth

import (
	"context"
	"strings"

	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/workspaces"
)

// SetupInput is the first administrator and the first workspace.
type SetupInput struct {
	Name, Email, Password     string
	Workspace, Zone, Language string
}

// setupKey keeps two first administrators from being made at once.
const setupKey = 0x6c656a01

// NeedsSetup says whether nobody can sign in yet.
func (a *Auth) NeedsSetup(ctx context.Context) (bool, error) {
	somebody, err := store.Q.AnyUser(ctx, a.db)
	return !somebody, fault.Wrap(err, "look for users")
}

// Setup makes the first administrator and the first workspace and signs in. It works once. business is the clock of the workspace's rows.
func (a *Auth) Setup(ctx context.Context, business clock.Clock, in SetupInput) (token string, user User, workspace store.Workspace, err error) {
	if need, err := a.NeedsSetup(ctx); err != nil || !need { // before the price of a hash
		return "", User{}, store.Workspace{}, orDone(err)
	}
	user, hash, err := a.newUser(ctx, in.Name, in.Email, in.Password, in.Language)
	if err != nil {
		return "", User{}, store.Workspace{}, err
	}
	err = a.inTx(ctx, func(tx store.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", int64(setupKey)); err != nil {
			return fault.Wrap(err, "wait for another setup")
		}
		if somebody, err := store.Q.AnyUser(ctx, tx); err != nil || somebody {
			return orDone(fault.Wrap(err, "look for users"))
		}
		if err := insertUser(ctx, tx, user, hash); err != nil {
			return err
		}
		workspace, err = a.foundWorkspace(ctx, tx, business, user, workspaces.Input{
			Name: in.Workspace, Zone: in.Zone, Language: user.Language, Email: user.Email,
		})
		if err != nil {
			return err
		}
		token, err = openSession(ctx, tx, user.ID)
		return err
	})
	return token, user, workspace, err
}

func orDone(err error) error {
	if err != nil {
		return err
	}
	return fault.New(fault.Conflict, "This installation has its first administrator already. Please sign in.")
}

// CreateWorkspace makes a workspace whose administrator is user. Somebody who administers none yet may not.
func (a *Auth) CreateWorkspace(ctx context.Context, business clock.Clock, user User, in workspaces.Input) (store.Workspace, error) {
	mine, err := a.Memberships(ctx, user.ID)
	if err != nil {
		return store.Workspace{}, err
	}
	admin := false
	for _, m := range mine {
		admin = admin || m.Role == Admin
	}
	if !admin {
		return store.Workspace{}, fault.New(fault.Forbidden, "Only an administrator of a workspace may make another one.")
	}
	in.Email = user.Email
	var workspace store.Workspace
	err = a.inTx(ctx, func(tx store.Tx) error {
		workspace, err = a.foundWorkspace(ctx, tx, business, user, in)
		return err
	})
	return workspace, err
}

func (a *Auth) foundWorkspace(ctx context.Context, tx store.Tx, business clock.Clock, user User, in workspaces.Input) (store.Workspace, error) {
	workspace, err := workspaces.Create(ctx, store.Tx{Tx: tx.Tx, Now: clock.Micro(business.Now())}, in)
	if err != nil {
		return workspace, err
	}
	err = store.Q.InsertMember(ctx, tx, store.InsertMemberParams{WorkspaceID: workspace.ID, UserID: user.ID, Role: string(Admin), At: tx.Now})
	return workspace, fault.Wrap(err, "make the first member")
}

// newUser checks and hashes; nothing is written yet.
func (a *Auth) newUser(ctx context.Context, name, email, password, language string) (User, string, error) {
	email, err := checkEmail(email)
	if err != nil {
		return User{}, "", err
	}
	if err := checkPassword(password); err != nil {
		return User{}, "", err
	}
	if language == "" {
		language = defaultLanguage
	}
	if err := checkLanguage(language); err != nil {
		return User{}, "", err
	}
	if name, err = checkName(name); err != nil {
		return User{}, "", err
	}
	if name == "" {
		name, _, _ = strings.Cut(email, "@")
	}
	hash, err := a.hash(ctx, password)
	return User{ID: store.NewID(), Email: email, Name: name, Language: language}, hash, err
}

func insertUser(ctx context.Context, tx store.Tx, user User, hash string) error {
	err := store.Q.InsertUser(ctx, tx, store.InsertUserParams{
		ID: user.ID, Email: user.Email, EmailFolded: Fold(user.Email), Name: user.Name, Language: user.Language, PasswordHash: hash, At: tx.Now,
	})
	if store.Violated(err) != "" {
		return fault.New(fault.Conflict, "Somebody with this address has an account already. Please sign in.")
	}
	return fault.Wrap(err, "make a user")
}
