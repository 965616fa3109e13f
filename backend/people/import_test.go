package people_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/tasks"
	"github.com/lejek/lejek/migrations"
)

func (b bundle) importText(t *testing.T, text string, options people.ImportOptions) people.ImportReport {
	t.Helper()
	report, err := b.people.ImportNow(t.Context(), b.workspace, strings.NewReader(text), options, nil)
	require.NoError(t, err)
	return report
}

func (b bundle) byEmail(t *testing.T, email string) uuid.UUID {
	t.Helper()
	page, err := b.people.List(t.Context(), b.workspace, people.Filter{Query: email})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	return page.Items[0].ID
}

func TestImport(t *testing.T) {
	t.Parallel()

	t.Run("TakesWhoHasABadPhoneWithoutItAndTellsDoubledAddresses", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		report := b.importText(t, "email,phone,first_name\njan@example.com,601 234 567,Jan\n,601 234 568,Ola\nJan@Example.com,,Janek\n", people.ImportOptions{})
		require.Equal(t, people.ImportReport{
			Rows: 3, Created: 1, Unchanged: 1, Failed: 1, Partly: 1, Doubled: 1, Encoding: "utf-8",
			Errors: []people.RowError{
				{Line: 2, Column: "phone", Taken: true, Message: `"601 234 567" is not a telephone number with a country code. Write it like +48 601 234 567. The person was taken without it.`},
				{Line: 3, Column: "phone", Message: `"601 234 568" is not a telephone number with a country code. Write it like +48 601 234 567.`},
				{Line: 4, Column: "email", Taken: true, Message: "Line 2 has this address too. Both are one person, and the later row counts where they differ."},
			},
		}, report)
		got, err := b.people.Get(t.Context(), b.workspace, b.byEmail(t, "jan@example.com"))
		require.NoError(t, err)
		require.Nil(t, got.Phone)
		require.Equal(t, "Janek", got.FirstName)
	})

	t.Run("FindsColumnsByTheirNamesAndImportsTwiceAsOnce", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		file := "Adres e-mail;Imię i nazwisko;Telefon;City;points;Tagi;Uwagi\n" + //nolint:misspell // Polish
			"jan@example.com;Jan van Kowalski;+48 601 234 567;Kraków;7,5;VIP client, new;x\n" +
			"anna@example.com;Anna;;Łódź;3;;\n"
		report := b.importText(t, file, people.ImportOptions{Lists: []string{"news"}, Tags: []string{"imported"}, Consent: "granted", Name: "klienci.csv"})
		require.Equal(t, people.ImportReport{
			Rows: 2, Created: 1, Failed: 1, Ignored: []string{"Uwagi"}, Encoding: "utf-8",
			Errors: []people.RowError{{Line: 2, Column: "points", Message: `"7,5" is not a number. Write it like 1234.5.`}},
		}, report)
		report = b.importText(t, strings.Replace(file, "7,5", "7.5", 1), people.ImportOptions{Lists: []string{"news"}, Tags: []string{"imported"}, Consent: "granted"})
		require.Equal(t, []int{2, 1, 0, 1, 0}, []int{report.Rows, report.Created, report.Updated, report.Unchanged, report.Failed})

		jan := b.byEmail(t, "jan@example.com")
		got, err := b.people.Get(t.Context(), b.workspace, jan)
		require.NoError(t, err)
		require.Equal(t, []string{"Jan", "van Kowalski", "+48601234567"}, []string{got.FirstName, got.LastName, *got.Phone})
		require.Equal(t, []string{"imported", "new", "vip-client"}, got.Tags)
		require.Equal(t, []string{"news"}, got.Lists)
		require.JSONEq(t, `{"city":"Kraków","points":7.5}`, string(got.Fields))
		require.Equal(t, "import", got.Source)
		require.Empty(t, b.reason(t, jan, "marketing", ""))
		require.Empty(t, b.posted(t, jan), "an import starts nothing")

		report = b.importText(t, "email,city\njan@example.com,\nnew@example.com,Gdańsk\n", people.ImportOptions{Live: true})
		require.Equal(t, []int{1, 1}, []int{report.Created, report.Unchanged}, "an empty cell empties nothing")
		require.NotEmpty(t, b.posted(t, b.byEmail(t, "new@example.com")))
	})

	t.Run("NeverOverrulesARefusal", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		id := b.upsert(t, people.Input{Email: "a@example.com", Consents: []people.ConsentInput{{Channel: "email", State: "granted"}}}).Contact.ID
		require.NoError(t, b.people.Unsubscribe(t.Context(), b.workspace, id, "email", "", "link"))
		b.importText(t, "email\na@example.com\n", people.ImportOptions{Consent: "granted"})
		require.Equal(t, people.NoUnsub, b.reason(t, id, "marketing", ""))
	})

	t.Run("ReportsEachBadRowWithLineColumnAndMend", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		b.upsert(t, people.Input{ExternalID: "9", Email: "taken@example.com"})
		report := b.importText(t, "id,email,time zone\n1,jan@,\n2,ok@example.com,Mars\n3,\"x@example.com,\n4,taken@example.com,\n", people.ImportOptions{})
		require.Equal(t, 0, report.Created)
		columns := map[int]string{}
		for _, bad := range report.Errors {
			columns[bad.Line] = bad.Column
			require.NotEmpty(t, bad.Message)
		}
		require.Equal(t, map[int]string{2: "email", 3: "time zone", 4: ""}, columns)
		report = b.importText(t, "id,email\n4,taken@example.com\n,\n", people.ImportOptions{})
		require.Equal(t, "email", report.Errors[0].Column)
		require.Contains(t, report.Errors[0].Message, "belongs to contact")
		require.Equal(t, 2, report.Failed, "a row of empty cells is nobody")
	})

	t.Run("RefusesAFileThatCannotBeUsedBeforeTheFirstRow", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		for name, test := range map[string]struct {
			text    string
			options people.ImportOptions
			says    string
		}{
			"nobody named":         {"colour,shape\nred,round\n", people.ImportOptions{}, "No column says who the people are"},
			"unknown target":       {"email,town\na@b.co,x\n", people.ImportOptions{Map: map[string]string{"town": "citty"}}, `Did you mean "city"?`},
			"no such column":       {"email\na@b.co\n", people.ImportOptions{Map: map[string]string{"Town": "city"}}, `no column "town"`},
			"two for one":          {"email,mail\na@b.co,c@d.co\n", people.ImportOptions{}, "both go to email"},
			"no such list":         {"email\na@b.co\n", people.ImportOptions{Lists: []string{"gone"}}, "no list"},
			"a consent of refusal": {"email\na@b.co\n", people.ImportOptions{Consent: "denied"}, "granted or unknown"},
			"a long separator":     {"email\na@b.co\n", people.ImportOptions{Separator: "ab"}, "one character"},
		} {
			_, err := b.people.ImportNow(t.Context(), b.workspace, strings.NewReader(test.text), test.options, nil)
			require.Equal(t, fault.Invalid, fault.CodeOf(err), name)
			require.ErrorContains(t, err, test.says, name)
		}
		n, err := b.people.Count(t.Context(), b.workspace, people.Filter{})
		require.NoError(t, err)
		require.Zero(t, n)
	})

	t.Run("MapsColumnsByHand", func(t *testing.T) {
		t.Parallel()
		b := setup(t)
		report := b.importText(t, "customer_id,mail,id\nC-1,a@example.com,ignored\n", people.ImportOptions{Map: map[string]string{"customer_id": "external_id", "ID": "-"}})
		require.Equal(t, 1, report.Created)
		got, err := b.people.Get(t.Context(), b.workspace, b.byEmail(t, "a@example.com"))
		require.NoError(t, err)
		require.Equal(t, "C-1", *got.ExternalID)
	})
}

func TestImportTask(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t)
	workspace := storetest.Workspace(t, db)
	p := people.New(db, storetest.Clock, secret)
	all, err := tasks.New(db, storetest.Clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	// The first attempt dies in the middle, after two batches were committed.
	dying := p.ImportTask()
	work, attempts := dying.Work, 0
	dying.Work = func(ctx context.Context, task *tasks.Run) (any, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if attempts++; attempts == 1 {
			go func() {
				for ctx.Err() == nil {
					if n, err := p.Count(ctx, workspace, people.Filter{}); err == nil && n >= 1000 {
						cancel()
					}
				}
			}()
		}
		result, err := work(ctx, task)
		if errors.Is(err, context.Canceled) {
			err = errors.New("the worker died")
		}
		return result, err
	}
	all.Register(dying)
	workers := river.NewWorkers()
	all.AddTo(workers)
	client, err := river.NewClient(riverpgxv5.New(db), &river.Config{
		Schema: migrations.RiverSchema, Workers: workers, Logger: slog.New(slog.DiscardHandler),
		Queues: map[string]river.QueueConfig{tasks.Queue: {MaxWorkers: 1, FetchCooldown: 5 * time.Millisecond, FetchPollInterval: 20 * time.Millisecond}},
	})
	require.NoError(t, err)
	require.NoError(t, client.Start(t.Context()))
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = client.StopAndCancel(ctx) // the database is dropped with it
	})

	var file strings.Builder
	file.WriteString("email,first name\n")
	for i := range 5000 {
		fmt.Fprintf(&file, "p%d@example.com,P%d\n", i, i)
	}
	file.WriteString("nonsense,x\n")
	task, _, err := all.Start(t.Context(), tasks.Request{Workspace: workspace, Kind: people.ImportKind, Args: people.ImportOptions{}, Input: []byte(file.String()), Total: int64(file.Len())})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		task, err = all.Get(t.Context(), workspace, task.ID)
		require.NoError(t, err)
		return task.FinishedAt != nil
	}, 60*time.Second, 20*time.Millisecond)
	require.Equal(t, tasks.Done, task.State, task.Error)
	require.EqualValues(t, 2, task.Attempt)
	var report people.ImportReport
	require.NoError(t, json.Unmarshal(task.Result, &report))
	require.Equal(t, []int{5001, 5000, 0, 0, 1}, []int{report.Rows, report.Created, report.Updated, report.Unchanged, report.Failed}, "no row twice, none left out")
	require.Equal(t, 5002, report.Errors[0].Line)
	require.Equal(t, task.Progress, *task.Total)
}
