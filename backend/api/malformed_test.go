package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"
)

// programsWords are what people must never read: how our program calls what went wrong.
var programsWords = regexp.MustCompile(`json:|strconv|[uU]nmarshal|panic|\bEOF\b|invalid character|unexpected end|pgx|SQLSTATE|goroutine|\*?json\.|parsing time|invalid UUID|interface \{\}|Go struct|map\[string|reflect`)

// TestMalformedBodiesAreRefusedInPeoplesWords walks the whole contract and sends every route what is no JSON, JSON of another shape, and a wrong kind
// of value in every place. Each is refused as the caller's fault, in words that are not our program's.
func TestMalformedBodiesAreRefusedInPeoplesWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	spec, err := contract()
	require.NoError(t, err)
	tried := 0
	for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
		item := spec.Paths.Value(path)
		for method, operation := range item.Operations() {
			if operation.RequestBody == nil {
				continue
			}
			address := "/api/v1" + path
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				if parameter.Value.In == openapi3.ParameterInPath {
					address = strings.ReplaceAll(address, "{"+parameter.Value.Name+"}", fmt.Sprint(sound(parameter.Value.Schema.Value)))
				}
			}
			for kind, media := range operation.RequestBody.Value.Content {
				var bodies []malformed
				if kind == "application/json" {
					bodies = malformations(t, media.Schema.Value)
				} else {
					bodies = []malformed{{"\xff\xfe\x00", false}, {"{", false}, {strings.Repeat("\"", 501), false}}
				}
				for _, body := range bodies {
					tried++
					what := fmt.Sprintf("%s %s %.200q", method, path, body.text)
					got := b.call(b.admin, method, address, body.text, "Content-Type", kind)
					require.Less(t, got.Code, 500, "%s: %s", what, got.Body)
					if got.Code < 400 {
						require.False(t, body.surely, "%s was taken: %d %s", what, got.Code, got.Body)
						continue
					}
					require.NotEmpty(t, got.get(t, "code"), what)
					require.NotEmpty(t, got.get(t, "detail"), "%s: %s", what, got.Body)
					require.NotRegexp(t, programsWords, got.Body.String(), what)
				}
			}
		}
	}
	require.Greater(t, tried, 1500, "the walk has lost its way")
}

// malformed is one body; surely says that nothing may take it.
type malformed struct {
	text   string
	surely bool
}

func malformations(t *testing.T, schema *openapi3.Schema) []malformed {
	t.Helper()
	whole, err := json.Marshal(sound(schema))
	require.NoError(t, err)
	bodies := []malformed{
		{string(whole[:len(whole)-1]), true}, {`{"a":`, true}, {`{"a":1,}`, true}, {`{"a" 1}`, true}, {"nul", true}, {"{}{}", true}, {`{'a': 1}`, true},
		{"{\"a\":\"\xff\"}", true}, {`{"a":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", true}, {strings.Repeat("{\"a\":", 20_000), true},
	}
	if !judgedElsewhere(schema) {
		for _, other := range []string{"7", `"x"`, "true", "[[]]", "{}"} {
			if !taken(schema, other) {
				bodies = append(bodies, malformed{other, true})
			}
		}
	}
	for _, body := range misfits(schema) {
		bodies = append(bodies, malformed{body.text, body.surely})
	}
	return bodies
}

// kinds are one value of each kind, and numbers nothing can hold.
var kinds = []string{"7", "7.5", `"x"`, "true", "[]", "[7]", "{}", `{"x":1}`, "1e999", "99999999999999999999999999"}

// taken tells whether the schema may take a value, by its kind alone.
func taken(schema *openapi3.Schema, value string) bool {
	switch {
	case judgedElsewhere(schema):
		return true
	case value[0] == '[':
		return schema.Type.Includes(openapi3.TypeArray) && value == "[]"
	case value[0] == '{':
		return schema.Type.Includes(openapi3.TypeObject)
	case value[0] == '"':
		return schema.Type.Includes(openapi3.TypeString)
	case value == "true":
		return schema.Type.Includes(openapi3.TypeBoolean)
	case len(value) > 4:
		return false // too large
	case value == "7":
		return schema.Type.Includes(openapi3.TypeInteger) || schema.Type.Includes(openapi3.TypeNumber)
	default:
		return schema.Type.Includes(openapi3.TypeNumber)
	}
}

// misfits are sound values with a value of another kind in one place.
func misfits(schema *openapi3.Schema) (out []malformed) {
	if judgedElsewhere(schema) {
		return nil
	}
	for name, member := range schema.Properties {
		with := func(value string) string {
			whole := sound(schema).(object)
			whole[name] = json.RawMessage(value)
			raw, _ := json.Marshal(whole) //nolint:errchkjson // it is JSON
			return string(raw)
		}
		for _, value := range kinds {
			if !taken(member.Value, value) || judgedElsewhere(member.Value) {
				out = append(out, malformed{with(value), !judgedElsewhere(member.Value)})
			}
		}
		below, wrap := member.Value, with
		if !judgedElsewhere(below) && below.Type.Includes(openapi3.TypeArray) && below.Items != nil {
			below = below.Items.Value
			wrap = func(value string) string { return with("[" + value + "]") }
			for _, value := range kinds {
				if !taken(below, value) {
					out = append(out, malformed{wrap(value), true})
				}
			}
		}
		for _, deeper := range misfits(below) {
			out = append(out, malformed{wrap(deeper.text), deeper.surely})
		}
	}
	return out
}

func TestAnUnknownMemberIsRefusedWithTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		method, path string
		body         object
		place, said  string
	}{
		{"POST", "/funnels", object{"name": "x", "nmae": "y"}, "nmae", `Did you mean "name"?`},
		{"POST", "/contacts", object{"email": "a@example.com", "frist_name": "Anna"}, "frist_name", `Did you mean "first_name"?`},
		{"POST", "/contacts", object{"email": "a@example.com", "consents": []object{{"channel": "email", "state": "granted", "sorce": "x"}}}, "consents.0.sorce", `Did you mean "source"?`},
		{"POST", "/lists", object{"name": "x", "zzzzzzzz": 1}, "zzzzzzzz", "Known are "},
		{"POST", "/campaigns/preview", object{"document": object{"channel": "email", "variants": []object{{"id": "a", "weight": 1, "creative": object{"channel": "email", "subjct": "Hi"}}}, "audience": object{"include": []string{}}, "when": object{"mode": "now"}}}, "", "subjct"},
	} {
		got := b.do(b.admin, http.StatusUnprocessableEntity, c.method, c.path, c.body)
		if c.place != "" {
			require.Equal(t, c.place, got.get(t, "fields.0.field"))
		}
		require.Contains(t, got.get(t, "detail"), c.said)
	}
	// What is free by design stays so: properties of events, fields of people.
	b.do(b.admin, 201, "POST", "/fields", object{"key": "size", "type": "text", "label": "Size"})
	b.do(b.admin, 201, "POST", "/contacts", object{"email": "a@example.com", "fields": object{"size": "M"}})
	b.do(b.token(), 200, "POST", "/events", object{"name": "x", "contact": object{"email": "a@example.com"}, "properties": object{"anything": object{"at": "all"}}})
}
