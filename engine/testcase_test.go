package engine_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
	"github.com/lejek/lejek/engine/enginetest"
)

func TestATestSaysWhereTheFunnelDiffers(t *testing.T) {
	t.Parallel()
	bundle := enginetest.Corpus(t, "funnels")["abandoned-cart"]
	base := engine.TestCase{Name: "x", Person: engine.TestPerson{As: engine.PersonSample}, Start: monday}
	order := engine.TestEvent{Name: "order_placed", At: monday.Add(time.Hour - time.Second)}
	for name, c := range map[string]struct {
		change func(*engine.TestCase)
		want   []engine.Difference
	}{
		"nothing expected, nothing compared": {func(*engine.TestCase) {}, nil},
		"the mail leaves after an hour": {func(c *engine.TestCase) {
			c.Expect.Messages = []engine.ExpectedMessage{{Step: "mail-1", At: monday.Add(time.Hour)}, {Step: "mail-2"}}
		}, nil},
		"the mail leaves at another time": {func(c *engine.TestCase) {
			c.Expect.Messages = []engine.ExpectedMessage{{Step: "mail-1", At: monday}}
		}, []engine.Difference{{What: "message", Step: "mail-1", Want: "mail-1 at 2026-11-30 12:00:00", Got: "mail-1 at 2026-11-30 13:00:00"}}},
		"no mail is expected": {func(c *engine.TestCase) { c.Expect.Messages = []engine.ExpectedMessage{} },
			[]engine.Difference{{What: "message", Step: "mail-1", Want: "nothing", Got: "mail-1 at 2026-11-30 13:00:00"}}},
		"an order in time ends it": {func(c *engine.TestCase) {
			c.Events = []engine.TestEvent{order}
			c.Expect = engine.Expectation{Path: []string{"start.next", "goal-1.reached"}, Messages: []engine.ExpectedMessage{}, Ends: "goal"}
		}, nil},
		"the path parts": {func(c *engine.TestCase) {
			c.Events = []engine.TestEvent{order}
			c.Expect.Path = []string{"start.next", "wait-1.next", "mail-1.next"}
		}, []engine.Difference{{What: "path", Step: "wait-1", Want: "wait-1.next", Got: "goal-1.reached"}}},
		"another end": {func(c *engine.TestCase) { c.Expect.Ends = "goal" }, []engine.Difference{{What: "ends", Want: "goal", Got: "finished"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test := base
			c.change(&test)
			got := engine.RunTest(bundle, test)
			require.Equal(t, c.want, got.Differences)
			require.Equal(t, len(c.want) == 0, got.Passed)
		})
	}
}

func TestAKeptSimulationPassesAsATest(t *testing.T) {
	t.Parallel()
	for name, bundle := range enginetest.Corpus(t, "funnels") {
		event, err := engine.UsualEvent(bundle, true)
		require.NoError(t, err, name)
		in := engine.SimInput{Contact: engine.Sample(bundle.Workspace), Event: &event, Start: monday, Until: monday.AddDate(2, 0, 0)}
		timeline, err := engine.Simulate(bundle, in)
		require.NoError(t, err, name)
		raw, err := json.Marshal([]engine.TestCase{engine.Keep("as it is", engine.PersonSample, bundle.Workspace, in, timeline)})
		require.NoError(t, err, name)
		tests, err := engine.DecodeTests(raw)
		require.NoError(t, err, name)
		require.Empty(t, engine.RunTest(bundle, tests[0]).Differences, name)
	}
}

func TestAKeptSimulationOfSomebodyWhoLacksWhatTheSampleHasPassesAsATest(t *testing.T) {
	t.Parallel()
	for name, bundle := range enginetest.Corpus(t, "funnels") {
		event, err := engine.UsualEvent(bundle, true)
		require.NoError(t, err, name)
		for who, person := range map[string]engine.Contact{
			"never asked": {ID: "1", Fields: map[string]any{"email": "maja@example.com", "first_name": "Maja"}},
			"only a phone, and left by e-mail": {ID: "2", Fields: map[string]any{"phone": "+48600100200", "city": "Łódź"}, Consents: []engine.Consent{
				{Channel: engine.ChannelEmail, State: "denied"}, {Channel: "sms", State: "granted"},
			}},
		} {
			in := engine.SimInput{Contact: person, Event: &event, Start: monday, Until: monday.AddDate(2, 0, 0)}
			timeline, err := engine.Simulate(bundle, in)
			require.NoError(t, err, name)
			raw, err := json.Marshal([]engine.TestCase{engine.Keep("as it is", engine.PersonReal, bundle.Workspace, in, timeline)})
			require.NoError(t, err, name)
			tests, err := engine.DecodeTests(raw)
			require.NoError(t, err, name)
			require.Empty(t, engine.RunTest(bundle, tests[0]).Differences, "%s, %s", name, who)
		}
	}
}

func TestATestKeepsNothingThatTellsWhoAPersonIs(t *testing.T) {
	t.Parallel()
	person := engine.Contact{Fields: map[string]any{"email": "jan@example.com", "first_name": "Jan", "city": "Gdynia"}, Tags: []string{"vip"}}
	test := engine.Keep("x", engine.PersonReal, nil, engine.SimInput{Contact: person, Start: monday}, engine.Timeline{})
	require.Equal(t, "Gdynia", test.Person.Fields["city"])
	require.NotContains(t, test.Person.Fields, "first_name")
	require.Contains(t, test.Person.Fields, "phone", "taken away, since they have none")
	require.Equal(t, []string{"vip"}, test.Person.Tags)
	raw, err := json.Marshal(test)
	require.NoError(t, err)
	require.NotContains(t, string(raw), "jan@")
}

func TestTestsThatCannotBeReadAreToldOf(t *testing.T) {
	t.Parallel()
	const fine = `{"name": "a", "person": {"as": "sample"}, "start": "2026-03-02T09:00:00Z", "expect": {}}`
	for document, want := range map[string]string{
		`[` + fine + `,` + fine + `]`:                                                        "two tests are called",
		`[` + strings.Replace(fine, `"a"`, `" "`, 1) + `]`:                                   "has no name",
		`[` + strings.Replace(fine, "sample", "me", 1) + `]`:                                 "choose sample or nobody",
		`[` + strings.Replace(fine, "2026", "0026", 1) + `]`:                                 "start",
		`[` + strings.Replace(fine, "expect", "expects", 1) + `]`:                            "cannot be read",
		`[` + strings.Replace(fine, `"sample"`, `"sample", "zone": "Mars/Olympus"`, 1) + `]`: "there is no time zone \"Mars/Olympus\"",
		`[` + strings.Replace(fine, `"a"`, `7`, 1) + `]`:                                     `"name" cannot be a number`,
		`[` + strings.Replace(fine, "2026-03-02T09:00:00Z", "tomorrow", 1) + `]`:             `"tomorrow" is no instant`,
	} {
		_, err := engine.DecodeTests(json.RawMessage(document))
		require.ErrorContains(t, err, want)
	}
}
