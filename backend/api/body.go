package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/engine"
)

// maxDepth is how deep JSON may nest; the decoder of the standard library would go to ten thousand.
const maxDepth = 64

func errTooLarge(limit int64) error {
	return fault.New(fault.TooLarge, "The body is too large: at most %d bytes are accepted here. Send less at once.", limit)
}

// checkBody reads the body, within the limit already set on it, and refuses another media type and JSON that nests too deep. A browser can send a
// form across sites without asking, but not JSON: that is a second wall against forged requests.
func checkBody(c echo.Context, r route) error {
	request := c.Request()
	if r.body == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(request.Header.Get(echo.HeaderContentType))
	if err != nil || kind != r.body {
		return echo.NewHTTPError(http.StatusUnsupportedMediaType, fmt.Sprintf("The body must be %s; say so in the header Content-Type.", r.body))
	}
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return bodyError(err)
	}
	if kind == echo.MIMEApplicationJSON {
		if !utf8.Valid(body) {
			return fault.New(fault.Invalid, "The body is not UTF-8. Encode it so and send it again.")
		}
		if err := checkDepth(body); err != nil {
			return err
		}
	}
	request.Body = readBody{bytes.NewReader(body), body}
	return nil
}

// readBody is a body in memory.
type readBody struct {
	*bytes.Reader

	bytes []byte
}

func (readBody) Close() error { return nil }

func bodyError(err error) error {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return errTooLarge(tooLarge.Limit)
	}
	return fault.New(fault.Invalid, "The body ended before it was complete. Send the request again.").WithErr(err)
}

// checkDepth walks the bytes once; brackets inside strings do not count.
func checkDepth(body []byte) error {
	depth, inString := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return fault.New(fault.Invalid, "The JSON nests deeper than %d levels (at byte %d). Send it flatter.", maxDepth, i)
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return nil
}

// hasNUL says whether a string of the JSON holds the one character the database cannot keep.
func hasNUL(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if bytes.HasPrefix(body[i:], []byte(`\u0000`)) {
			return true
		}
		i++
	}
	return false
}

func errNUL() error {
	return fault.New(fault.Invalid, "A text holds the character NUL (\\u0000), which cannot be stored. Take it out.")
}

// binder decodes a JSON body and says what is wrong with it in words.
type binder struct{}

// Bind decodes the body into target.
func (binder) Bind(target any, c echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return bodyError(err)
	}
	if err := decodeJSON(body, target); err != nil {
		return err
	}
	if _, raw := target.(*json.RawMessage); !raw && hasNUL(body) { // who takes raw JSON judges its parts one by one
		return errNUL()
	}
	return nil
}

// decodeJSON reads JSON of a caller; ids too long for a number become texts (engine.KeepDigits).
func decodeJSON(body []byte, target any) error {
	err := json.Unmarshal(engine.KeepDigits(body), target)
	var syntax *json.SyntaxError
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case len(bytes.TrimSpace(body)) == 0:
		return fault.New(fault.Invalid, "The body is empty. Send a JSON object.")
	case errors.As(err, &syntax):
		line, column := engine.JSONPlace(body, err)
		return fault.New(fault.Invalid, "The body is not JSON (line %d, column %d): %s.", line, column, engine.JSONFault(err))
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return fault.InvalidField(wrongType.Field, "This cannot be taken here: %s.", engine.JSONFault(err))
	default:
		return fault.New(fault.Invalid, "The body is not understood: %s. Compare it with what this address takes.", engine.JSONFault(err)).WithErr(err)
	}
}
