package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
	"github.com/lejek/lejek/backend/fault"
)

// ListInvitations lists open invitations.
func (h *handlers) ListInvitations(ctx context.Context, _ ListInvitationsRequestObject) (ListInvitationsResponseObject, error) {
	all, err := h.Auth.Invitations(ctx, workspace(ctx))
	return ListInvitations200JSONResponse{Items: each(all, toInvitation)}, err
}

// CreateInvitation invites a person.
func (h *handlers) CreateInvitation(ctx context.Context, request CreateInvitationRequestObject) (CreateInvitationResponseObject, error) {
	actor := auth.From(ctx)
	invitation, url, mailed, err := h.Auth.Invite(ctx, actor.Workspace, actor.By(), request.Body.Email, auth.Role(request.Body.Role))
	return CreateInvitation201JSONResponse{Invitation: toInvitation(invitation), Url: url, Mailed: mailed}, err
}

// DeleteInvitation withdraws an invitation.
func (h *handlers) DeleteInvitation(ctx context.Context, request DeleteInvitationRequestObject) (DeleteInvitationResponseObject, error) {
	return DeleteInvitation204Response{}, h.Auth.Withdraw(ctx, workspace(ctx), request.Id)
}

// GetInvitation shows an invitation to the invited.
func (h *handlers) GetInvitation(ctx context.Context, request GetInvitationRequestObject) (GetInvitationResponseObject, error) {
	offer, err := h.Auth.Offered(ctx, request.Token)
	return GetInvitation200JSONResponse{Workspace: offer.Workspace, Email: offer.Email, Role: Role(offer.Role), Known: offer.Known}, err
}

// AcceptInvitation makes the invited a member and signs in.
func (h *handlers) AcceptInvitation(ctx context.Context, request AcceptInvitationRequestObject) (AcceptInvitationResponseObject, error) {
	in := request.Body
	token, user, joined, err := h.Auth.Accept(ctx, request.Token, orZero(in.Name), in.Password, string(orZero(in.Language)), originOf(ctx).ip)
	if err != nil {
		return nil, err
	}
	signedIn, err := h.signedIn(ctx, user, joined, token)
	return AcceptInvitation201JSONResponse{signedIn}, err
}

// ListMembers lists the people of the workspace.
func (h *handlers) ListMembers(ctx context.Context, _ ListMembersRequestObject) (ListMembersResponseObject, error) {
	all, err := h.Auth.Members(ctx, workspace(ctx))
	return ListMembers200JSONResponse{Items: each(all, toMember(auth.From(ctx).ID()))}, err
}

// UpdateMember changes a role.
func (h *handlers) UpdateMember(ctx context.Context, request UpdateMemberRequestObject) (UpdateMemberResponseObject, error) {
	actor := auth.From(ctx)
	if err := h.Auth.SetRole(ctx, actor.Workspace, request.Id, auth.Role(request.Body.Role)); err != nil {
		return nil, err
	}
	all, err := h.Auth.Members(ctx, actor.Workspace)
	if err != nil {
		return nil, err
	}
	for _, member := range all {
		if member.User.ID == request.Id {
			return UpdateMember200JSONResponse(toMember(actor.ID())(member)), nil
		}
	}
	return nil, fault.New(fault.NotFound, "This member has just been removed.")
}

// DeleteMember takes a person out of the workspace.
func (h *handlers) DeleteMember(ctx context.Context, request DeleteMemberRequestObject) (DeleteMemberResponseObject, error) {
	return DeleteMember204Response{}, h.Auth.RemoveMember(ctx, workspace(ctx), request.Id)
}

// CreateMemberReset makes a reset link for a member.
func (h *handlers) CreateMemberReset(ctx context.Context, request CreateMemberResetRequestObject) (CreateMemberResetResponseObject, error) {
	url, expires, err := h.Auth.MemberReset(ctx, workspace(ctx), request.Id)
	return CreateMemberReset201JSONResponse{Url: url, ExpiresAt: expires}, err
}

func toInvitation(i auth.Invitation) Invitation {
	return Invitation{Id: i.ID, Email: i.Email, Role: Role(i.Role), CreatedAt: i.CreatedAt, ExpiresAt: i.ExpiresAt}
}

func toMember(me uuid.UUID) func(auth.Member) Member {
	return func(m auth.Member) Member {
		return Member{Id: m.User.ID, Email: m.User.Email, Name: m.User.Name, Role: Role(m.Role), JoinedAt: m.JoinedAt, Me: m.User.ID == me}
	}
}
