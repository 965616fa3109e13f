package auth

import (
	"context"
	"slices"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
)

// User is a person of this installation.
type User struct {
	ID       uuid.UUID
	Email    string
	Name     string
	Language string
}

// Actor is who makes a request: a person with a session or a program with a token. Workspace is the first of a person who named none, and
// uuid.Nil for one who belongs to none, or named one they do not belong to; then Role is empty.
type Actor struct {
	User      *User     // nil for a program
	Token     uuid.UUID // uuid.Nil for a person
	Workspace uuid.UUID
	Role      Role
	Scopes    []Scope
	WriteOnly bool // a pub key: it learns nothing about anybody
}

// ID is the person's or the token's id.
func (a Actor) ID() uuid.UUID {
	if a.User != nil {
		return a.User.ID
	}
	return a.Token
}

// By is the person's id, nil for a program.
func (a Actor) By() *uuid.UUID {
	if a.User == nil {
		return nil
	}
	return &a.User.ID
}

// May says whether the actor has the permission, in the actor's workspace.
func (a Actor) May(p Permission) bool {
	if a.User != nil {
		return p == Self || roles[a.Role][p]
	}
	if a.WriteOnly {
		return p == EventsWrite
	}
	return slices.ContainsFunc(a.Scopes, func(s Scope) bool { return scopes[s][p] })
}

// Need is nil when the actor may, else a fault that says why not.
func (a Actor) Need(p Permission) error {
	if p != Self && a.Workspace == uuid.Nil {
		return fault.New(fault.NotFound, "There is no such workspace, or you are not a member of it. Name one of your workspaces in the header Lejek-Workspace.")
	}
	if a.May(p) {
		return nil
	}
	if a.User == nil {
		return fault.New(fault.Forbidden, "This token may not do that: it lacks the permission %s. Make a token with a wider scope.", string(p))
	}
	return fault.New(fault.Forbidden, "Your role %s does not allow this (%s). Ask an administrator of the workspace.", string(a.Role), string(p))
}

type actorKey struct{}

// With returns ctx with its actor.
func With(ctx context.Context, actor Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, actor)
}

// From is the actor of ctx; the zero Actor, who may do nothing, when there is none.
func From(ctx context.Context) Actor {
	actor, _ := ctx.Value(actorKey{}).(Actor)
	return actor
}
