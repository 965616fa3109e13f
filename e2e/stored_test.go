package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// scripts are ways to run in the browser of whoever looks, put together so that one of them fits wherever the text is put.
const scripts = ` "'><svg onload=alert(1)><img src=x onerror=alert(2)><script>alert(3)</script></textarea></title><a href=javascript:alert(4)>`

// wordsOf are the columns that hold what people wrote, by their names; all others are codes, addresses and keys that the product chose.
const wordsOf = `SELECT c.table_name, c.column_name, c.data_type = 'jsonb' FROM information_schema.columns c JOIN pg_class k ON k.relname = c.table_name AND k.relnamespace = 'public'::regnamespace
	WHERE c.table_schema = 'public' AND k.relkind IN ('r', 'p') AND NOT k.relispartition AND c.table_name NOT LIKE 'river%' AND c.is_generated = 'NEVER' AND (c.data_type = 'jsonb' OR c.data_type = 'text' AND c.column_name IN
		('name', 'title', 'label', 'description', 'note', 'subject', 'text', 'body', 'answer', 'detail', 'first_name', 'last_name', 'postal_address', 'last_error', 'error', 'told', 'does', 'username', 'to_address',
		'consent_text', 'thanks', 'source', 'hint', 'check_said', 'prefix', 'html', 'question', 'message', 'target', 'sender', 'creative', 'goal', 'preheader', 'summary', 'explanation')) ORDER BY 1, 2`

// poison writes scripts behind every text that people wrote, as if no check at the way in had held, and answers how many columns it reached.
func (w *World) poison() (reached int) {
	w.t.Helper()
	rows, err := w.Pool.Query(w.t.Context(), wordsOf)
	require.NoError(w.t, err)
	type column struct {
		Table, Name string
		JSON        bool
	}
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	require.NoError(w.t, err)
	for _, c := range columns {
		table, name := pgx.Identifier{c.Table}.Sanitize(), pgx.Identifier{c.Name}.Sanitize()
		change, with := name+" || $1", scripts
		switch {
		case c.JSON:
			change = `regexp_replace(` + name + `::text, '"(name|label|text|title|note|subject|alt|value|question|city|company|message|last_name|preheader|purpose)": "([^"\\]*)"', '"\1": "\2' || $1 || '"', 'g')::jsonb`
			with = strings.ReplaceAll(scripts, `"`, `\\"`)
		case c.Name == "html":
			with = `<svg onload=alert(1)></svg><script>alert(3)</script>`
		}
		changed, err := w.Pool.Exec(w.t.Context(), "UPDATE "+table+" SET "+name+" = "+change+" WHERE "+name+"::text NOT IN ('', 'null')", with)
		if err == nil && changed.RowsAffected() > 0 { // a check of the database itself is as good a guard as any
			reached++
		}
	}
	return reached
}

func TestSecurity_12_NothingStoredRunsOnAnyPage(t *testing.T) {
	t.Parallel()
	w := sampleWorld(t)
	p := w.Open(Screen{Untraced: true})
	p.OnDialog(func(dialog playwright.Dialog) {
		p.note("a dialog opened: " + dialog.Message())
		_ = dialog.Dismiss()
	})
	require.Greater(t, w.poison(), 40, "columns that hold words")
	shown := 0
	look := func(where string) {
		t.Helper()
		require.Zero(t, p.Number(`() => document.querySelectorAll('img[src="x"], [onerror], svg[onload], a[href^="javascript:"]').length`), where)
		if p.Number(`() => document.body.innerText.includes("onerror=alert(2)") || [...document.querySelectorAll("input,textarea")].some((e) => e.value.includes("onerror=alert(2)")) ? 1 : 0`) > 0 {
			shown++
		}
	}
	wordless := []string{"/funnels/new", "/segments/new", "/settings/ai", "/settings/account", "/settings/sending", "/settings/replies", "/settings/webhooks"}
	for _, page := range pagesToLookAt {
		if slices.Contains(wordless, page.path) {
			continue
		}
		p.Goto(page.path)
		p.See(p.GetByText(page.shows).Locator("visible=true").First())
		look(page.path)
	}
	p.aPerson()
	look("a person")
	p.aMail()
	look("a mail")
	p.Goto("/funnels?state=live")
	p.Click(p.Locator(`a[href^="/funnels/"][href$="/edit"]`).First())
	p.See(p.Locator(`[data-testid^="step-"]`).First())
	p.Click(p.Locator(`[aria-label^="Sends an e-mail"]`).First())
	p.See(p.ID("preview-subject"))
	look("the canvas and a mail")
	p.Click(p.GetByText("Outline"))
	p.See(p.GetByRole("tree"))
	look("the outline")
	p.Goto("/funnels/" + p.FunnelID() + "/versions")
	p.See(p.ID("look-draft"))
	look("the versions")
	require.Greater(t, shown, 12, "pages that show what was stored")
	require.Empty(t, p.complaints())
}
