package api_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/store/storetest"
)

// evil is what somebody would store to run in the browser of whoever looks at it.
const evil = `"'><img src=x onerror=alert(1)><script>alert(2)</script></textarea></title>`

func TestSecurity_08_NoLinkOfOursLeadsToAScript(t *testing.T) {
	t.Parallel()
	b := setup(t)
	links := b.worker.Tracker.Links
	b.funnel(b.admin)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	message := uuid.MustParse(b.do(b.admin, 200, "GET", "/messages", nil).get(t, "items.0.id").(string))
	for i, target := range []string{"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "//evil.example", `https:\\evil.example`, "java\tscript:alert(1)"} {
		short, code := links.Short(b.workspace, message, i)
		_, err := b.db.Exec(t.Context(), "INSERT INTO short_links (code, workspace_id, message_id, link, url, created_at) VALUES ($1, $2, $3, $4, $5, $6)", code, b.workspace, message, i, target, storetest.Now)
		require.NoError(t, err)
		for _, address := range []string{links.Click(b.workspace, message, i, target), short} {
			got := b.call(caller{}, "GET", strings.TrimPrefix(address, baseURL), nil)
			require.Equal(t, []any{404, ""}, []any{got.Code, got.Header().Get("Location")}, target)
		}
	}
	for _, target := range []string{"https://shop.example/a?b=c#d", "http://shop.example", "mailto:shop@example.com", "tel:+48601234567"} {
		got := b.call(caller{}, "GET", strings.TrimPrefix(links.Click(b.workspace, uuid.New(), 0, target), baseURL), nil)
		require.Equal(t, []any{302, target}, []any{got.Code, got.Header().Get("Location")})
	}
	for _, redirect := range []string{"javascript:alert(1)", "//evil.example", `\\evil.example`, "data:text/html,x"} {
		got := b.do(b.admin, 422, "POST", "/forms", object{"name": "x", "redirect": redirect, "fields": []object{{"key": "email", "type": "email", "label": "E-mail", "required": true}}})
		require.Equal(t, "redirect", got.get(t, "fields.0.field"), redirect)
	}
}

func TestSecurity_12_PublicPagesShowWhatIsStoredAsText(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(b.admin, 201, "POST", "/topics", object{"slug": "offers", "name": "Offers"})
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com", "consents": []object{{"channel": "email", "state": "granted"}}}).get(t, "id").(string)
	b.funnel(b.admin)
	b.signup(b.admin, "jan@example.com")
	b.settle()
	message := b.do(b.admin, 200, "GET", "/messages", nil).get(t, "items.0.id").(string)
	form := b.form(object{"double_opt_in": true})
	require.Equal(t, 200, b.send(form, object{"email": "eve@example.com", "_consent": true, "_token": b.shown(form)}).Code)
	b.settle()
	resource := b.do(b.admin, 201, "POST", "/resources", object{"name": "Room", "zone": "Europe/Warsaw", "hours": object{"mon": []object{{"from": "09:00", "to": "17:00"}}}, "slot_minutes": 60}).get(t, "id").(string)
	at := func(id string, n string) string {
		return strings.TrimPrefix(b.do(b.admin, 200, "GET", "/messages/"+id, nil).get(t, "message.links."+n+".url").(string), baseURL)
	}
	header := b.do(b.admin, 200, "GET", "/messages/"+message, nil).get(t, "headers").(map[string]any)
	confirm := b.do(b.admin, 200, "GET", "/messages?to=eve@example.com", nil).get(t, "items.0.id").(string)
	pages := map[string]string{
		"farewell":    strings.TrimPrefix(strings.Trim(header["List-Unsubscribe"].(string), "<>"), baseURL),
		"view":        at(message, "2"),
		"preferences": strings.TrimPrefix(b.do(b.admin, 200, "POST", "/contacts/"+contact+"/preference-link", nil).get(t, "url").(string), baseURL),
		"form":        form, "confirm": at(confirm, "0"), "book": "/book/" + resource,
	}
	for _, statement := range []string{ // as if every check at the way in had failed
		"UPDATE workspaces SET name = $1", "UPDATE topics SET name = $1 || slug", "UPDATE contacts SET first_name = $1, last_name = $1", "UPDATE messages SET topic = 'offers'",
		"UPDATE forms SET name = $1, title = $1, consent_text = $1, fields = replace(fields::text, 'E-mail', replace($1, '\"', '\\\"'))::jsonb", "UPDATE resources SET name = $1, description = $1",
	} {
		args := []any{evil}
		if !strings.Contains(statement, "$1") {
			args = nil
		}
		_, err := b.db.Exec(t.Context(), statement, args...)
		require.NoError(t, err, statement)
	}
	for name, path := range pages {
		got := b.call(caller{}, "GET", path, nil, "Accept", "text/html")
		require.Equal(t, 200, got.Code, "%s %s", name, got.Body)
		body := strings.ToLower(got.Body.String())
		require.NotContains(t, body, "<img src=x", name)
		require.NotContains(t, body, "<script", name)
		if name != "view" { // the mail was written before
			require.Contains(t, body, "&lt;img src=x onerror", "%s shows it", name)
		}
		policy := got.Header().Get("Content-Security-Policy")
		require.Regexp(t, `default-src '(none|self)'`, policy, name)
		require.NotRegexp(t, `script-src[^;]*unsafe`, policy, name)
		require.Equal(t, "nosniff", got.Header().Get("X-Content-Type-Options"), name)
	}
	wrong := b.call(caller{}, "POST", form, url.Values{"email": {evil}, "first_name": {evil}, "_token": {b.shown(form)}}.Encode(), "Accept", "text/html", "Content-Type", "application/x-www-form-urlencoded")
	require.Equal(t, 422, wrong.Code)
	require.NotContains(t, wrong.Body.String(), "<img src=x", "nor what was typed")
}

func TestSecurity_14_AFileOfOursComesBackAsItWas(t *testing.T) {
	t.Parallel()
	b := setup(t)
	formula := `=HYPERLINK("http://evil.example")`
	contact := b.do(b.admin, 201, "POST", "/contacts", object{"email": "jan@example.com", "phone": "+48601234567", "consents": []object{{"channel": "email", "state": "granted", "source": formula}}}).get(t, "id").(string)
	file := b.call(b.admin, "GET", "/api/v1/contacts/"+contact+"/consent-records.csv", nil)
	require.Equal(t, 200, file.Code)
	require.Equal(t, []string{"text/csv", "nosniff"}, []string{strings.Split(file.Header().Get("Content-Type"), ";")[0], file.Header().Get("X-Content-Type-Options")})
	require.True(t, strings.HasPrefix(file.Header().Get("Content-Disposition"), "attachment"))
	require.Contains(t, file.Body.String(), `"'=HYPERLINK(`, "no spreadsheet computes it")
	require.Contains(t, file.Body.String(), `,'+48601234567,`)
	read, err := csvfile.Open(strings.NewReader(file.Body.String()), csvfile.Options{})
	require.NoError(t, err)
	row, err := read.Next()
	require.NoError(t, err)
	require.Contains(t, row.Values, formula)

	b.do(b.admin, 202, "POST", "/contacts/import", "email,phone,first_name\neve@example.com,'+48601234568,'=1+1\n", "Content-Type", "text/csv")
	_, err = b.tasks.Settle(t.Context())
	require.NoError(t, err)
	found := b.do(b.admin, 200, "GET", "/contacts?q=eve@example.com", nil)
	require.Equal(t, []any{"+48601234568", "=1+1"}, []any{found.get(t, "items.0.phone"), found.get(t, "items.0.first_name")})
}

func TestSecurity_27_NothingGoesLiveWithoutAVerifiedSender(t *testing.T) {
	t.Parallel()
	b := setup(t)
	lacks := func() (fields []string) {
		for _, field := range b.do(b.admin, 422, "POST", "/workspace/go-live", object{"warmup": "known"}).get(t, "fields").([]any) {
			fields = append(fields, field.(map[string]any)["field"].(string))
		}
		return fields
	}
	require.Equal(t, []string{"provider", "address"}, lacks())
	_, err := b.db.Exec(t.Context(), "UPDATE senders SET verified_at = NULL")
	require.NoError(t, err)
	require.Contains(t, lacks(), "sender")
}
