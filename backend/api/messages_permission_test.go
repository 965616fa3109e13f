package api_test

import (
	"testing"

	"github.com/lejek/lejek/backend/auth"
)

// Whoever may not publish must not reach people by another door with words that nobody approved.
func TestNobodyGoesRoundApproval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	letter := object{"channel": "email", "subject": "Win a car", "blocks": []object{{"id": "a", "type": "heading", "level": 1, "text": "Now"}}}
	message := object{"to": object{"email": "jan@example.com"}, "creative": letter}
	correction := object{"selection": object{"funnel_id": "01900000-0000-7000-8000-000000000001", "node": "mail-1"}, "creative": letter}
	for role, may := range map[auth.Role]bool{auth.Viewer: false, auth.Marketer: false, auth.Operator: false, auth.Approver: true, auth.Admin: true} {
		person := b.member(role)
		if may {
			b.do(person, 202, "POST", "/messages", message)
			b.do(person, 200, "POST", "/outbox/correct", correction)
		} else {
			b.do(person, 403, "POST", "/messages", message)
			b.do(person, 403, "POST", "/outbox/correct", correction)
		}
	}
	program := b.token(auth.ScopeWrite)
	b.do(program, 202, "POST", "/messages", message)
	b.do(program, 403, "POST", "/outbox/correct", correction)
	b.do(b.token(auth.ScopePublish), 200, "POST", "/outbox/correct", correction)
	b.do(b.member(auth.Marketer), 403, "POST", "/api-tokens", object{"name": "mine", "kind": "live", "scopes": []string{"write"}})
}
