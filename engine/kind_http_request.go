package engine

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// httpRequestConfig says what is asked of which service, and what is kept of the answer.
type httpRequestConfig struct {
	Connection string       `json:"connection"`
	URL        string       `json:"url"`
	Method     string       `json:"method"`
	Headers    []httpHeader `json:"headers"`
	Body       string       `json:"body"`
	Save       []SavedValue `json:"save"`
}

type httpHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// SavedValue is a value of a response that becomes a variable: a path such as data.items.0.id; an empty path is the whole of it.
type SavedValue struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// HTTPRequest is what an http_request asks for, with its merge text filled in. URL is a path when there is a Connection.
type HTTPRequest struct {
	Connection string       `json:"connection,omitempty"`
	URL        string       `json:"url"`
	Method     string       `json:"method"`
	Headers    [][2]string  `json:"headers,omitempty"`
	Body       string       `json:"body,omitempty"`
	Save       []SavedValue `json:"save,omitempty"`
}

// The ports of what may go wrong.
const (
	PortOK    = "ok"
	PortError = "error"
)

// requestPatience is how long a person waits for a service that does not answer.
const requestPatience = time.Hour

const contentType = "Content-Type"

var okOrError = []PortSpec{{ID: PortOK, Label: "It worked"}, {ID: PortError, Label: "It failed"}}

// methodGet asks without a body.
const methodGet = "GET"

var _ = Define(Spec[httpRequestConfig]{
	Kind: Kind{
		Kind: "http_request", Family: FamilyAction, Order: 10,
		Title:   "Send a web request",
		Purpose: "Tells another application something, or asks it for values, over HTTP.",
		Synonyms: []string{"webhook", "http", "api", "post", "integration", "zapier", "wyślij zapytanie", "żądanie", "integracja",
			"запрос", "вебхук", "интеграция"},
		Fields: []Field{
			{Key: "connection", Type: TypeRef, Of: "connection", Label: "Connection", Options: []Option{{Value: "http", Label: "Web service"}},
				Help: "A service saved in Settings, with its address and keys. Empty: any public address."},
			{Key: "method", Type: TypeSelect, Label: "Method", Default: "POST", Options: []Option{
				{Value: "POST", Label: "POST"}, {Value: methodGet, Label: methodGet}, {Value: "PUT", Label: "PUT"},
				{Value: "PATCH", Label: "PATCH"}, {Value: "DELETE", Label: "DELETE"},
			}},
			{Key: "url", Type: TypeMerge, Label: "Address", Max: new(2000.0),
				Help: "The whole address, or with a connection the path after its address, such as /orders."},
			{Key: "headers", Type: TypePairs, Of: "value", Label: "Headers", Help: "Keys and passwords belong into a connection, where nobody sees them."},
			{Key: "body", Type: TypeLines, Label: "Body", Max: new(20000.0), ShowIf: []ShowIf{{Key: "method", In: []string{"POST", "PUT", "PATCH", "DELETE"}}},
				Help: "JSON, unless a header Content-Type says otherwise. Variables are escaped by themselves."},
			{Key: "save", Type: TypePairs, Of: "path", Label: "Keep from the answer",
				Help: "A name and where it stands in the answer, such as data.id. It becomes a variable, vars.name."},
		},
		Ports: okOrError,
		Vars:  []VarSpec{{Each: "save"}},
	},
	Check: httpRequestConfig.check,
	Run:   httpRequestConfig.run,
})

var (
	variablePattern = regexp.MustCompile(`^[a-z][a-z0-9_]{0,31}$`)
	headerPattern   = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	responsePath    = regexp.MustCompile(`^[^.\x00-\x1f]{1,100}(\.[^.\x00-\x1f]{1,100}){0,9}$`)
)

// ownHeaders are set by the request itself.
var ownHeaders = []string{"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "idempotency-key"}

func (c httpRequestConfig) check(k *Checker) {
	url := strings.TrimSpace(c.URL)
	switch {
	case c.Connection == "" && url == "":
		k.Required("url", "Enter the address, or choose a connection.").with("field", "url")
	case c.Connection == "" && !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "{{"):
		k.Invalid("url", "The address has to begin with https:// or http://.").with("field", "url").with("value", c.URL)
	case c.Connection != "" && url != "" && !strings.HasPrefix(url, "/") && !strings.HasPrefix(url, "?"):
		k.Invalid("url", "With a connection, enter only the path after its address. It begins with /.").with("field", "url").with("value", c.URL)
	case url != "":
		base := ""
		if c.Connection != "" {
			base = "https://x.example"
		}
		if merge, err := ParseMerge(base + url); err == nil && merge.AddressFault() != "" {
			k.Invalid("url", fmt.Sprintf("%s is no address that can be asked: %s.", quote(url), merge.AddressFault())).with("field", "url").with("value", c.URL)
		}
	}
	for i, header := range c.Headers {
		at := joinPath(joinIndex("", "headers", i), "name")
		if !headerPattern.MatchString(header.Name) {
			k.Invalid(at, fmt.Sprintf("%s is no name of a header. Write one such as X-Order.", quote(header.Name))).with("value", header.Name)
		} else if slices.Contains(ownHeaders, strings.ToLower(header.Name)) {
			k.Invalid(at, fmt.Sprintf("The header %s is set by Lejek. Remove it.", quote(header.Name))).with("value", header.Name)
		}
	}
	for i, saved := range c.Save {
		at := joinIndex("", "save", i)
		if !variablePattern.MatchString(saved.Name) {
			k.Invalid(joinPath(at, "name"), fmt.Sprintf("%s is no name of a variable. Use small letters, digits and _, such as order_id.", quote(saved.Name))).
				with("value", saved.Name)
		}
		if saved.Path != "" && !responsePath.MatchString(saved.Path) {
			k.Invalid(joinPath(at, "path"), fmt.Sprintf("%s is no place in an answer. Write one such as data.items.0.id.", quote(saved.Path))).
				with("value", saved.Path)
		}
	}
}

func (c httpRequestConfig) run(m *Moment) Outcome {
	request, err := c.request(m)
	if err != nil && m.Run.Deadline.IsZero() {
		return leave(PortError, map[string]any{"failed": err.Error()})
	}
	return m.call("http_request", request, m.Now.Add(requestPatience), PortError)
}

// safe is an address with what the author wrote encoded, too.
func safe(address string) (string, error) {
	address, fault := SafeURL(address)
	if fault != "" {
		return "", &MergeError{Fault: MergeUnsafe, Message: fault}
	}
	return address, nil
}

// request fills the merge text in, each by its place.
func (c httpRequestConfig) request(m *Moment) (HTTPRequest, error) {
	out := HTTPRequest{Connection: slugOf(c.Connection), Method: c.Method, Save: c.Save}
	if out.Method == "" {
		out.Method = "POST"
	}
	scope := m.mergeScope()
	var err error
	if out.URL, err = fill(c.URL, scope, ContextURL); err != nil {
		return out, err
	}
	if out.Connection != "" {
		out.URL = encodeRest(out.URL)
	} else if out.URL, err = safe(out.URL); err != nil {
		return out, err
	}
	body := "application/json"
	for _, header := range c.Headers {
		value, err := fill(header.Value, scope, ContextHeader)
		if err != nil {
			return out, err
		}
		out.Headers = append(out.Headers, [2]string{header.Name, value})
		if strings.EqualFold(header.Name, contentType) {
			body, _, _ = strings.Cut(strings.ToLower(value), ";")
		}
	}
	if c.Body == "" || out.Method == methodGet {
		return out, nil
	}
	out.Body, err = fill(c.Body, scope, bodyContext(strings.TrimSpace(body)))
	if !slices.ContainsFunc(out.Headers, func(h [2]string) bool { return strings.EqualFold(h[0], contentType) }) {
		out.Headers = append(out.Headers, [2]string{contentType, "application/json"})
	}
	return out, err
}

// bodyContext is how values are escaped in a body of a type.
func bodyContext(kind string) MergeContext {
	switch {
	case kind == "application/json", strings.HasSuffix(kind, "+json"):
		return ContextJSON
	case kind == "application/x-www-form-urlencoded":
		return ContextURLPart
	case strings.HasSuffix(kind, "xml"), kind == "text/html":
		return ContextAttr
	default:
		return ContextPlain
	}
}

// fill fills merge text for a place outside messages.
func fill(text string, scope *MergeScope, context MergeContext) (string, error) {
	merge, err := ParseMerge(text)
	switch {
	case err != nil:
		return "", err
	case context == ContextJSON:
		return merge.RenderJSON(scope)
	case context == ContextAttr || context == ContextURLPart:
		return merge.renderParts(scope, context)
	default:
		return merge.Render(scope, context)
	}
}
