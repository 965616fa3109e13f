package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	_ "time/tzdata"
)

func annaScope() *MergeScope {
	return &MergeScope{
		Fields: map[string]any{
			"first_name": "Anna", "last_name": "", "email": "anna@example.pl", "score": 5.0, "vip": true,
			"created_at": noon, "birthday": "1990-05-14", "evil": `<img src=x onerror="alert('1')">&`, "lines": "a\nb",
		},
		Event: map[string]any{
			"total": 1234.5, "text_total": "99.90", "count": 3.0, "url": "https://shop.example/c?a=1&b=2",
			"cart":  map[string]any{"id": "c/1 ?&", "items": []any{map[string]any{"name": "Mat"}, map[string]any{"name": "Block"}}},
			"names": []any{"Mat", "", "Block"}, "empty": []any{}, "dotted.name": "x",
		},
		Vars:           map[string]any{"code": "AB12"},
		Workspace:      map[string]any{"name": "Studio Aurora", "address": "ul. Józefa 12\nKraków"},
		UnsubscribeURL: "https://lejek.example/u/abc", Zone: ZoneOf("Europe/Warsaw"), Currency: "PLN",
	}
}

func TestMergeTextFillsItsHoles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "",
		"no holes } } {":                     "no holes } } {",
		"Hello {{ first_name }}!":            "Hello Anna!",
		"{{first_name}}{{ vars.code }}":      "AnnaAB12",
		`{{ last_name | default("there") }}`: "there",
		`{{ nobody | default('there') | upper }}`:                                     "THERE",
		`{{ first_name | default("there") | upper() | lower }}`:                       "anna",
		`{{ last_name | default("") }}`:                                               "",
		`{{ nobody ?? last_name ?? "x" }}`:                                            "x",
		`{{ "}}" }}`:                                                                  "}}",
		`{{ default(nobody, "a\"}}b") }}`:                                             `a"}}b`,
		`{{ event.total }}`:                                                           "1234.5",
		`{{ event.total | money("PLN") }}`:                                            "PLN\u00a01,234.50",
		`{{ event.text_total | money }}`:                                              "PLN\u00a099.90",
		`{{ event.total | money("usd") }}`:                                            "$1,234.50",
		`{{ event.total | number(0) }} {{ event.total*1000 | number }}`:               "1,234 1,234,500",
		`{{ -event.total | number(1) }}`:                                              "-1,234.5",
		`{{ event.total + 1 }} {{ 7 % 4 }} {{ 2 * (3 - 1) / 4 }}`:                     "1235.5 3 1",
		`{{ "Hi " + first_name }}`:                                                    "Hi Anna",
		`{{ vip ? "VIP" : "guest" }}`:                                                 "VIP",
		`{{ nobody ? "yes " + nobody : "no" }}`:                                       "no",
		`{{ first_name == "ANNA" and not (score < 5) }}`:                              "true",
		`{{ nobody != "x" }} {{ nobody == "x" }} {{ nobody < 3 }}`:                    "true false false",
		`{{ first_name in ["anna", "ola"] || false }}`:                                "true",
		`{{ event.names contains "mat" && first_name startsWith "a" }}`:               "true",
		`{{ created_at | date("2 Jan 2006, 15:04") }}`:                                "1 Dec 2026, 13:00",
		`{{ birthday | date("Monday 2 January") }}`:                                   "Monday 14 May",
		`{{ created_at }}`:                                                            "1 December 2026",
		`{{ event.count }} {{ event.count | plural("item", "items") }}`:               "3 items",
		`{{ event.names | plural("item", "items") }}`:                                 "items",
		`{{ event.names | join(" and ") }} {{ event.names }}`:                         "Mat and Block Mat, Block",
		`{{ event.names | first }} {{ event.names | last }} {{ event.names | size }}`: "Mat Block 3",
		`{{ event.cart.items[1].name }} {{ event?.cart?.items[0].name }}`:             "Block Mat",
		`{{ event["dotted.name"] }} {{ event.dotted.name }}`:                          "x x",
		`{{ "abcdef" | truncate(4) }} {{ " a " | trim }} {{ "żółw" | capitalize }}`:   "abc… a Żółw",
		`{{ workspace.name }} {{ unsubscribe_url }}`:                                  "Studio Aurora https://lejek.example/u/abc",
		`{{ first_name | size }}`:                                                     "4",
	} {
		merge, err := ParseMerge(text)
		require.NoError(t, err, text)
		got, err := merge.Render(annaScope(), ContextPlain)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
		require.Equal(t, text, merge.Source())
	}
}

func TestMergeTextSpeaksPolishAndRussian(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`{{ created_at | date("Monday, 2 January 2006") }}`: {"wtorek, 1 grudnia 2026", "вторник, 1 декабря 2026"},
		`{{ created_at | date("January 2006") }}`:           {"grudzień 2026", "декабрь 2026"},
		`{{ created_at | date("Mon 2 Jan") }}`:              {"wt. 1 gru", "вт 1 дек."},
		`{{ event.total | money("PLN") }}`:                  {"1234,50\u00a0zł", "1234,50\u00a0zł"},
		`{{ event.total * 100 | money("RUB") }}`:            {"123\u00a0450,00\u00a0₽", "123\u00a0450,00\u00a0₽"},
		`{{ 1 | plural("a","b","c") }}{{ 2 | plural("a","b","c") }}{{ 5 | plural("a","b","c") }}{{ 12 | plural("a","b","c") }}{{ 21 | plural("a","b","c") }}{{ 22 | plural("a","b","c") }}{{ 1.5 | plural("a","b","c") }}`: {"abcccbb", "abccabb"},
	} {
		merge, err := ParseMerge(text)
		require.NoError(t, err, text)
		for i, language := range []string{"pl", "ru"} {
			scope := annaScope()
			scope.Language = language
			got, err := merge.Render(scope, ContextPlain)
			require.NoError(t, err, text)
			require.Equal(t, want[i], got, text)
		}
	}
}

func TestSecurity_10_MergeTextRefusesWhatCostsOrSurprises(t *testing.T) {
	t.Parallel()
	chained := "a"
	for range 40 {
		chained = "(1 < " + chained + " < 3)"
	}
	for text, want := range map[string]string{
		"Hello {{ first_name":                      "not closed",
		"{{ }}":                                    "it is empty",
		"{{ first_name | }}":                       "it ends too early",
		"{{ first name }}":                         `look near "name"`,
		"{{ a | upper | b c }}":                    `look near "c"`,
		"{{ imie | gornymi }}":                     `there is no function "gornymi"`,
		"{{ imie | uper }}":                        `Did you mean "upper"?`,
		"{{ upper() }}":                            "upper is written as",
		"{{ truncate(a) }}":                        "truncate is written as",
		"{{ now() }}":                              `there is no function "now"`,
		`{{ env("HOME") }}`:                        `there is no function "env"`,
		`{{ include("other") }}`:                   `there is no function "include"`,
		`{{ repeat("a", 1000000000) }}`:            `there is no function "repeat"`,
		`{{ toJSON(event) }}`:                      `there is no function "toJSON"`,
		`{{ reduce(1..1000000, #acc + #) }}`:       "reduce",
		`{{ get(event, "id") }}`:                   `there is no function "get"`,
		"{{ filter(event.items, # > 1) }}":         "filter",
		"{{ map(1..9, #) }}":                       "map",
		"{{ 1..1000000 }}":                         `".." is not known`,
		"{{ let a = 1; a }}":                       "not allowed",
		"{{ 1; 2 }}":                               "not allowed",
		"{{ {a: 1} }}":                             "not allowed",
		"{{ event.items[1:2] }}":                   "not allowed",
		"{{ event[first_name] }}":                  "a variable is written as",
		"{{ event.f() }}":                          "only functions",
		`{{ a matches "x" }}`:                      `"matches" is not known`,
		"{{ if a { 1 } else { 2 } }}":              "",
		"{{ 2 ** 9 }}":                             `"**" is not known`,
		"{{ " + chained + " }}":                    "two values at a time",
		"{{ " + strings.Repeat("a+", 300) + "a }}": "more than 200 parts",
		"{{ " + strings.Repeat("a", 2100) + " }}":  "longer than",
		strings.Repeat("{{a}}", 501):               "more than 500",
		strings.Repeat("a", maxMergeText+1):        "too long",
		"\xff":                                     "UTF-8",
	} {
		_, err := ParseMerge(text)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, text)
		require.Contains(t, fault.Message, want, text)
	}
}

func TestSecurity_10_NoNameReachesBeyondWhatAMessageMaySay(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{{ env }}", "{{ $env }}", `{{ $env["first_name"] }}`, "{{ __proto__ }}", "{{ constructor }}", "{{ constructor.constructor }}", "{{ first_name.__proto__ }}", "{{ event.constructor.name }}", "{{ event.__class__ }}",
		"{{ this }}", "{{ self }}", "{{ process.env }}", "{{ os }}", "{{ Fields }}", "{{ MergeScope }}", "{{ Workspace.Secret }}",
	} {
		merge, err := ParseMerge(text)
		if err != nil {
			continue // not even a name
		}
		_, err = merge.Render(annaScope(), ContextPlain)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, text)
	}
	scope := annaScope()
	scope.Vars = map[string]any{"text": "{{ email }} {{ event.total }}"}
	merge, err := ParseMerge("{{ vars.text }}")
	require.NoError(t, err)
	got, err := merge.Render(scope, ContextPlain)
	require.NoError(t, err)
	require.Equal(t, "{{ email }} {{ event.total }}", got, "a value is not read as a template")
}

func TestMergeErrorsPointAtThePlace(t *testing.T) {
	t.Parallel()
	text := "Zażółć {{ ok }} {{ a | upper | gornymi }}"
	_, err := ParseMerge(text)
	var fault *MergeError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "gornymi }}", text[fault.Offset:])
}

func TestAMissingVariableIsNamed(t *testing.T) {
	t.Parallel()
	for text, variable := range map[string]string{
		"Hi {{ nobody }}":                       "nobody",
		"{{ last_name }}":                       "last_name",
		"{{ last_name | upper }}":               "last_name",
		"{{ event.cart.total * 2 | money }}":    "event.cart.total",
		"{{ event.empty | first }}":             "event.empty",
		"{{ event.cart.items[7].name }}":        "event.cart.items.7.name",
		`{{ nobody | default(event.nothing) }}`: "event.nothing",
		`{{ "Hi " + nobody }}`:                  "nobody",
		"{{ view_url }}":                        "view_url",
		"{{ workspace.phone }}":                 "workspace.phone",
	} {
		merge, err := ParseMerge(text)
		require.NoError(t, err, text)
		_, err = merge.Render(annaScope(), ContextPlain)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, text)
		require.Equal(t, MergeMissing, fault.Fault, text)
		require.Equal(t, variable, fault.Variable, text)
		require.Contains(t, fault.Message, variable)
	}
}

func TestAValueThatDoesNotFitIsAnError(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{{ event.cart }}":               "group of values",
		"{{ event.cart.items }}":         "group of values",
		"{{ first_name * 2 }}":           `"*" needs two numbers`,
		"{{ score / 0 }}":                "is not a number",
		"{{ first_name | money }}":       "money needs a number",
		`{{ score | money("zloty") }}`:   "currency of three letters",
		"{{ first_name | date }}":        "date needs a date",
		"{{ first_name | first }}":       "needs a list",
		"{{ first_name | truncate(0) }}": "takes a whole number",
	} {
		merge, err := ParseMerge(text)
		require.NoError(t, err, text)
		_, err = merge.Render(annaScope(), ContextPlain)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, text)
		require.Equal(t, MergeType, fault.Fault, text)
		require.Contains(t, fault.Message, want)
	}
}

func TestASingleHoleKeepsItsType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]any{
		" {{ event.total }} ":     1234.5,
		"{{ vip }}":               true,
		"{{ created_at }}":        noon,
		"{{ event.count + 1 }}":   4.0,
		"{{ event.names }}":       []any{"Mat", "", "Block"},
		"{{ event.count }} items": "3 items",
		"plain":                   "plain",
	} {
		merge, err := ParseMerge(text)
		require.NoError(t, err)
		got, err := merge.Value(annaScope())
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}

func TestSecurity_11_ValuesAreEscapedForTheirPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		context MergeContext
		want    string
	}{
		{"<b>{{ evil }}", ContextHTML, "&lt;b&gt;&lt;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&gt;&amp;"},
		{"{{ evil }}", ContextAttr, "&lt;img src=x onerror=&#34;alert(&#39;1&#39;)&#34;&gt;&amp;"},
		{"{{ lines }}", ContextHTML, "a<br>b"},
		{"{{ lines }}", ContextPlain, "a\nb"},
		{"https://x.example/{{ event.cart.id }}?n={{ first_name }}", ContextURL, "https://x.example/c%2F1%20%3F%26?n=Anna"},
		{"{{ event.url }}&utm=1", ContextURL, "https://shop.example/c?a=1&b=2&utm=1"},
		{"mailto:{{ email }}", ContextURL, "mailto:anna%40example.pl"},
		{"{{ first_name }}: sale", ContextHeader, "Anna: sale"},
	} {
		merge, err := ParseMerge(c.text)
		require.NoError(t, err)
		got, err := merge.Render(annaScope(), c.context)
		require.NoError(t, err)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestAnAddressOfAPersonsWordsIsEncoded(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"https://shop.example/summer sale":      "https://shop.example/summer%20sale",
		`https://x.example/"onclick=alert(1)`:   "https://x.example/%22onclick=alert(1)",
		"https://x.example/<script>?q='a'":      "https://x.example/%3Cscript%3E?q=%27a%27",
		"https://x.example?q=100% off#a b":      "https://x.example?q=100%25%20off#a%20b",
		"https://x.example/a%20b?c=d%26e":       "https://x.example/a%20b?c=d%26e",
		`https://x.example/c:\temp`:             "https://x.example/c:%5Ctemp",
		" https://x.example/żółw ":              "https://x.example/żółw",
		"mailto:anna@example.pl?subject=Hi you": "mailto:anna@example.pl?subject=Hi%20you",
		"tel:+48 601 234 567":                   "tel:+48%20601%20234%20567",
	} {
		merge, err := ParseMerge("{{ vars.link }}")
		require.NoError(t, err)
		got, err := merge.Render(&MergeScope{Vars: map[string]any{"link": value}}, ContextURL)
		require.NoError(t, err, value)
		require.Equal(t, want, got)
		again, fault := SafeURL(got)
		require.Equal(t, []string{want, ""}, []string{again, fault}, "encoding twice changes nothing")
	}
}

func TestSecurity_13_UnsafeValuesAreRefusedInLinksAndHeaders(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		"javascript:alert(1)", "JaVaScRiPt:alert(1)", " javascript:alert(1)", "java\tscript:alert(1)", "data:text/html,<script>", "vbscript:x",
		"//evil.example/x", "/relative", "evil.example", "https://",
		"https://x\"onclick=alert(1)", "https://<script>", "https://x y/a", "https://x\\@evil.example/",
		"https://x/\r\nSet-Cookie: a", "file:///etc/passwd", "https:\\\\evil.example", "\x01javascript:alert(1)", "javascript&colon;alert(1)",
	} {
		merge, err := ParseMerge("{{ vars.link }}")
		require.NoError(t, err)
		_, err = merge.Render(&MergeScope{Vars: map[string]any{"link": value}}, ContextURL)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, value)
		require.Equal(t, MergeUnsafe, fault.Fault)
		require.Equal(t, "vars.link", fault.Variable)
	}
	for _, value := range []string{"a\r\nBcc: x@example.com", "a\nb", "a\rb", "a\u2028b"} {
		merge, err := ParseMerge("Hi {{ vars.name }}")
		require.NoError(t, err)
		_, err = merge.Render(&MergeScope{Vars: map[string]any{"name": value}}, ContextHeader)
		var fault *MergeError
		require.ErrorAs(t, err, &fault, value)
		require.Equal(t, MergeUnsafe, fault.Fault)
	}
	merge, err := ParseMerge("Hi\r\nBcc: {{ first_name }}")
	require.NoError(t, err)
	_, err = merge.Render(annaScope(), ContextHeader)
	require.Error(t, err)
}

func TestSecurity_10_OutputIsBounded(t *testing.T) {
	t.Parallel()
	scope := &MergeScope{Vars: map[string]any{"long": strings.Repeat("a", 40*1024)}}
	for _, text := range []string{"{{ vars.long + vars.long }}", strings.Repeat("{{ vars.long }}", 7)} {
		merge, err := ParseMerge(text)
		require.NoError(t, err)
		_, err = merge.Render(scope, ContextPlain)
		var fault *MergeError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, MergeTooLong, fault.Fault)
	}
}

func TestCheckMergeFindsWhatWouldGoWrong(t *testing.T) {
	t.Parallel()
	scope := VarScope{
		Workspace: &Workspace{Fields: []ContactField{{Key: "city", Type: "text"}}, Events: map[string][]string{"purchase": {"total", "cart.id"}}},
		Events:    []string{"purchase"}, Links: true,
	}
	for text, want := range map[string]string{
		`{{ city | default("x") }} {{ email }} {{ workspace.name }} {{ unsubscribe_url }}`: "",
		"{{ city }}":                       "VAR_NO_FALLBACK",
		"{{ cty }}":                        "VAR_UNKNOWN",
		"{{ first_nam | default(\"x\") }}": "VAR_UNKNOWN",
		"{{ event.total }}":                "VAR_NO_FALLBACK",
		"{{ event.totl }}":                 "VAR_UNKNOWN",
		"{{ event.cart }} ":                "VAR_NO_FALLBACK",
		"{{ event.cart.id ?? 1 }}":         "",
		"{{ vars.x }}":                     "VAR_UNKNOWN",
		"{{ workspace.phone }}":            "VAR_UNKNOWN",
		"{{ city ? city : 1 }}":            "",
		"{{ city == \"x\" }}":              "",
		"{{ city":                          "FIELD_INVALID",
	} {
		var codes []string
		for _, problem := range CheckMerge(text, scope) {
			codes = append(codes, problem.Code)
		}
		require.Equal(t, want, strings.Join(codes, " "), text)
	}

	problems := CheckMerge("Hi {{ first_nam }}, {{ city }}", scope)
	require.Len(t, problems, 2)
	require.Equal(t, "Hi {{ first_name }}, {{ city }}", problems[0].Fix.Value)
	require.Equal(t, `Hi {{ first_nam }}, {{ city | default("") }}`, problems[1].Fix.Value)

	scope.NoEvent = []string{"manual"}
	require.Equal(t, "VAR_SOME_PATHS", CheckMerge("{{ event.total }}", scope)[0].Code)
	scope.Events = nil
	require.Equal(t, "VAR_UNKNOWN", CheckMerge("{{ event.total }}", scope)[0].Code)
	require.Empty(t, CheckMerge(`{{ anything | default("") }}`, VarScope{Events: []string{"purchase"}}))
}

func FuzzMergeText(f *testing.F) {
	for _, seed := range []string{
		`{{ first_name | default("there") }}`, `{{ a ? b : c }}`, `{{ "}}" }}`, `{{ 1 < 2 < 3 }}`, `{{ event.items[0].name }}`, `{{ a | b`, `{{ x|upper|lower }}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		merge, err := ParseMerge(text)
		if err != nil {
			var fault *MergeError
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > len(text) {
				t.Fatalf("no place for %q: %v", text, err)
			}
			return
		}
		merge.Check(VarScope{Workspace: &Workspace{}})
		for _, context := range []MergeContext{ContextPlain, ContextHTML, ContextURL, ContextHeader} {
			out, err := merge.Render(annaScope(), context)
			if err == nil && context == ContextHTML && strings.Contains(strings.ReplaceAll(out, "<br>", ""), "<") {
				t.Fatalf("markup from %q: %q", text, out)
			}
			if err == nil && context == ContextHeader && strings.ContainsAny(out, "\r\n") {
				t.Fatalf("line break from %q", text)
			}
		}
	})
}

func BenchmarkMergeRender(b *testing.B) {
	merge, err := ParseMerge(`Hello {{ first_name | default("there") }}, your {{ event.total | money("PLN") }} since {{ created_at | date("2 Jan") }}`)
	require.NoError(b, err)
	scope := annaScope()
	for b.Loop() {
		if _, err := merge.Render(scope, ContextHTML); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTheZoneOfThePersonDecidesTheDay(t *testing.T) {
	t.Parallel()
	merge, err := ParseMerge(`{{ created_at | date("2 Jan 15:04") }} {{ birthday | date("2 Jan") }}`)
	require.NoError(t, err)
	for zone, want := range map[string]string{"Pacific/Auckland": "2 Dec 01:00 14 May", "America/New_York": "1 Dec 07:00 14 May"} {
		scope := annaScope()
		scope.Zone, err = time.LoadLocation(zone)
		require.NoError(t, err)
		got, err := merge.Render(scope, ContextPlain)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
