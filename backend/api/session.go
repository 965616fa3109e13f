package api

import (
	"context"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/auth"
)

// GetSetup says whether the first administrator is still to be made.
func (h *handlers) GetSetup(ctx context.Context, _ GetSetupRequestObject) (GetSetupResponseObject, error) {
	needed, err := h.Auth.NeedsSetup(ctx)
	return GetSetup200JSONResponse{Needed: needed}, err
}

// CreateSetup makes the first administrator and the first workspace.
func (h *handlers) CreateSetup(ctx context.Context, request CreateSetupRequestObject) (CreateSetupResponseObject, error) {
	in := request.Body
	token, user, made, err := h.Auth.Setup(ctx, h.Clock, auth.SetupInput{
		Name: orZero(in.Name), Email: in.Email, Password: in.Password, Workspace: in.Workspace, Zone: orZero(in.Zone),
		Language: string(orZero(in.Language)),
	})
	if err != nil {
		return nil, err
	}
	signedIn, err := h.signedIn(ctx, user, made.ID, token)
	return CreateSetup201JSONResponse{signedIn}, err
}

// CreateSession signs in.
func (h *handlers) CreateSession(ctx context.Context, request CreateSessionRequestObject) (CreateSessionResponseObject, error) {
	from := originOf(ctx)
	token, user, err := h.Auth.SignIn(ctx, request.Body.Email, request.Body.Password, from.ip, from.session)
	if err != nil {
		return nil, err
	}
	signedIn, err := h.signedIn(ctx, user, uuid.Nil, token)
	return CreateSession201JSONResponse{signedIn}, err
}

// GetSession says who I am.
func (h *handlers) GetSession(ctx context.Context, _ GetSessionRequestObject) (GetSessionResponseObject, error) {
	actor := auth.From(ctx)
	session, err := h.session(ctx, *actor.User, actor.Workspace)
	return GetSession200JSONResponse(session), err
}

// DeleteSession signs out.
func (h *handlers) DeleteSession(ctx context.Context, _ DeleteSessionRequestObject) (DeleteSessionResponseObject, error) {
	if err := h.Auth.SignOut(ctx, originOf(ctx).session); err != nil {
		return nil, err
	}
	return DeleteSession204Response{Headers: SignedOutResponseHeaders{SetCookie: new(h.setCookie(""))}}, nil
}

// UpdateMe changes name, language or password.
func (h *handlers) UpdateMe(ctx context.Context, request UpdateMeRequestObject) (UpdateMeResponseObject, error) {
	in, actor, from := request.Body, auth.From(ctx), originOf(ctx)
	token, user, err := h.Auth.UpdateMe(ctx, *actor.User, auth.MePatch{
		Name: in.Name, Language: (*string)(in.Language), Password: in.Password, Current: orZero(in.CurrentPassword),
	}, from.ip)
	if err != nil {
		return nil, err
	}
	if token == "" {
		token = from.session
	}
	signedIn, err := h.signedIn(ctx, user, actor.Workspace, token)
	return UpdateMe200JSONResponse{signedIn}, err
}

// RequestPasswordReset mails a link, and never says to whom.
func (h *handlers) RequestPasswordReset(ctx context.Context, request RequestPasswordResetRequestObject) (RequestPasswordResetResponseObject, error) {
	if err := h.Auth.RequestReset(ctx, request.Body.Email, originOf(ctx).ip); err != nil {
		return nil, err
	}
	return RequestPasswordReset202JSONResponse{Mail: h.Auth.CanMail()}, nil
}

// ConfirmPasswordReset sets a new password.
func (h *handlers) ConfirmPasswordReset(ctx context.Context, request ConfirmPasswordResetRequestObject) (ConfirmPasswordResetResponseObject, error) {
	err := h.Auth.ConfirmReset(ctx, request.Body.Token, request.Body.Password, originOf(ctx).ip)
	return ConfirmPasswordReset204Response{}, err
}

// signedIn is the answer that sets the cookie. Without a named workspace it is the person's first.
func (h *handlers) signedIn(ctx context.Context, user auth.User, workspace uuid.UUID, token string) (SignedInJSONResponse, error) {
	session, err := h.session(ctx, user, workspace)
	return SignedInJSONResponse{Body: session, Headers: SignedInResponseHeaders{SetCookie: new(h.setCookie(token))}}, err
}

func (h *handlers) session(ctx context.Context, user auth.User, workspace uuid.UUID) (Session, error) {
	memberships, err := h.Auth.Memberships(ctx, user.ID)
	if err != nil {
		return Session{}, err
	}
	session := Session{
		User:        User{Id: user.ID, Email: user.Email, Name: user.Name, Language: Language(user.Language)},
		Workspaces:  each(memberships, toMembership),
		Permissions: []string{},
	}
	for i, m := range memberships {
		if m.Workspace == workspace || workspace == uuid.Nil && i == 0 {
			session.Workspace = &session.Workspaces[i]
			session.Permissions = each(m.Role.Permissions(), func(p auth.Permission) string { return string(p) })
		}
	}
	return session, nil
}

func toMembership(m auth.Membership) Membership {
	return Membership{Id: m.Workspace, Name: m.Name, Role: Role(m.Role), Zone: m.Zone, Language: Language(m.Language)}
}
