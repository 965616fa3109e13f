package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The bounds of a document.
const (
	MaxDocumentBytes = 4 << 20
	MaxDocumentDepth = 64
)

// DecodeError is why a document cannot be read, with the place. Path is like nodes.3.kind; Line and Column count from 1
// and are 0 when the path says enough.
type DecodeError struct {
	Path    string
	Line    int
	Column  int
	Message string
}

// Error says what is wrong and where.
func (e *DecodeError) Error() string {
	switch {
	case e.Line > 0:
		return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
	case e.Path != "":
		return e.Path + ": " + e.Message
	default:
		return e.Message
	}
}

// Problem is the error as the validator would say it.
func (e *DecodeError) Problem() Problem {
	return Problem{Code: CodeDocument, Severity: Error, Field: e.Path, Message: e.Error()}
}

// DecodeGraph reads a graph strictly: what the document of a funnel does not have is refused with its place. Configs are
// read later, by their kinds. The error is a *DecodeError.
func DecodeGraph(data []byte) (Graph, error) {
	var graph Graph
	if err := decodeStrict(data, &graph); err != nil {
		return Graph{}, err
	}
	return graph, nil
}

// DecodeBundle reads a bundle strictly; see DecodeGraph. The answer of the assistant, as generate and edit print it, is read as the
// bundle it proposes.
func DecodeBundle(data []byte) (Bundle, error) {
	data, err := proposed(data)
	if err != nil {
		return Bundle{}, err
	}
	var bundle Bundle
	if err := decodeStrict(data, &bundle); err != nil {
		return Bundle{}, err
	}
	return bundle, nil
}

func decodeStrict(data []byte, into any) error {
	if len(data) > MaxDocumentBytes {
		return &DecodeError{Message: fmt.Sprintf("the document is larger than %d MB", MaxDocumentBytes>>20)}
	}
	data, err := plainText(data)
	if err != nil {
		return err
	}
	if err := checkDepth(data); err != nil {
		return err
	}
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return notJSON(data, err)
	}
	if err := checkShape("", whole, reflect.TypeOf(into).Elem()); err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return &DecodeError{Message: err.Error()}
	}
	return nil
}

// plainText takes off the mark some editors put before UTF-8 and refuses other encodings, which the decoder would quietly fill with question marks.
func plainText(data []byte) ([]byte, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &DecodeError{Message: "the document is written in UTF-16; save it as UTF-8"}
	}
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			e := &DecodeError{Message: "the document is not UTF-8 here; save it as UTF-8"}
			e.Line, e.Column = position(data, len(data)-len(rest))
			return nil, e
		}
		rest = rest[size:]
	}
	return data, nil
}

// checkDepth refuses deep nesting in one cheap pass, before anything recursive looks at the document.
func checkDepth(data []byte) error {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > MaxDocumentDepth {
				e := &DecodeError{Message: fmt.Sprintf("the document is nested more than %d levels deep", MaxDocumentDepth)}
				e.Line, e.Column = position(data, i)
				return e
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

func notJSON(data []byte, err error) error {
	e := &DecodeError{Message: "this is not JSON: " + JSONFault(err)}
	e.Line, e.Column = JSONPlace(data, err)
	return e
}

// position turns an offset into line and column.
func position(data []byte, offset int) (line, column int) {
	before := data[:max(0, min(offset, len(data)))]
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

var (
	rawType         = reflect.TypeFor[json.RawMessage]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
)

// checkShape compares JSON with the type that is to hold it and refuses the first member that is unknown or of another
// type, with its place.
func checkShape(path string, raw json.RawMessage, t reflect.Type) error {
	if t == rawType || t.Kind() == reflect.Interface || string(raw) == "null" {
		return nil
	}
	if t.Kind() == reflect.Pointer {
		return checkShape(path, raw, t.Elem())
	}
	if reflect.PointerTo(t).Implements(unmarshalerType) {
		if err := json.Unmarshal(raw, reflect.New(t).Interface()); err != nil {
			return &DecodeError{Path: path, Message: err.Error()}
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Struct:
		return checkObject(path, raw, t)
	case reflect.Map:
		members, err := objectAt(path, raw)
		if err != nil {
			return err
		}
		for _, key := range sortedKeys(members) {
			if err := checkShape(joinPath(path, key), members[key], t.Elem()); err != nil {
				return err
			}
		}
		return nil
	case reflect.Slice:
		var elements []json.RawMessage
		if json.Unmarshal(raw, &elements) != nil {
			return &DecodeError{Path: path, Message: "a list is expected here, not " + shorten(string(raw), 60)}
		}
		for i, element := range elements {
			if err := checkShape(joinPath(path, strconv.Itoa(i)), element, t.Elem()); err != nil {
				return err
			}
		}
		return nil
	default:
		if json.Unmarshal(raw, reflect.New(t).Interface()) != nil {
			return &DecodeError{Path: path, Message: "a " + typeName(t) + " is expected here, not " + shorten(string(raw), 60)}
		}
		return nil
	}
}

func checkObject(path string, raw json.RawMessage, t reflect.Type) error {
	members, err := objectAt(path, raw)
	if err != nil {
		return err
	}
	types := map[string]reflect.Type{}
	var names []string
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		types[name] = field.Type
		names = append(names, name)
	}
	for _, key := range sortedKeys(members) {
		if types[key] == nil {
			message := fmt.Sprintf("%q is not known here; known are %s", key, strings.Join(names, ", "))
			if near := Nearest(key, names); near != "" {
				message = fmt.Sprintf("%q is not known here; did you mean %q?", key, near)
			}
			return &DecodeError{Path: joinPath(path, key), Message: message}
		}
		if err := checkShape(joinPath(path, key), members[key], types[key]); err != nil {
			return err
		}
	}
	return nil
}

func objectAt(path string, raw json.RawMessage) (map[string]json.RawMessage, error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return nil, &DecodeError{Path: path, Message: "an object is expected here, not " + shorten(string(raw), 60)}
	}
	return members, nil
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	default:
		return "number"
	}
}
