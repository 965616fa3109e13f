package funneltest_test

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/funneltest"
	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func TestAReportSaysTheSameInEveryForm(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	person := engine.TestPerson{As: engine.PersonSample}
	report := funneltest.Run("Win <back>", enginetest.Corpus(t, "funnels")["win-back"], []engine.TestCase{
		{Name: "as it is", Person: person, Start: start, Expect: engine.Expectation{Ends: "done"}},
		{Name: "no mail", Person: person, Start: start, Expect: engine.Expectation{Messages: []engine.ExpectedMessage{}}},
	})
	require.Equal(t, 1, report.Passed)
	require.Equal(t, 1, report.Failed)

	var text, junit, page bytes.Buffer
	require.NoError(t, report.Text(&text))
	require.Contains(t, text.String(), "FAILED  no mail\n        message at mail-1: expected nothing, came mail-1 at 2026-05-31 08:00:00\n")
	require.NoError(t, report.JUnit(&junit))
	var suite struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
			} `xml:"failure"`
		} `xml:"testcase"`
	}
	require.NoError(t, xml.Unmarshal(junit.Bytes(), &suite))
	require.Equal(t, "Win <back>", suite.Name)
	require.Equal(t, []int{2, 1}, []int{suite.Tests, suite.Failures})
	require.Nil(t, suite.Cases[0].Failure)
	require.Equal(t, "expected nothing, came mail-1 at 2026-05-31 08:00:00", suite.Cases[1].Failure.Message)
	require.NoError(t, report.HTML(&page))
	require.Contains(t, page.String(), "Tests of Win &lt;back&gt;")
	require.Contains(t, page.String(), "email: We miss you")
}
