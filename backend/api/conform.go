package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// promise is what the contract asks of the input of one operation. The generated types know names and kinds only; the values that are allowed,
// the lengths and the members are held against the contract itself, so that what it says is true of every route and stays so.
type promise struct {
	parameters []*openapi3.Parameter
	body       *openapi3.Schema // nil: no JSON, or judged elsewhere
}

// promises are those of all routes, by method and path as Echo writes it.
var promises = sync.OnceValues(func() (map[string]promise, error) {
	contract, err := openapi3.NewLoader().LoadFromData(spec)
	if err != nil {
		return nil, fmt.Errorf("read openapi.yaml: %w", err)
	}
	all := map[string]promise{}
	for path, item := range contract.Paths.Map() {
		for method, operation := range item.Operations() {
			var p promise
			for _, parameter := range slices.Concat(item.Parameters, operation.Parameters) {
				p.parameters = append(p.parameters, parameter.Value)
			}
			if operation.RequestBody != nil {
				if media := operation.RequestBody.Value.Content.Get(echo.MIMEApplicationJSON); media != nil {
					p.body = media.Schema.Value
				}
			}
			all[method+" "+pathParameter.ReplaceAllString(path, ":$1")] = p
		}
	}
	return all, nil
})

var pathParameter = regexp.MustCompile(`\{(\w+)\}`)

// conform refuses input that the contract does not allow, naming every place and what it takes there.
func (p promise) conform(c echo.Context) error {
	var wrong complaints
	for _, parameter := range p.parameters {
		p.checkParameter(c, parameter, &wrong)
	}
	if body, ok := c.Request().Body.(readBody); ok && p.body != nil && len(wrong) == 0 {
		if !json.Valid(body.bytes) {
			return nil // the binder says where it breaks off
		}
		wrong.check("", body.bytes, p.body)
	}
	return fault.InvalidFields(wrong)
}

func (promise) checkParameter(c echo.Context, parameter *openapi3.Parameter, wrong *complaints) {
	values := c.QueryParams()[parameter.Name]
	if parameter.In == openapi3.ParameterInPath {
		values = []string{c.Param(parameter.Name)}
	}
	for _, value := range values {
		if value == "" {
			continue
		}
		switch schema := parameter.Schema.Value; {
		case schema.Type.Is(openapi3.TypeInteger), schema.Type.Is(openapi3.TypeNumber):
			number, err := strconv.ParseFloat(value, 64)
			if err != nil || math.IsNaN(number) || schema.Type.Is(openapi3.TypeInteger) && !isWhole(number) {
				wrong.addf(parameter.Name, "%q is not a number this can take.", brief(value))
				continue
			}
			wrong.number(parameter.Name, number, schema)
		case schema.Type.Is(openapi3.TypeBoolean):
			if _, err := strconv.ParseBool(value); err != nil {
				wrong.addf(parameter.Name, "%q is neither true nor false.", brief(value))
			}
		case schema.Type.Is(openapi3.TypeArray) && schema.Items != nil: // each value is given by itself
			wrong.text(parameter.Name, value, schema.Items.Value)
		default:
			wrong.text(parameter.Name, value, schema)
		}
	}
}

// complaints are the wrong places found so far.
type complaints []fault.Field

func (w *complaints) addf(path, format string, args ...any) {
	*w = append(*w, fault.Field{Path: path, Message: fmt.Sprintf(format, args...)})
}

// maxComplaints is how many are worth telling.
const maxComplaints = 20

// check holds one value against its schema. Documents of the engine are left to the engine, which says more and lets drafts be saved unfinished;
// events of a batch are judged one by one.
func (w *complaints) check(path string, raw json.RawMessage, schema *openapi3.Schema) {
	if len(*w) >= maxComplaints || elsewhere(schema) {
		return
	}
	raw = bytes.TrimSpace(raw)
	if string(raw) == "null" {
		if !schema.Type.Includes(openapi3.TypeNull) {
			w.addf(path, "Expected %s, but got null.", wanted(schema))
		}
		return
	}
	var ok bool
	switch raw[0] {
	case '{':
		if ok = schema.Type.Includes(openapi3.TypeObject); ok {
			w.object(path, raw, schema)
		}
	case '[':
		if ok = schema.Type.Includes(openapi3.TypeArray); ok {
			w.array(path, raw, schema)
		}
	case '"':
		if ok = schema.Type.Includes(openapi3.TypeString); ok {
			var text string
			_ = json.Unmarshal(raw, &text) // the body is valid JSON
			w.text(path, text, schema)
		}
	case 't', 'f':
		ok = schema.Type.Includes(openapi3.TypeBoolean)
	default:
		var number float64
		integer := schema.Type.Includes(openapi3.TypeInteger)
		if ok = integer || schema.Type.Includes(openapi3.TypeNumber); !ok {
			break
		}
		if json.Unmarshal(raw, &number) != nil || integer && (!isWhole(number) || schema.Format == "int32" && math.Abs(number) > math.MaxInt32) {
			w.addf(path, "%s is not a number this can take.", brief(string(raw)))
			return
		}
		w.number(path, number, schema)
	}
	if !ok {
		w.addf(path, "Expected %s, but got %s.", wanted(schema), brief(string(raw)))
	}
}

// maxWhole is the largest whole number that JSON carries exactly between all programs.
const maxWhole = 1<<53 - 1

func isWhole(number float64) bool {
	return number == math.Trunc(number) && math.Abs(number) <= maxWhole
}

func elsewhere(schema *openapi3.Schema) bool {
	goType, _ := schema.Extensions["x-go-type"].(string)
	return schema.Type == nil || strings.HasPrefix(goType, "engine.")
}

func (w *complaints) object(path string, raw json.RawMessage, schema *openapi3.Schema) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		return
	}
	open := schema.AdditionalProperties
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(*w) >= maxComplaints {
			return
		}
		value, known := schema.Properties[name]
		switch {
		case known && string(members[name]) == "null" && !slices.Contains(schema.Required, name): // as good as absent
		case known:
			w.check(join(path, name), members[name], value.Value)
		case open.Schema != nil:
			w.check(join(path, name), members[name], open.Schema.Value)
		case !openEnded(schema):
			w.unknown(path, name, schema)
		}
	}
	for _, name := range schema.Required {
		if _, given := members[name]; !given {
			w.addf(join(path, name), "%q is missing. Give it.", name)
		}
	}
}

// openEnded tells whether an object takes members the contract does not name: those for which it says so, and those of which it names none.
func openEnded(schema *openapi3.Schema) bool {
	if has := schema.AdditionalProperties.Has; has != nil {
		return *has
	}
	return len(schema.Properties) == 0
}

// unknown refuses a member nobody would look at: it is most likely a known one, mistyped.
func (w *complaints) unknown(path, name string, schema *openapi3.Schema) {
	known := slices.Sorted(maps.Keys(schema.Properties))
	if near := engine.Nearest(name, known); near != "" {
		w.addf(join(path, brief(name)), "There is no member %q here. Did you mean %q?", brief(name), near)
		return
	}
	if len(known) == 0 {
		w.addf(join(path, brief(name)), "There is no member %q here: nothing is taken. Leave it out.", brief(name))
		return
	}
	w.addf(join(path, brief(name)), "There is no member %q here. Known are %s.", brief(name), strings.Join(known, ", "))
}

func (w *complaints) array(path string, raw json.RawMessage, schema *openapi3.Schema) {
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil {
		return
	}
	if n := uint64(len(items)); n < schema.MinItems {
		w.addf(path, "At least %d are needed here.", schema.MinItems)
		return
	} else if schema.MaxItems != nil && n > *schema.MaxItems {
		w.addf(path, "%d are too many: at most %d are taken here.", n, *schema.MaxItems)
		return
	}
	if schema.Items == nil {
		return
	}
	for i, item := range items {
		w.check(join(path, strconv.Itoa(i)), item, schema.Items.Value)
	}
}

func (w *complaints) text(path, text string, schema *openapi3.Schema) {
	n := uint64(utf8.RuneCountInString(text))
	switch {
	case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(text)):
		w.addf(path, "%q is not known here. Choose one of %s.", brief(text), choices(schema.Enum))
	case schema.MaxLength != nil && n > *schema.MaxLength:
		w.addf(path, "This is %d characters long; at most %d are taken.", n, *schema.MaxLength)
	case n < schema.MinLength && n == 0:
		w.addf(path, "This must not be empty.")
	case n < schema.MinLength:
		w.addf(path, "This is too short: at least %d characters are needed.", schema.MinLength)
	case schema.Format == "uuid" && uuid.Validate(text) != nil:
		w.addf(path, "%q is no id. Ids are written like 01890a5d-ac96-774b-bcce-b302099a8057.", brief(text))
	case schema.Format == "date-time" && !isTime(time.RFC3339, text):
		w.addf(path, "%q is no instant. Write one such as 2026-12-24T09:00:00Z.", brief(text))
	case schema.Format == "date" && !isTime(time.DateOnly, text):
		w.addf(path, "%q is no day. Write one such as 2026-12-24.", brief(text))
	case schema.Pattern != "" && !patternOf(schema.Pattern).MatchString(text):
		w.addf(path, "%q is not written as it must be: %s.", brief(text), schema.Pattern)
	}
}

func isTime(layout, text string) bool {
	_, err := time.Parse(layout, text)
	return err == nil
}

func (w *complaints) number(path string, number float64, schema *openapi3.Schema) {
	switch {
	case schema.Min != nil && number < *schema.Min:
		w.addf(path, "%v is too small: at least %v.", number, *schema.Min)
	case schema.Max != nil && number > *schema.Max:
		w.addf(path, "%v is too large: at most %v.", number, *schema.Max)
	}
}

var patterns sync.Map // of the contract only, so it does not grow

func patternOf(pattern string) *regexp.Regexp {
	if known, ok := patterns.Load(pattern); ok {
		return known.(*regexp.Regexp)
	}
	compiled := regexp.MustCompile(pattern)
	patterns.Store(pattern, compiled)
	return compiled
}

func choices(values []any) string {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	return strings.Join(words, ", ")
}

func wanted(schema *openapi3.Schema) string {
	switch {
	case schema.Type.Includes(openapi3.TypeObject):
		return "an object"
	case schema.Type.Includes(openapi3.TypeArray):
		return "a list"
	case schema.Type.Includes(openapi3.TypeString):
		return "a text"
	case schema.Type.Includes(openapi3.TypeBoolean):
		return "true or false"
	default:
		return "a number"
	}
}

func join(path, member string) string {
	if path == "" {
		return member
	}
	return path + "." + member
}

// brief is enough of a value to recognise it.
func brief(text string) string {
	const enough = 40
	if utf8.RuneCountInString(text) <= enough {
		return text
	}
	return string([]rune(text)[:enough]) + "…"
}

// promiseOf is the promise of a route; those outside the contract were refused before.
func promiseOf(r route) promise {
	all, _ := promises() // New has told the error
	return all[r.method+" "+r.path]
}
