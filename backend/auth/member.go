package auth

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Membership is one workspace a person belongs to.
type Membership struct {
	Workspace uuid.UUID
	Name      string
	Zone      string
	Language  string
	Role      Role
}

// Member is one person of a workspace.
type Member struct {
	User     User
	Role     Role
	JoinedAt time.Time
}

// Memberships are a person's workspaces by name.
func (a *Auth) Memberships(ctx context.Context, user uuid.UUID) ([]Membership, error) {
	rows, err := store.Q.Memberships(ctx, a.db, user)
	if err != nil {
		return nil, fault.Wrap(err, "list workspaces")
	}
	all := make([]Membership, len(rows))
	for i, row := range rows {
		all[i] = Membership{Workspace: row.ID, Name: row.Name, Zone: row.Zone, Language: row.Language, Role: Role(row.Role)}
	}
	return all, nil
}

// Members are the people of a workspace, the eldest first.
func (a *Auth) Members(ctx context.Context, workspace uuid.UUID) ([]Member, error) {
	rows, err := store.Q.Members(ctx, a.db, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "list members")
	}
	all := make([]Member, len(rows))
	for i, row := range rows {
		all[i] = Member{User: User{ID: row.ID, Email: row.Email, Name: row.Name}, Role: Role(row.Role), JoinedAt: row.JoinedAt}
	}
	return all, nil
}

// SetRole gives a member another role. Roles are read at each request, so it counts at once.
func (a *Auth) SetRole(ctx context.Context, workspace, user uuid.UUID, role Role) error {
	if err := checkRole(role); err != nil {
		return err
	}
	return a.inTx(ctx, func(tx store.Tx) error {
		if err := keepAnAdmin(ctx, tx, workspace, user, role); err != nil {
			return err
		}
		_, err := store.Q.SetMemberRole(ctx, tx, store.SetMemberRoleParams{WorkspaceID: workspace, UserID: user, Role: string(role)})
		return fault.Wrap(err, "change a role")
	})
}

// RemoveMember takes a person out of a workspace.
func (a *Auth) RemoveMember(ctx context.Context, workspace, user uuid.UUID) error {
	return a.inTx(ctx, func(tx store.Tx) error {
		if err := keepAnAdmin(ctx, tx, workspace, user, ""); err != nil {
			return err
		}
		_, err := store.Q.DeleteMember(ctx, tx, store.DeleteMemberParams{WorkspaceID: workspace, UserID: user})
		return fault.Wrap(err, "remove a member")
	})
}

// keepAnAdmin refuses a change of user, who must be a member, after which nobody would administer the workspace. It locks the members.
func keepAnAdmin(ctx context.Context, tx store.Tx, workspace, user uuid.UUID, role Role) error {
	rows, err := store.Q.LockMembers(ctx, tx, workspace)
	if err != nil {
		return fault.Wrap(err, "lock members")
	}
	found, admins := false, 0
	for _, row := range rows {
		is := Role(row.Role)
		if row.UserID == user {
			found, is = true, role
		}
		if is == Admin {
			admins++
		}
	}
	if !found {
		return fault.New(fault.NotFound, "There is no such member.")
	}
	if admins == 0 {
		return fault.New(fault.Conflict, "This is the last administrator. Make somebody else an administrator first.")
	}
	return nil
}
