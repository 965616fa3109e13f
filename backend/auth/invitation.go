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

// Invitation is an open invitation.
type Invitation struct {
	ID        uuid.UUID
	Email     string
	Role      Role
	CreatedAt time.Time
	ExpiresAt time.Time
}

// Offer is an invitation as the invited person sees it. Known: the address has an account, whose password is asked for.
type Offer struct {
	Workspace string
	Email     string
	Role      Role
	Known     bool
}

func errInvitation() error {
	return fault.New(fault.NotFound, "This invitation is used, withdrawn or older than 7 days. Ask for a new one.")
}

// Invite makes a single-use link for an address and mails it where this installation can. An open invitation of the same address is replaced.
func (a *Auth) Invite(ctx context.Context, workspace uuid.UUID, by *uuid.UUID, email string, role Role) (invitation Invitation, url string, mailed bool, err error) {
	if email, err = checkEmail(email); err != nil {
		return Invitation{}, "", false, err
	}
	if err = checkRole(role); err != nil {
		return Invitation{}, "", false, err
	}
	secret, hash := newSecret("")
	err = a.inTx(ctx, func(tx store.Tx) error {
		if err := refuseMember(ctx, tx, workspace, email); err != nil {
			return err
		}
		err := store.Q.DeleteOpenInvitation(ctx, tx, store.DeleteOpenInvitationParams{WorkspaceID: workspace, EmailFolded: Fold(email)})
		if err != nil {
			return fault.Wrap(err, "replace an invitation")
		}
		invitation = Invitation{ID: store.NewID(), Email: email, Role: role, CreatedAt: tx.Now, ExpiresAt: tx.Now.Add(InvitationLife)}
		return fault.Wrap(store.Q.InsertInvitation(ctx, tx, store.InsertInvitationParams{
			WorkspaceID: workspace, ID: invitation.ID, TokenHash: hash, Email: email, EmailFolded: Fold(email), Role: string(role),
			InvitedBy: by, At: tx.Now, ExpiresAt: invitation.ExpiresAt,
		}), "make an invitation")
	})
	if err != nil {
		return Invitation{}, "", false, err
	}
	url = a.base + "/invitation/" + secret
	mailed = a.send(ctx, email, "An invitation to Lejek", fmt.Sprintf("You are invited to work in Lejek. The link works once, for 7 days:\n\n%s\n", url))
	return invitation, url, mailed, nil
}

func refuseMember(ctx context.Context, tx store.Tx, workspace uuid.UUID, email string) error {
	members, err := store.Q.Members(ctx, tx, workspace)
	if err != nil {
		return fault.Wrap(err, "list members")
	}
	for _, member := range members {
		if Fold(member.Email) == Fold(email) {
			return fault.New(fault.Conflict, "%s is a member already. Change the role in the list of members.", email)
		}
	}
	return nil
}

// send mails where it can, and says whether it did. A mail that does not leave is no failure: the link is shown as well.
func (a *Auth) send(ctx context.Context, to, subject, text string) bool {
	if a.mail == nil {
		return false
	}
	if err := a.mail.SendPlain(ctx, to, subject, text); err != nil {
		a.log.WarnContext(ctx, "a mail of the installation did not leave", "error", err)
		return false
	}
	return true
}

// Invitations are a workspace's open invitations.
func (a *Auth) Invitations(ctx context.Context, workspace uuid.UUID) ([]Invitation, error) {
	rows, err := store.Q.OpenInvitations(ctx, a.db, store.OpenInvitationsParams{WorkspaceID: workspace, At: a.now()})
	if err != nil {
		return nil, fault.Wrap(err, "list invitations")
	}
	all := make([]Invitation, len(rows))
	for i, row := range rows {
		all[i] = Invitation{ID: row.ID, Email: row.Email, Role: Role(row.Role), CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt}
	}
	return all, nil
}

// Withdraw ends an open invitation.
func (a *Auth) Withdraw(ctx context.Context, workspace, id uuid.UUID) error {
	n, err := store.Q.DeleteInvitation(ctx, a.db, store.DeleteInvitationParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return fault.Wrap(err, "withdraw an invitation")
	}
	if n == 0 {
		return fault.New(fault.NotFound, "There is no such open invitation.")
	}
	return nil
}

// Offered is what an invitation's link offers.
func (a *Auth) Offered(ctx context.Context, secret string) (Offer, error) {
	row, err := a.invitation(ctx, a.db, secret)
	if err != nil {
		return Offer{}, err
	}
	_, err = store.Q.UserByEmail(ctx, a.db, row.EmailFolded)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return Offer{}, fault.Wrap(err, "read a user")
	}
	return Offer{Workspace: row.WorkspaceName, Email: row.Email, Role: Role(row.Role), Known: err == nil}, nil
}

func (a *Auth) invitation(ctx context.Context, db store.DB, secret string) (store.InvitationByTokenRow, error) {
	row, err := store.Q.InvitationByToken(ctx, db, store.InvitationByTokenParams{TokenHash: hashSecret(secret), At: a.now()})
	if errors.Is(err, pgx.ErrNoRows) {
		return row, errInvitation()
	}
	return row, fault.Wrap(err, "read an invitation")
}

// Accept uses up an invitation: who has an account proves the password, who has none chooses one. It signs in. The throttle of sign-in counts here
// too, because a password is guessed here as well.
func (a *Auth) Accept(ctx context.Context, secret, name, password, language, ip string) (string, User, uuid.UUID, error) {
	row, err := a.invitation(ctx, a.db, secret)
	if err != nil {
		return "", User{}, uuid.Nil, err
	}
	user, hash, err := a.invited(ctx, row, name, password, language, ip)
	if err != nil {
		return "", User{}, uuid.Nil, err
	}
	var token string
	err = a.inTx(ctx, func(tx store.Tx) error {
		n, err := store.Q.AcceptInvitation(ctx, tx, store.AcceptInvitationParams{At: &tx.Now, WorkspaceID: row.WorkspaceID, ID: row.ID})
		if err != nil {
			return fault.Wrap(err, "use up an invitation")
		}
		if n == 0 {
			return errInvitation() // somebody was first
		}
		if hash != "" {
			if err := insertUser(ctx, tx, user, hash); err != nil {
				return err
			}
		}
		err = store.Q.InsertMember(ctx, tx, store.InsertMemberParams{WorkspaceID: row.WorkspaceID, UserID: user.ID, Role: row.Role, At: tx.Now})
		if store.Violated(err) != "" {
			return fault.New(fault.Conflict, "You are a member of this workspace already. Please sign in.")
		}
		if err != nil {
			return fault.Wrap(err, "make a member")
		}
		token, err = openSession(ctx, tx, user.ID)
		return err
	})
	return token, user, row.WorkspaceID, err
}

// invited is the person an invitation is for: one with an account, or a new one with the hash of the chosen password.
func (a *Auth) invited(ctx context.Context, row store.InvitationByTokenRow, name, password, language, ip string) (User, string, error) {
	known, err := store.Q.UserByEmail(ctx, a.db, row.EmailFolded)
	if errors.Is(err, pgx.ErrNoRows) {
		return a.newUser(ctx, name, row.Email, password, language)
	}
	if err != nil {
		return User{}, "", fault.Wrap(err, "read a user")
	}
	if err := a.throttle(ctx, row.EmailFolded, ip); err != nil {
		return User{}, "", err
	}
	ok, err := a.matches(ctx, password, known.PasswordHash)
	if err != nil {
		return User{}, "", err
	}
	if !ok {
		return User{}, "", fault.InvalidField("password", "You have an account with this address, but this is not its password.")
	}
	return User{ID: known.ID, Email: known.Email, Name: known.Name, Language: known.Language}, "", nil
}
