package api_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestWrongValuesAreTheCallersFault sends what the contract forbids; every answer is a 4xx that says so, and none is ours.
func TestWrongValuesAreTheCallersFault(t *testing.T) {
	t.Parallel()
	b := setup(t)
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "ola@example.com"}).get(t, "id").(string)
	long := strings.Repeat("x", 600)
	for _, c := range []struct {
		method, path string
		body         any
	}{
		{"PUT", "/me", object{"language": "xx"}},
		{"PUT", "/me", object{"name": long}},
		{"PUT", "/me", object{"password": "short", "current_password": adminPassword}},
		{"POST", "/workspaces", object{"name": "x", "language": "xx"}},
		{"POST", "/workspaces", object{"name": "x", "zone": "Nowhere/At_all"}},
		{"PATCH", "/workspace", object{"currency": "zloty"}},
		{"PATCH", "/workspace", object{"address": long}},
		{"PATCH", "/workspace", object{"name": " "}},
		{"POST", "/senders", object{"email": "a@example.com", "name": "x\r\nBcc: all@example.com"}},
		{"POST", "/senders", object{"email": "no address"}},
		{"POST", "/senders", object{"email": "a@example.com", "slug": "Not A Slug"}},
		{"PUT", "/providers/smtp", object{"host": "", "port": 587, "security": "starttls", "enabled": true}},
		{"PUT", "/providers/smtp", object{"host": "mail.example.com", "port": 587, "security": "magic", "enabled": true}},
		{"POST", "/invitations", object{"email": "a@example.com", "role": "king"}},
		{"POST", "/invitations", object{"email": "nobody", "role": "viewer"}},
		{"POST", "/api-tokens", object{"name": "", "kind": "live", "scopes": []string{"read"}}},
		{"POST", "/api-tokens", object{"name": "x", "kind": "live", "scopes": []string{"everything"}}},
		{"POST", "/api-tokens", object{"name": "x", "kind": "live", "scopes": []string{"read"}, "expires_at": "2001-01-01T00:00:00Z"}},
		{"POST", "/tags", object{"name": "x", "slug": long}},
		{"POST", "/tags", object{"name": ""}},
		{"POST", "/fields", object{"key": "Bad Key", "type": "text"}},
		{"POST", "/fields", object{"key": "ok", "type": "blob"}},
		{"PUT", "/contacts/" + contact + "/consents", object{"items": []object{{"channel": "fax", "state": "granted"}}}},
		{"PUT", "/contacts/" + contact + "/consents", object{"items": []object{{"channel": "email", "state": "maybe"}}}},
		{"POST", "/contacts/" + contact + "/tags", object{"tag": "Not A Slug"}},
		{"POST", "/contacts", object{"phone": "call me"}},
		{"POST", "/funnels", object{"name": ""}},
		{"POST", "/funnels", object{"name": long}},
		{"POST", "/ai/drafts", object{"prompt": " "}},
		{"GET", "/contacts?limit=many", nil},
		{"GET", "/contacts?q=%00", nil},
		{"GET", "/runs?funnel=nonsense", nil},
		{"GET", "/runs?cursor=bm9uc2Vuc2U", nil},
		{"GET", "/messages?to=nonsense", nil},
		{"GET", "/contacts/nonsense", nil},
		{"GET", "/funnels/" + uuid.NewString() + "/versions/first", nil},
	} {
		got := b.call(b.admin, c.method, "/api/v1"+c.path, c.body)
		require.GreaterOrEqual(t, got.Code, 400, "%s %s %v: %s", c.method, c.path, c.body, got.Body)
		require.Less(t, got.Code, 500, "%s %s %v: %s", c.method, c.path, c.body, got.Body)
		require.NotEmpty(t, got.get(t, "detail"))
		requireContract(t, c.method, c.path, got)
	}
}
