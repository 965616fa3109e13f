// Package funneltest runs the tests kept in a bundle and reports on them: as lines, as JSON, as JUnit XML for a build server, and as a
// page to print.
package funneltest

import (
	_ "embed"
	"encoding/xml"
	"fmt"
	"html/template"
	"io"
	"time"

	"github.com/lejek/lejek/engine"
)

// Report is what came of the tests of one funnel.
type Report struct {
	Funnel string              `json:"funnel"`
	Passed int                 `json:"passed"`
	Failed int                 `json:"failed"`
	Tests  []engine.TestResult `json:"tests"`
}

// Run runs tests against a bundle.
func Run(funnel string, bundle engine.Bundle, tests []engine.TestCase) Report {
	report := Report{Funnel: funnel, Tests: []engine.TestResult{}}
	for _, test := range tests {
		result := engine.RunTest(bundle, test)
		if result.Passed {
			report.Passed++
		} else {
			report.Failed++
		}
		report.Tests = append(report.Tests, result)
	}
	return report
}

// Text writes a line for each test, with what differs.
func (r Report) Text(out io.Writer) error {
	if len(r.Tests) == 0 {
		_, err := fmt.Fprintln(out, "This funnel has no tests.")
		return err
	}
	for _, test := range r.Tests {
		verdict := "passed"
		if !test.Passed {
			verdict = "FAILED"
		}
		fmt.Fprintf(out, "%s  %s\n", verdict, test.Name)
		for _, d := range test.Differences {
			fmt.Fprintf(out, "        %s: expected %s, came %s\n", place(d), d.Want, d.Got)
		}
	}
	_, err := fmt.Fprintf(out, "%d passed, %d failed\n", r.Passed, r.Failed)
	return err
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Failure   *junitFailure `xml:"failure"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

// JUnit writes the results as build servers read them.
func (r Report) JUnit(out io.Writer) error {
	suite := junitSuite{Name: r.Funnel, Tests: len(r.Tests), Failures: r.Failed}
	for _, test := range r.Tests {
		c := junitCase{Name: test.Name, ClassName: r.Funnel}
		if !test.Passed {
			first := test.Differences[0]
			c.Failure = &junitFailure{Message: fmt.Sprintf("expected %s, came %s", first.Want, first.Got), Type: first.What}
			for _, d := range test.Differences {
				c.Failure.Text += fmt.Sprintf("%s: expected %s, came %s\n", place(d), d.Want, d.Got)
			}
		}
		suite.Cases = append(suite.Cases, c)
	}
	if _, err := io.WriteString(out, xml.Header); err != nil {
		return err
	}
	encoder := xml.NewEncoder(out)
	encoder.Indent("", "  ")
	if err := encoder.Encode(suite); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(out, "\n")
	return err
}

// place says where something differs.
func place(d engine.Difference) string {
	if d.Step == "" {
		return d.What
	}
	return d.What + " at " + d.Step
}

//go:embed report.html
var page string

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"place": place,
	"stamp": func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05") },
}).Parse(page))

// HTML writes a page to print: every test with its way and its messages.
func (r Report) HTML(out io.Writer) error {
	if err := pageTemplate.Execute(out, r); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
