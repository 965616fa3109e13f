package why_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/why"
)

const cities = `{"schema": 1, "nodes": [
	{"id": "in", "kind": "entry", "config": {"triggers": [{"kind": "api_event", "name": "go"}], "filter": {"field": "last_name", "op": "is", "value": "Nowak"},
		"reentry": {"rule": "after_exit", "pause": {"amount": 30, "unit": "days"}}}},
	{"id": "mail-1", "kind": "send_email", "name": "Welcome", "config": {"creative": "creative:welcome", "class": "marketing"}},
	{"id": "wait-1", "kind": "wait", "name": "A day", "config": {"mode": "duration", "for": {"amount": 24, "unit": "hours"}}},
	{"id": "if-1", "kind": "condition", "name": "From here?", "config": {"rule": {"field": "first_name", "op": "is", "value": "Anna"}}},
	{"id": "wait-2", "kind": "wait", "config": {"mode": "until_event", "event": {"name": "paid"}, "timeout": {"amount": 2, "unit": "days"}}},
	{"id": "goal-1", "kind": "goal", "name": "Paid", "config": {"mode": "event", "event": {"name": "bought"}}}],
	"edges": [{"from": "in", "port": "next", "to": "mail-1"}, {"from": "mail-1", "port": "next", "to": "wait-1"}, {"from": "wait-1", "port": "next", "to": "if-1"},
		{"from": "if-1", "port": "no", "to": "wait-2"}]}`

type asking struct {
	*spinetest.World

	funnel uuid.UUID
}

func (a asking) ask(email string) why.Answer {
	a.Helper()
	var contact uuid.UUID
	require.NoError(a, a.Pool.QueryRow(a.Context(), `SELECT id FROM contacts WHERE workspace_id = $1 AND email = $2`, a.Workspace, email).Scan(&contact))
	explainer := &why.Explainer{DB: a.Pool, Clock: a.Clock, Plans: a.Runner.Plans, People: a.People}
	answer, err := explainer.Explain(a.Context(), a.Workspace, a.funnel, contact)
	require.NoError(a, err)
	for _, said := range slices.Concat([]why.Sentence{answer.Said, answer.Enter}, answer.Barred, sentencesOf(answer.Steps)) {
		for _, language := range []string{"en", "pl", "ru"} {
			require.NotEmpty(a, said.Text[language], said.Code)
			require.NotContains(a, said.Text[language], "{", "every parameter is given: %s", said.Code)
		}
	}
	return answer
}

func sentencesOf(steps []why.Step) []why.Sentence {
	said := make([]why.Sentence, len(steps))
	for i, step := range steps {
		said[i] = step.Said
	}
	return said
}

func TestWhySomebodyIsNotInAFunnel(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	a := asking{w, w.Funnel("cities", cities)}
	anna := w.Contact("anna@example.com")

	answer := a.ask("anna@example.com")
	require.Equal(t, why.Never, answer.Status)
	require.Equal(t, "never", answer.Said.Code)
	require.False(t, answer.Admitted)
	require.Equal(t, `Would not enter now: the entry condition is not met (last_name is "Nowak": no, it is unknown).`, answer.Enter.Text["en"])
	require.Equal(t, `Teraz nie wejdzie: warunek wejścia niespełniony (last_name jest Nowak: nie, to brak).`, answer.Enter.Text["pl"])

	w.Exec(`UPDATE contacts SET last_name = 'Kowalska' WHERE workspace_id = $1 AND id = $2`, w.Workspace, anna)
	w.Event("anna@example.com", "go", nil)
	answer = a.ask("anna@example.com")
	require.Equal(t, "refused", answer.Said.Code)
	require.Contains(t, answer.Said.Text["en"], "the entry condition was not met")
	require.Contains(t, answer.Enter.Text["ru"], "last_name равно Nowak: нет, это Kowalska")

	w.Exec(`UPDATE contacts SET last_name = 'Nowak' WHERE workspace_id = $1 AND id = $2`, w.Workspace, anna)
	answer = a.ask("anna@example.com")
	require.True(t, answer.Admitted)
	require.Equal(t, "Would enter now, as soon as this happens: the event “go” comes in.", answer.Enter.Text["en"])

	w.Exec(`UPDATE funnels SET state = 'stopped' WHERE workspace_id = $1`, w.Workspace)
	require.Equal(t, "Would not enter now: the funnel is not live.", a.ask("anna@example.com").Enter.Text["en"])
}

func TestWhySomebodyWaitsAndWhatHappenedAtEachStep(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	a := asking{w, w.Funnel("cities", cities)}
	w.Exec(`UPDATE contacts SET last_name = 'Nowak', first_name = 'Jan', zone = 'Europe/Berlin' WHERE workspace_id = $1 AND id = $2`, w.Workspace, w.Contact("jan@example.com"))
	start := w.Clock.Now()
	w.Event("jan@example.com", "go", nil)
	w.Settle()

	answer := a.ask("jan@example.com")
	require.Equal(t, why.Waiting, answer.Status)
	require.Equal(t, "wait-1", answer.Node)
	require.Equal(t, start.Add(24*time.Hour), answer.NextAt.UTC())
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	require.Equal(t, "Waits at “A day” until "+start.Add(24*time.Hour).In(berlin).Format("2006-01-02 15:04")+" (Berlin), then goes on to “From here?”.", answer.Said.Text["en"])
	require.Equal(t, []string{"step_passed", "sent", "step_waits"}, codes(answer))
	require.Contains(t, answer.Enter.Text["en"], "they are inside already")

	// Quiet hours hold the next message: the gate has set its reason and the next attempt.
	w.Exec(`UPDATE messages SET status = 'queued', sent_at = NULL, reason = 'quiet_hours', next_attempt_at = $2 WHERE workspace_id = $1`, w.Workspace, start.Add(time.Hour))
	answer = a.ask("jan@example.com")
	require.Equal(t, "message_held", answer.Said.Code)
	require.True(t, strings.HasPrefix(answer.Said.Text["en"], "Did not get “Welcome” yet: quiet hours until "), answer.Said.Text["en"])
	require.Equal(t, start.Add(time.Hour), answer.NextAt.UTC())
	w.Exec(`UPDATE messages SET status = 'skipped', reason = 'no_consent' WHERE workspace_id = $1`, w.Workspace)
	require.Equal(t, "Did not get “Welcome”: they did not agree to get it.", a.ask("jan@example.com").Steps[1].Said.Text["en"])
	w.Exec(`UPDATE messages SET status = 'failed', reason = 'variable: city' WHERE workspace_id = $1`, w.Workspace)
	require.Contains(t, a.ask("jan@example.com").Steps[1].Said.Text["en"], "a value is missing: city")

	w.To(start.Add(24 * time.Hour))
	answer = a.ask("jan@example.com")
	require.Equal(t, "waits_event", answer.Said.Code)
	require.Contains(t, answer.Said.Text["en"], "for “Paid”, at most until ")
	require.Contains(t, answer.Steps[3].Said.Text["en"], `first_name is "Anna": no, it is "Jan"`)
	w.Exec(`UPDATE runs SET status = 'parked', wake_at = NULL, last_error = 'it broke' WHERE workspace_id = $1`, w.Workspace)
	require.Contains(t, a.ask("jan@example.com").Said.Text["en"], "it broke")
	w.Exec(`UPDATE runs SET status = 'active', wake_at = deadline WHERE workspace_id = $1`, w.Workspace)

	w.Event("jan@example.com", "bought", nil)
	w.Settle()
	answer = a.ask("jan@example.com")
	require.Equal(t, why.Out, answer.Status)
	require.Contains(t, answer.Said.Text["en"], "reached the goal")
	require.Contains(t, answer.Enter.Text["en"], "they may enter again from")
}

func TestWhyNamesTheConsentThatKeepsMessagesBack(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	a := asking{w, w.Funnel("cities", strings.Replace(cities, `"name": "Welcome", `, "", 1))}
	jan := w.Contact("jan@example.com")
	require.Empty(t, a.ask("jan@example.com").Barred)

	w.Exec(`UPDATE workspaces SET allow_unknown_consent = false`)
	w.Exec(`DELETE FROM consents WHERE contact_id = $1`, jan)
	barred := a.ask("jan@example.com").Barred
	require.Len(t, barred, 1)
	require.Equal(t, "no_consent", barred[0].Params["why"])
	require.Contains(t, barred[0].Text["en"], "would not reach this person now: consent to marketing by this channel (e-mail) is “Not asked”")
	require.Contains(t, barred[0].Text["en"], "under “Consents”", "it says what to do")
	require.NotContains(t, barred[0].Text["pl"], "mail-1", "a step is called as on the canvas")

	_, err := w.Pool.Exec(t.Context(), `INSERT INTO consents (workspace_id, contact_id, channel, topic, state, source, at) VALUES ($1, $2, 'email', '', 'denied', 'test', $3)`, w.Workspace, jan, w.Clock.Now())
	require.NoError(t, err)
	require.Contains(t, a.ask("jan@example.com").Barred[0].Text["ru"], "«Отказ»")
}

func codes(answer why.Answer) []string {
	all := make([]string, len(answer.Steps))
	for i, step := range answer.Steps {
		all[i] = step.Said.Code
	}
	return all
}

func TestNobodyIsExplainedWhoIsNotThere(t *testing.T) {
	t.Parallel()
	w := spinetest.New(t)
	funnel := w.Funnel("cities", cities)
	explainer := &why.Explainer{DB: w.Pool, Clock: w.Clock, Plans: w.Runner.Plans, People: w.People}
	_, err := explainer.Explain(t.Context(), w.Workspace, funnel, uuid.New())
	require.ErrorContains(t, err, "no such person")
	_, err = explainer.Explain(t.Context(), w.Workspace, uuid.New(), w.Contact("anna@example.com"))
	require.ErrorContains(t, err, "no funnel")
}
