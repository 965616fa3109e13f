package api_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/auth"
)

// outside are the routes beside the contract, open to everybody on purpose.
var outside = map[string]bool{
	"GET /healthz": true, "GET /readyz": true, "GET /metrics": true, "GET /api/v1/openapi.yaml": true,
	"GET /u/:token": true, "POST /u/:token": true, "GET /v/:token": true, "POST /hooks/stripe/:workspace/:id": true, "GET /*": true,
	"POST /hooks/messages/:workspace/:id": true, "GET /p/:token": true, "POST /p/:token": true, "GET /.well-known/lejek-links": true,
	"GET /o/:token": true, "HEAD /o/:token": true, "GET /c/:token": true, "HEAD /c/:token": true, "GET /s/:token": true, "HEAD /s/:token": true,
	"GET /f/:form": true, "POST /f/:form": true, "OPTIONS /f/:form": true, "GET /f/confirm/:token": true, "POST /f/confirm/:token": true,
	"POST /t": true, "OPTIONS /t": true, "GET /book/:resource": true, "POST /book/:resource": true, "GET /book/manage/:token": true,
	"POST /book/manage/:token": true,
}

func TestEveryRouteDeclaresItsPermission(t *testing.T) {
	t.Parallel()
	b := setup(t, func(d *api.Deps) { d.Web = http.NotFoundHandler() })
	declared := map[string]api.Route{}
	for _, r := range api.Contract() {
		declared[r.Method+" "+api.Prefix+r.Path] = r
	}
	seen := 0
	for _, route := range b.server.EchoRoutes() {
		name := route.Method + " " + route.Path
		if outside[name] || route.Path == api.Prefix+"/*" || strings.HasPrefix(route.Method, "echo_route_not_found") {
			continue
		}
		r, known := declared[name]
		require.True(t, known, "%s is neither in the contract nor in the list of what is open on purpose", name)
		require.NotEqual(t, r.Public, r.Permission != "", "%s", name)
		require.True(t, r.Public || auth.KnownPermission(r.Permission), "%s needs %s, which no role has", name, r.Permission)
		seen++
	}
	require.Len(t, declared, seen, "the server answers every route of the contract")
	for _, path := range []string{"/undeclared", "/odd", "/bare"} {
		require.Len(t, api.AddUndeclared(path), 1, path)
	}
}

var parameter = regexp.MustCompile(`:[a-z_]+`)

// example fills the parameters of a path with what exists nowhere.
func example(path string) string {
	return parameter.ReplaceAllStringFunc(path, func(name string) string {
		switch name {
		case ":slug":
			return "nothing"
		case ":number":
			return "1"
		case ":token":
			return "no-such-token"
		default:
			return uuid.NewString()
		}
	})
}

func (b *testBundle) probe(as caller, r api.Route) answer {
	var body any
	headers := []string{}
	if r.Body != "" {
		body, headers = "{}", []string{"Content-Type", r.Body}
	}
	if strings.HasSuffix(r.Path, "/stream") {
		return answer{} // it would not end
	}
	return b.call(as, r.Method, api.Prefix+example(r.Path), body, headers...)
}

func TestSecurity20_RolesAndRoutes(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, role := range auth.Roles {
		t.Run(string(role), func(t *testing.T) {
			allowed := map[auth.Permission]bool{}
			for _, p := range role.Permissions() {
				allowed[p] = true
			}
			person := b.member(role)
			for _, r := range api.Contract() {
				if r.Public || r.Operation == "deleteSession" || strings.HasSuffix(r.Path, "/stream") {
					continue
				}
				got := b.probe(person, r)
				if allowed[r.Permission] {
					require.NotContains(t, []int{http.StatusUnauthorized, http.StatusInternalServerError}, got.Code, "%s %s: %s", r.Method, r.Path, got.Body)
					require.NotContains(t, got.Body.String(), "does not allow", "%s %s", r.Method, r.Path)
				} else {
					require.Equal(t, http.StatusForbidden, got.Code, "%s may not %s %s: %s", role, r.Method, r.Path, got.Body)
				}
			}
		})
	}
	t.Run("Nobody", func(t *testing.T) {
		for _, r := range api.Contract() {
			if !r.Public {
				for _, stranger := range []caller{{}, {token: "lk_live_wrong"}, {token: "nonsense"}, {session: "nonsense", workspace: b.workspace}} {
					got := b.probe(stranger, r)
					if got.ResponseRecorder != nil {
						require.Equal(t, http.StatusUnauthorized, got.Code, "%s %s: %s", r.Method, r.Path, got.Body)
					}
				}
			}
		}
	})
	t.Run("SomebodyOfAnotherWorkspace", func(t *testing.T) {
		other := b.other()
		other.workspace = b.workspace
		for _, r := range api.Contract() {
			if !r.Public && r.Permission != auth.Self && !strings.HasSuffix(r.Path, "/stream") {
				require.Equal(t, http.StatusNotFound, b.probe(other, r).Code, "%s %s", r.Method, r.Path)
			}
		}
	})
}

func TestSecurity19_TokensAndScopes(t *testing.T) {
	t.Parallel()
	b := setup(t)

	t.Run("ScopesAllowTheirOwn", func(t *testing.T) {
		for _, c := range []struct {
			scopes      []auth.Scope
			may, mayNot []string
		}{
			{[]auth.Scope{auth.ScopeRead}, []string{"GET /contacts", "GET /funnels"}, []string{"POST /contacts", "POST /events", "GET /api-tokens", "GET /session"}},
			{[]auth.Scope{auth.ScopeEvents}, []string{"POST /events"}, []string{"GET /events", "GET /contacts"}},
			{[]auth.Scope{auth.ScopeWrite}, []string{"POST /contacts"}, []string{"GET /contacts", "POST /events"}},
			{[]auth.Scope{auth.ScopeAdmin}, []string{"PATCH /workspace"}, []string{"POST /api-tokens", "POST /invitations", "PUT /me"}},
			{nil, []string{"POST /events"}, []string{"GET /events", "GET /contacts", "POST /contacts", "GET /workspace"}}, // a pub key
		} {
			token := b.token(c.scopes...)
			for _, route := range c.may {
				method, path, _ := strings.Cut(route, " ")
				got := b.call(token, method, api.Prefix+path, bodyFor(method))
				require.NotContains(t, []int{401, 403}, got.Code, "%v %s: %s", c.scopes, route, got.Body)
			}
			for _, route := range c.mayNot {
				method, path, _ := strings.Cut(route, " ")
				got := b.call(token, method, api.Prefix+path, bodyFor(method))
				require.Equal(t, 403, got.Code, "%v %s: %s", c.scopes, route, got.Body)
			}
		}
	})

	t.Run("TheDatabaseHoldsNoUsableSecret", func(t *testing.T) {
		made := b.do(b.admin, 201, "POST", "/api-tokens", object{"name": "shop", "kind": "live", "scopes": []string{"read"}})
		secret := made.get(t, "secret").(string)
		require.Equal(t, secret[:len("lk_live_")+6], made.get(t, "token.prefix"))
		listed := b.do(b.admin, 200, "GET", "/api-tokens", nil)
		require.NotContains(t, listed.Body.String(), secret)
		for _, needle := range []string{secret, b.admin.session} {
			rows, err := b.db.Query(t.Context(), `SELECT 't', t::text FROM api_tokens t UNION ALL SELECT 's', s::text FROM sessions s
				UNION ALL SELECT 'i', i::text FROM idempotency_keys i UNION ALL SELECT 'a', a::text FROM audit_log a`)
			require.NoError(t, err)
			for rows.Next() {
				var table, text string
				require.NoError(t, rows.Scan(&table, &text))
				require.NotContains(t, text, needle, table)
			}
			require.NoError(t, rows.Err())
		}
	})

	t.Run("ARevokedTokenEndsAtOnce", func(t *testing.T) {
		made := b.do(b.admin, 201, "POST", "/api-tokens", object{"name": "shop", "kind": "live", "scopes": []string{"read"}})
		token := caller{token: made.get(t, "secret").(string)}
		b.do(token, 200, "GET", "/contacts", nil)
		b.do(b.admin, 204, "DELETE", "/api-tokens/"+made.get(t, "token.id").(string), nil)
		b.do(token, 401, "GET", "/contacts", nil)
	})

	t.Run("ASecretAnswerIsNotKeptForRepeats", func(t *testing.T) {
		body := object{"name": "shop", "kind": "live", "scopes": []string{"read"}}
		first := b.do(b.admin, 201, "POST", "/api-tokens", body, "Idempotency-Key", "same")
		second := b.do(b.admin, 201, "POST", "/api-tokens", body, "Idempotency-Key", "same")
		require.NotEqual(t, first.get(t, "secret"), second.get(t, "secret"))
	})
}

// bodyFor is a body for methods that take one.
func bodyFor(method string) any {
	if method == "GET" || method == "DELETE" {
		return nil
	}
	return "{}"
}
