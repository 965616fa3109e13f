package auth

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// The two kinds of token, by the beginning of their secret.
const (
	LivePrefix = "lk_live_"
	PubPrefix  = "lk_pub_"
	shownChars = 6 // of the secret behind the prefix, to tell tokens apart
)

// Token is a program's way in, without its secret.
type Token struct {
	ID         uuid.UUID
	Name       string
	Pub        bool
	Prefix     string
	Scopes     []Scope
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
}

// TokenInput is what a new token shall be.
type TokenInput struct {
	Name      string
	Pub       bool
	Scopes    []Scope // ignored for a pub key
	ExpiresAt *time.Time
}

// CreateToken makes a token and answers its secret, which is kept nowhere.
func (a *Auth) CreateToken(ctx context.Context, db store.DB, workspace uuid.UUID, by *uuid.UUID, in TokenInput) (Token, string, error) {
	now := a.now()
	if err := checkToken(in, now); err != nil {
		return Token{}, "", err
	}
	prefix, kind := LivePrefix, "live"
	if in.Pub {
		prefix, kind, in.Scopes = PubPrefix, "pub", []Scope{ScopeEvents}
	}
	secret, hash := newSecret(prefix)
	token := Token{
		ID: store.NewID(), Name: strings.TrimSpace(in.Name), Pub: in.Pub, Prefix: secret[:len(prefix)+shownChars],
		Scopes: in.Scopes, CreatedAt: now, ExpiresAt: in.ExpiresAt,
	}
	err := store.Q.InsertToken(ctx, db, store.InsertTokenParams{
		WorkspaceID: workspace, ID: token.ID, SecretHash: hash, Name: token.Name, Kind: kind, Prefix: token.Prefix,
		Scopes: words(in.Scopes), CreatedBy: by, At: now, ExpiresAt: in.ExpiresAt,
	})
	return token, secret, fault.Wrap(err, "make a token")
}

func checkToken(in TokenInput, now time.Time) error {
	var fields []fault.Field
	if strings.TrimSpace(in.Name) == "" {
		fields = append(fields, fault.Field{Path: "name", Message: "Name the token after the program that will use it."})
	}
	if utf8.RuneCountInString(in.Name) > maxName {
		fields = append(fields, fault.Field{Path: "name", Message: "The name is too long: at most 200 characters."})
	}
	if !in.Pub && len(in.Scopes) == 0 {
		fields = append(fields, fault.Field{Path: "scopes", Message: "Choose at least one scope; a token without any may do nothing."})
	}
	if i := slices.IndexFunc(in.Scopes, func(s Scope) bool { return !s.Known() }); i >= 0 {
		fields = append(fields, fault.Field{Path: "scopes", Message: "There is no scope " + string(in.Scopes[i]) + "."})
	}
	if in.ExpiresAt != nil && !in.ExpiresAt.After(now) {
		fields = append(fields, fault.Field{Path: "expires_at", Message: "The token would have expired already. Choose a later instant."})
	}
	return fault.InvalidFields(fields)
}

// Tokens are the workspace's tokens, the oldest first.
func (a *Auth) Tokens(ctx context.Context, workspace uuid.UUID) ([]Token, error) {
	rows, err := store.Q.Tokens(ctx, a.db, workspace)
	if err != nil {
		return nil, fault.Wrap(err, "list tokens")
	}
	tokens := make([]Token, len(rows))
	for i, row := range rows {
		tokens[i] = Token{
			ID: row.ID, Name: row.Name, Pub: row.Kind == "pub", Prefix: row.Prefix, Scopes: scopesOf(row.Scopes),
			CreatedAt: row.CreatedAt, ExpiresAt: row.ExpiresAt, LastUsedAt: row.LastUsedAt,
		}
	}
	return tokens, nil
}

// RevokeToken ends a token. Tokens are read from the database at each request, so it ends at once.
func (a *Auth) RevokeToken(ctx context.Context, workspace, id uuid.UUID) error {
	n, err := store.Q.DeleteToken(ctx, a.db, store.DeleteTokenParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return fault.Wrap(err, "revoke a token")
	}
	if n == 0 {
		return fault.New(fault.NotFound, "There is no such token. It may have been revoked already.")
	}
	return nil
}

func errToken() error {
	return fault.New(fault.Unauthenticated, "The token is unknown, expired or revoked. Make a new one in Settings, API.")
}

// ByToken is the program behind a secret.
func (a *Auth) ByToken(ctx context.Context, secret string) (Actor, error) {
	if !strings.HasPrefix(secret, LivePrefix) && !strings.HasPrefix(secret, PubPrefix) {
		return Actor{}, errToken() // nothing we made: not worth a query
	}
	now := a.now()
	row, err := store.Q.TokenBySecret(ctx, a.db, store.TokenBySecretParams{SecretHash: hashSecret(secret), At: &now})
	if errors.Is(err, pgx.ErrNoRows) {
		return Actor{}, errToken()
	}
	if err != nil {
		return Actor{}, fault.Wrap(err, "read a token")
	}
	if row.LastUsedAt == nil || now.Sub(*row.LastUsedAt) >= seenResolution {
		if err := store.Q.UseToken(ctx, a.db, store.UseTokenParams{At: &now, WorkspaceID: row.WorkspaceID, ID: row.ID}); err != nil {
			return Actor{}, fault.Wrap(err, "note the use of a token")
		}
	}
	return Actor{Token: row.ID, Workspace: row.WorkspaceID, Scopes: scopesOf(row.Scopes), WriteOnly: row.Kind == "pub"}, nil
}

func words(scopes []Scope) []string {
	all := make([]string, len(scopes))
	for i, scope := range scopes {
		all[i] = string(scope)
	}
	return all
}

func scopesOf(words []string) []Scope {
	all := make([]Scope, len(words))
	for i, word := range words {
		all[i] = Scope(word)
	}
	return all
}
