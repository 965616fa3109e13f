package api

import (
	"context"

	"github.com/lejek/lejek/backend/auth"
)

// ListApiTokens lists tokens without their secrets.
func (h *handlers) ListApiTokens(ctx context.Context, _ ListApiTokensRequestObject) (ListApiTokensResponseObject, error) {
	all, err := h.Auth.Tokens(ctx, workspace(ctx))
	return ListApiTokens200JSONResponse{Items: each(all, toToken)}, err
}

// CreateApiToken makes a token and shows its secret once.
func (h *handlers) CreateApiToken(ctx context.Context, request CreateApiTokenRequestObject) (CreateApiTokenResponseObject, error) {
	in, actor := request.Body, auth.From(ctx)
	token, secret, err := h.Auth.CreateToken(ctx, h.DB, actor.Workspace, actor.By(), auth.TokenInput{
		Name: in.Name, Pub: in.Kind == ApiTokenInputKindPub, ExpiresAt: in.ExpiresAt,
		Scopes: each(orZero(in.Scopes), func(s TokenScope) auth.Scope { return auth.Scope(s) }),
	})
	return CreateApiToken201JSONResponse{Token: toToken(token), Secret: secret}, err
}

// DeleteApiToken revokes a token.
func (h *handlers) DeleteApiToken(ctx context.Context, request DeleteApiTokenRequestObject) (DeleteApiTokenResponseObject, error) {
	return DeleteApiToken204Response{}, h.Auth.RevokeToken(ctx, workspace(ctx), request.Id)
}

func toToken(t auth.Token) ApiToken {
	kind := ApiTokenKindLive
	if t.Pub {
		kind = ApiTokenKindPub
	}
	return ApiToken{
		Id: t.ID, Name: t.Name, Kind: kind, Prefix: t.Prefix, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt, LastUsedAt: t.LastUsedAt,
		Scopes: each(t.Scopes, func(s auth.Scope) TokenScope { return TokenScope(s) }),
	}
}
