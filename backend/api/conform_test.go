package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestNothingOutsideTheContractIsTaken walks the whole contract: every place that names its values, its length or its limits is fed one beyond
// them, alone in an otherwise sound request. Each is refused by the name of the place, so that no input is silently taken for another.
func TestNothingOutsideTheContractIsTaken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	spec, err := contract()
	require.NoError(t, err)
	tried := 0
	for _, path := range slices.Sorted(maps.Keys(spec.Paths.Map())) {
		item := spec.Paths.Value(path)
		for method, operation := range item.Operations() {
			address := path
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				if parameter.Value.In == openapi3.ParameterInPath {
					address = strings.ReplaceAll(address, "{"+parameter.Value.Name+"}", fmt.Sprint(sound(parameter.Value.Schema.Value)))
				}
			}
			for _, parameter := range operation.Parameters {
				for _, wrong := range beyond(parameter.Value.Schema.Value) {
					if parameter.Value.In != openapi3.ParameterInQuery || wrong == "" {
						continue
					}
					tried++
					var headers []string
					if operation.RequestBody != nil {
						for kind := range operation.RequestBody.Value.Content {
							headers = []string{"Content-Type", kind}
						}
					}
					got := b.call(b.admin, method, "/api/v1"+address+"?"+parameter.Value.Name+"="+inQuery(wrong), "", headers...)
					requireRefused(t, got, parameter.Value.Name, method+" "+path)
				}
			}
			if operation.RequestBody == nil || operation.RequestBody.Value.Content.Get("application/json") == nil {
				continue
			}
			schema := operation.RequestBody.Value.Content.Get("application/json").Schema.Value
			for place, body := range broken(schema) {
				tried++
				got := b.call(b.admin, method, "/api/v1"+address, body)
				requireRefused(t, got, place, fmt.Sprintf("%s %s %v", method, path, place))
			}
		}
	}
	require.Greater(t, tried, 120, "the walk has lost its way")
}

// TestWrongKindOfTokenIsNotTakenForAnother is where the walk began: a kind that does not exist became a secret token.
func TestWrongKindOfTokenIsNotTakenForAnother(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := b.do(b.admin, http.StatusUnprocessableEntity, "POST", "/api-tokens", object{"name": "x", "kind": "secret", "scopes": []string{"read"}})
	require.Equal(t, "kind", got.get(t, "fields.0.field"))
	require.Contains(t, got.get(t, "detail"), "live, pub")
	require.Empty(t, b.do(b.admin, http.StatusOK, "GET", "/api-tokens", nil).get(t, "items"))
}

// inQuery writes a value as an address holds it: a big number without an exponent.
func inQuery(value any) string {
	if number, ok := value.(float64); ok {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}

func requireRefused(t *testing.T, got answer, place, what string) {
	t.Helper()
	require.Equal(t, http.StatusUnprocessableEntity, got.Code, "%s: %s", what, got.Body)
	require.Equal(t, place, got.get(t, "fields.0.field"), "%s: %s", what, got.Body)
	require.NotEmpty(t, got.get(t, "detail"))
}

// judgedElsewhere are documents of the engine, which may be saved unfinished, and events, which are judged one by one.
func judgedElsewhere(schema *openapi3.Schema) bool {
	goType, _ := schema.Extensions["x-go-type"].(string)
	return schema.Type == nil || strings.HasPrefix(goType, "engine.")
}

// sound is the least value the schema takes.
func sound(schema *openapi3.Schema) any {
	switch {
	case judgedElsewhere(schema):
		return object{}
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type.Includes(openapi3.TypeObject):
		value := object{}
		for _, name := range schema.Required {
			value[name] = sound(schema.Properties[name].Value)
		}
		return value
	case schema.Type.Includes(openapi3.TypeArray):
		return []any{sound(schema.Items.Value)}
	case schema.Type.Includes(openapi3.TypeInteger), schema.Type.Includes(openapi3.TypeNumber):
		if schema.Min != nil {
			return max(1, *schema.Min)
		}
		return 1
	case schema.Type.Includes(openapi3.TypeBoolean):
		return true
	case schema.Format == "uuid":
		return uuid.NewString()
	case schema.Format == "date-time":
		return "2030-01-01T00:00:00Z"
	default:
		texts := []string{strings.Repeat("x", max(1, int(schema.MinLength))), "EUR", "09:00", "#000000", "2030-01-01"}
		if fits := slices.IndexFunc(texts, regexp.MustCompile(schema.Pattern).MatchString); fits >= 0 {
			return texts[fits]
		}
		return texts[0]
	}
}

// beyond are values just outside what the schema takes.
func beyond(schema *openapi3.Schema) []any {
	var out []any
	if len(schema.Enum) > 0 {
		out = append(out, "wrong")
	}
	if schema.MaxLength != nil {
		out = append(out, strings.Repeat("ż", int(*schema.MaxLength)+1))
	}
	if schema.MinLength > 0 {
		out = append(out, strings.Repeat("x", int(schema.MinLength)-1))
	}
	if schema.Pattern != "" {
		out = append(out, "%20!")
	}
	if schema.Min != nil {
		out = append(out, *schema.Min-1)
	}
	if schema.Max != nil {
		out = append(out, *schema.Max+1)
	}
	if schema.Type.Includes(openapi3.TypeArray) {
		if schema.MaxItems != nil {
			out = append(out, slices.Repeat([]any{sound(schema.Items.Value)}, int(*schema.MaxItems)+1))
		}
		if schema.MinItems > 0 {
			out = append(out, []any{})
		}
	}
	return out
}

// broken yields sound values with one place beyond what it takes, and the path of that place.
func broken(schema *openapi3.Schema) func(func(string, any) bool) {
	return func(yield func(string, any) bool) {
		if judgedElsewhere(schema) {
			return
		}
		for name, member := range schema.Properties {
			if judgedElsewhere(member.Value) {
				continue
			}
			with := func(value any) any {
				whole := sound(schema).(object)
				whole[name] = value
				return whole
			}
			for _, wrong := range beyond(member.Value) {
				if !yield(name, with(wrong)) {
					return
				}
			}
			below, wrap, place := member.Value, with, name
			if below.Type.Includes(openapi3.TypeArray) {
				below, place = below.Items.Value, name+".0"
				wrap = func(value any) any { return with([]any{value}) }
				for _, wrong := range beyond(below) {
					if !yield(place, wrap(wrong)) {
						return
					}
				}
			}
			for deeper, value := range broken(below) {
				if !yield(place+"."+deeper, wrap(value)) {
					return
				}
			}
		}
	}
}

// TestASimulationCannotLeaveTheCalendar: what it tells is JSON, whose instants end with the year 9999.
func TestASimulationCannotLeaveTheCalendar(t *testing.T) {
	t.Parallel()
	b := setup(t)
	funnel := b.do(b.admin, http.StatusCreated, "POST", "/funnels", object{"name": "x"}).get(t, "funnel.id").(string)
	got := b.do(b.admin, http.StatusUnprocessableEntity, "POST", "/funnels/"+funnel+"/simulate", object{"start": "9999-12-31T23:59:59Z"})
	require.Equal(t, "start", got.get(t, "fields.0.field"))
}
