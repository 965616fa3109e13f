package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// JSONFault says in words for people what a decoder of JSON found wrong with a text, without its place (JSONPlace).
func JSONFault(err error) string {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	var when *time.ParseError
	switch {
	case errors.Is(err, io.EOF):
		return "it is empty"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &syntax) && strings.Contains(syntax.Error(), "unexpected end"):
		return "it breaks off: something that was opened is not closed"
	case errors.As(err, &syntax):
		return "it cannot be read from here on. Look for a comma, quote or bracket that is missing or too many"
	case errors.As(err, &wrong) && wrong.Field != "":
		return fmt.Sprintf("%q cannot be a %s", wrong.Field, jsonValue(wrong.Value))
	case errors.As(err, &wrong):
		return "a " + jsonValue(wrong.Value) + " is not what is expected here"
	case errors.As(err, &when):
		return fmt.Sprintf("%q is no instant; write one such as 2026-03-23T09:00:00Z", strings.Trim(when.Value, `"`))
	}
	if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
		return "there is no member " + name + " in it"
	}
	return "a value in it is not written as it must be"
}

// JSONPlace is the line and column of what a decoder of JSON found wrong with a text; zero if it did not say.
func JSONPlace(text []byte, err error) (line, column int) {
	if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
		return position(text, int(syntax.Offset)-1)
	}
	return 0, 0
}

// jsonValue is the kind of a value as a decoder names it, in words.
func jsonValue(value string) string {
	switch kind, _, _ := strings.Cut(value, " "); kind {
	case "string":
		return "text"
	case "bool":
		return "true or false"
	case "array":
		return "list"
	default:
		return kind // number, or object
	}
}
