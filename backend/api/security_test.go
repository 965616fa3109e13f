package api_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
	"github.com/lejek/lejek/backend/auth"
)

func TestSecurity16_CSRF(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := object{"name": "Mine"}

	t.Run("AnotherSiteMayNotWrite", func(t *testing.T) {
		for _, headers := range [][]string{
			{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "http://sub.lejek.test"},
		} {
			b.do(b.admin, 403, "PATCH", "/workspace", body, append(headers, "Host", "lejek.test")...)
		}
	})
	t.Run("OurOwnPagesAndProgramsMay", func(t *testing.T) {
		b.do(b.admin, 200, "PATCH", "/workspace", body, "Sec-Fetch-Site", "same-origin")
		b.do(b.admin, 200, "PATCH", "/workspace", body)
		b.do(b.token(auth.ScopeAdmin), 200, "PATCH", "/workspace", body, "Sec-Fetch-Site", "cross-site")
	})
	t.Run("AFormIsNoRequest", func(t *testing.T) {
		for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", ""} {
			b.do(b.admin, http.StatusUnsupportedMediaType, "POST", "/tags", `{"name":"x"}`, "Content-Type", kind)
		}
	})
	t.Run("NoGetChangesAnything", func(t *testing.T) {
		for _, r := range api.Contract() {
			if r.Method == http.MethodGet {
				require.Regexp(t, "^(get|list|stream|preview|explain)[A-Z]", r.Operation)
			}
		}
	})
	t.Run("TheCookieIsBoundToTheHost", func(t *testing.T) {
		b.server = b.newServer(func(d *api.Deps) { d.BaseURL = "https://lejek.test" })
		cookie := b.do(caller{}, 201, "POST", "/session", object{"email": adminEmail, "password": adminPassword}).Header().Get("Set-Cookie")
		require.Regexp(t, "^__Host-lejek_session=", cookie)
		for _, part := range []string{"HttpOnly", "Secure", "SameSite=Lax", "Path=/"} {
			require.Contains(t, cookie, part)
		}
		require.NotContains(t, cookie, "Domain")
	})
}

func TestSecurity16_OtherSitesMaySendEventsWithAPubKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := b.call(caller{}, "OPTIONS", "/api/v1/events", nil, "Origin", "https://shop.example", "Access-Control-Request-Method", "POST")
	require.Equal(t, 204, asked.Code)
	require.Equal(t, "*", asked.Header().Get("Access-Control-Allow-Origin"))
	require.Empty(t, asked.Header().Get("Access-Control-Allow-Credentials"))
	got := b.do(b.token(), 200, "POST", "/events", object{"name": "signup", "contact": object{"email": "a@example.com"}}, "Origin", "https://shop.example", "Sec-Fetch-Site", "cross-site")
	require.JSONEq(t, `{"results":[{"status":"accepted"}]}`, got.Body.String(), "a key everybody can read learns nothing")
	b.do(b.token(), 422, "POST", "/events", object{"name": "signup", "contact": object{"email": "a@example.com", "consents": []object{{"channel": "email", "state": "granted"}}}})
	require.Empty(t, b.call(b.admin, "OPTIONS", "/api/v1/contacts", nil, "Origin", "https://shop.example", "Access-Control-Request-Method", "POST").Header().Get("Access-Control-Allow-Origin"))
}

func TestSecurity17_Sessions(t *testing.T) {
	t.Parallel()
	signIn := object{"email": adminEmail, "password": adminPassword}

	t.Run("ANewPasswordEndsAllOthers", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		got := b.do(caller{}, 201, "POST", "/session", signIn)
		other := caller{session: sessionIn(got)}
		b.do(other, 200, "GET", "/session", nil)
		b.do(b.admin, 422, "PUT", "/me", object{"password": "a new long password", "current_password": "wrong"})
		changed := b.do(b.admin, 200, "PUT", "/me", object{"password": "a new long password", "current_password": adminPassword})
		b.do(other, 401, "GET", "/session", nil)
		b.do(b.admin, 401, "GET", "/session", nil)
		b.do(caller{session: sessionIn(changed)}, 200, "GET", "/session", nil)
	})
	t.Run("SigningInTakesAnotherToken", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		got := b.do(b.admin, 201, "POST", "/session", signIn)
		require.NotEqual(t, b.admin.session, sessionIn(got))
		b.do(b.admin, 401, "GET", "/session", nil)
	})
	t.Run("EndsAfterTwelveIdleHours", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.machine.ahead = 11 * time.Hour
		b.do(b.admin, 200, "GET", "/session", nil)
		b.machine.ahead = 22 * time.Hour
		b.do(b.admin, 200, "GET", "/session", nil)
		b.machine.ahead = 35 * time.Hour
		b.do(b.admin, 401, "GET", "/session", nil)
	})
	t.Run("EndsAfterThirtyDaysHoweverUsed", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for b.machine.ahead = 0; b.machine.ahead < auth.SessionLife; b.machine.ahead += 11 * time.Hour {
			b.do(b.admin, 200, "GET", "/session", nil)
		}
		b.do(b.admin, 401, "GET", "/session", nil)
	})
	t.Run("FiftyAtOnceAreHashedByFew", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		var all sync.WaitGroup
		statuses := make([]int, 50)
		for i := range statuses {
			all.Go(func() {
				request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/session", strings.NewReader(fmt.Sprintf(`{"email":"%d@example.com","password":"wrong password"}`, i)))
				request.Header.Set("Content-Type", "application/json")
				request.RemoteAddr = fmt.Sprintf("192.0.2.%d:1", i)
				recorder := httptest.NewRecorder()
				b.server.ServeHTTP(recorder, request)
				statuses[i] = recorder.Code
			})
		}
		all.Wait()
		for _, status := range statuses {
			require.Contains(t, []int{401, 503}, status)
		}
	})
}

func sessionIn(a answer) string {
	_, rest, _ := strings.Cut(a.Header().Get("Set-Cookie"), "=")
	token, _, _ := strings.Cut(rest, ";")
	return token
}

func TestSecurity18_LoginAbuse(t *testing.T) {
	t.Parallel()
	b := setup(t)

	t.Run("AnUnknownAddressLooksLikeAWrongPassword", func(t *testing.T) {
		wrong := b.do(caller{}, 401, "POST", "/session", object{"email": adminEmail, "password": "not the password"})
		unknown := b.do(caller{}, 401, "POST", "/session", object{"email": "nobody@example.com", "password": "not the password"})
		require.Equal(t, wrong.get(t, "detail"), unknown.get(t, "detail"))
		require.Equal(t, wrong.get(t, "code"), unknown.get(t, "code"))
	})
	t.Run("AndTakesAsLong", func(t *testing.T) {
		took := func(email string, i int) time.Duration {
			start := time.Now()
			request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/session", strings.NewReader(`{"email":"`+email+`","password":"not the password"}`))
			request.Header.Set("Content-Type", "application/json")
			request.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i)
			b.server.ServeHTTP(httptest.NewRecorder(), request)
			return time.Since(start)
		}
		// Without the decoy an unknown address answers in a millisecond, a known one after the tens that hashing takes. A busy machine blurs
		// single answers, so the fastest of each count.
		known, unknown := time.Hour, time.Hour
		for i := 0; i < 4 && (i == 0 || 4*unknown <= known); i++ {
			known, unknown = min(known, took(adminEmail, i)), min(unknown, took("nobody@example.com", i))
		}
		require.Greater(t, 4*unknown, known, "the decoy was hashed")
	})
	t.Run("TooManyAttemptsWait", func(t *testing.T) {
		for _, email := range []string{"guess@example.com", adminEmail} {
			var last answer
			for range 12 {
				last = b.call(caller{}, "POST", "/api/v1/session", object{"email": email, "password": "not the password"})
			}
			require.Equal(t, 429, last.Code)
			require.NotEmpty(t, last.Header().Get("Retry-After"))
			requireContract(t, "POST", "/session", last)
		}
		b.machine.ahead = time.Hour
		b.do(caller{}, 201, "POST", "/session", object{"email": adminEmail, "password": adminPassword})
	})
}

func TestSecurity24_ForgedClientAddressIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup(t)
	attempt := func(peer, forwarded string) int {
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/session", strings.NewReader(`{"email":"victim@example.com","password":"wrong password"}`))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("X-Forwarded-For", forwarded)
		request.Header.Set("X-Real-IP", forwarded)
		request.RemoteAddr = peer + ":1"
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		return recorder.Code
	}
	refused := func(peer string) bool {
		for i := range 12 {
			if attempt(peer, fmt.Sprintf("203.0.113.%d", i)) == 429 {
				return true
			}
		}
		return false
	}
	require.True(t, refused("192.0.2.1"), "a stranger who changes the header stays one stranger")
	b.server = b.newServer(func(d *api.Deps) { d.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	require.False(t, refused("10.0.0.5"), "behind a trusted proxy they are many")
	require.True(t, refused("192.0.2.2"), "who is no trusted proxy is not believed")

	metrics := func(peer, forwarded string) int {
		request := httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
		request.RemoteAddr = peer + ":1"
		request.Header.Set("X-Forwarded-For", forwarded)
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		return recorder.Code
	}
	require.Equal(t, 404, metrics("192.0.2.2", "127.0.0.1"))
	require.Equal(t, 200, metrics("127.0.0.1", ""))
}

// endless is a body without an end that counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	e.read += len(p)
	return len(p), nil
}

func TestSecurity25_OversizeAndDeep(t *testing.T) {
	t.Parallel()
	b := setup(t)

	t.Run("AnEndlessBodyIsReadToTheLimitOnly", func(t *testing.T) {
		body := &endless{}
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/tags", body)
		request.ContentLength = -1
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+b.token(auth.ScopeWrite).token)
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		require.Equal(t, 413, recorder.Code)
		require.Less(t, body.read, 3<<20)
	})
	t.Run("JSONDeeperThan64IsRefused", func(t *testing.T) {
		b.do(b.admin, 422, "POST", "/validate", `{"graph":`+strings.Repeat("[", 10_000)+strings.Repeat("]", 10_000)+`}`)
		b.do(b.admin, 200, "POST", "/validate", `{"graph":{"schema":1,"nodes":[{"id":"a","kind":"x","name":"[[[[{{{{\"[[","config":{}}],"edges":[]}}`)
	})
	t.Run("OfTensOfThousandsOfUnknownKeysAFewAreNamed", func(t *testing.T) {
		var body strings.Builder
		body.WriteString(`{"name":"x"`)
		for i := range 50_000 {
			fmt.Fprintf(&body, `,"k%d":1`, i)
		}
		body.WriteString("}")
		got := b.do(b.admin, 422, "POST", "/tags", body.String())
		require.Len(t, got.get(t, "fields"), 20)
	})
	t.Run("TheServerHasLimitsOfTime", func(t *testing.T) {
		server := b.server.HTTP("127.0.0.1:0")
		require.NotZero(t, server.ReadHeaderTimeout)
		require.NotZero(t, server.ReadTimeout)
		require.NotZero(t, server.IdleTimeout)
		require.LessOrEqual(t, server.MaxHeaderBytes, 64<<10)
	})
}

func TestFault39_BadPayloadsAreRefusedCheaply(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.token(auth.ScopeEvents)

	t.Run("TenMegabytesAreNotRead", func(t *testing.T) {
		body := &endless{}
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/events", io.LimitReader(body, 10<<20))
		request.ContentLength = 10 << 20
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token.token)
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		require.Equal(t, 413, recorder.Code)
		require.Zero(t, body.read)
	})
	t.Run("AWrongTokenReadsNoBody", func(t *testing.T) {
		body := &endless{}
		request := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/events", io.LimitReader(body, 1<<20))
		request.ContentLength = -1
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer lk_live_wrong")
		recorder := httptest.NewRecorder()
		b.server.ServeHTTP(recorder, request)
		require.Equal(t, 401, recorder.Code)
		require.Zero(t, body.read)
	})
	t.Run("TenThousandDeep", func(t *testing.T) {
		b.do(token, 422, "POST", "/events", `{"name":"x","contact":{"email":"a@example.com"},"properties":`+strings.Repeat(`{"a":`, 10_000)+`1`+strings.Repeat(`}`, 10_000)+`}`)
	})
	t.Run("OneBadEventStopsNoOther", func(t *testing.T) {
		got := b.do(token, 200, "POST", "/events", `{"events":[
			{"name":"ok","contact":{"email":"a@example.com"}},
			{"name":"nul","contact":{"email":"b@example.com"},"properties":{"x":"a\u0000b"}},
			{"name":"half","contact":{"email":"c@example.com"},"properties":{"x":"\ud800"}},
			{"name":"huge","contact":{"email":"d@example.com"},"properties":{"x":"`+strings.Repeat("x", 1<<20)+`"}},
			{"name":"emoji","contact":{"email":"e@example.com"},"properties":{"x":"👩‍👩‍👧 مرحبا `+"\u200b"+`"}},
			7, null, "x"]}`)
		var statuses []string
		for i := range 8 {
			statuses = append(statuses, got.get(t, fmt.Sprintf("results.%d.status", i)).(string))
		}
		require.Equal(t, []string{"accepted", "rejected", "accepted", "rejected", "accepted", "rejected", "rejected", "rejected"}, statuses)
	})
	t.Run("WhatTheDatabaseCannotKeepIsSaid", func(t *testing.T) {
		graph := object{"graph": sampleGraph(), "creatives": object{}, "name": "x"}
		made := b.do(b.admin, 201, "POST", "/funnels", graph)
		id, revision := made.get(t, "funnel.id").(string), made.get(t, "revision")
		b.do(b.admin, 422, "PUT", "/funnels/"+id+"/draft", fmt.Sprintf(`{"revision":%v,"graph":{"schema":1,"nodes":[],"edges":[]},"creatives":{},"layout":{"a":"\u0000"}}`, revision))
		b.do(b.admin, 422, "PATCH", "/funnels/"+id, "{\"name\":\"\xff\"}")
	})
	t.Run("WrongShapesNameThePlace", func(t *testing.T) {
		require.Equal(t, "name", b.do(token, 422, "POST", "/events", `{"name":5,"contact":{}}`).get(t, "fields.0.field"))
		require.Contains(t, b.do(token, 422, "POST", "/events", "{\n  \"name\": \"x\",\n  oops }").get(t, "detail"), "line 3")
		b.do(token, 422, "POST", "/events", `{"events":[]}`)
		b.do(token, 422, "POST", "/events", `[]`)
		b.do(token, 422, "POST", "/events", ``)
	})
}
