package api_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/api"
)

// contract is the specification as it is served.
var contract = sync.OnceValues(func() (*openapi3.T, error) { return openapi3.NewLoader().LoadFromData(api.Spec()) })

// requireContract holds an answer against the schema its operation promises for that status.
func requireContract(t *testing.T, method, path string, got answer) {
	t.Helper()
	spec, err := contract()
	require.NoError(t, err)
	operation := operationOf(spec, method, path)
	if operation == nil || got.Body.Len() == 0 {
		return
	}
	response := operation.Responses.Value(strconv.Itoa(got.Code))
	if response == nil {
		response = operation.Responses.Default()
	}
	require.NotNil(t, response, "%s %s promises no %d", method, path, got.Code)
	kind, _, _ := strings.Cut(got.Header().Get("Content-Type"), ";")
	media := response.Value.Content.Get(kind)
	require.NotNil(t, media, "%s %s: %d promises no %s", method, path, got.Code, kind)
	if strings.Contains(kind, "json") {
		requireSchema(t, media.Schema.Value, got.Body.Bytes(), method+" "+path)
	}
}

func requireSchema(t *testing.T, schema *openapi3.Schema, body []byte, what string) {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(body, &value))
	require.NoError(t, schema.VisitJSON(value, openapi3.MultiErrors()), "%s: %s", what, body)
}

// operationOf finds the operation of a path; fixed segments win over parameters.
func operationOf(spec *openapi3.T, method, path string) *openapi3.Operation {
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(path, "/")
	var found *openapi3.Operation
	fewest := len(parts) + 1
	for template, item := range spec.Paths.Map() {
		segments := strings.Split(template, "/")
		if len(segments) != len(parts) {
			continue
		}
		parameters, fits := 0, true
		for i, segment := range segments {
			switch {
			case strings.HasPrefix(segment, "{"):
				parameters++
			case segment != parts[i]:
				fits = false
			}
		}
		if fits && parameters < fewest && item.GetOperation(method) != nil {
			found, fewest = item.GetOperation(method), parameters
		}
	}
	return found
}

// TestFunnelCorpus holds the worked funnels, which Go, TypeScript and the AI's tests read as well, against the contract.
func TestFunnelCorpus(t *testing.T) {
	t.Parallel()
	spec, err := contract()
	require.NoError(t, err)
	files, err := filepath.Glob("../../engine/testdata/funnels/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var bundle struct {
				Graph     json.RawMessage            `json:"graph"`
				Creatives map[string]json.RawMessage `json:"creatives"`
			}
			require.NoError(t, json.Unmarshal(text, &bundle))
			requireSchema(t, spec.Components.Schemas["Graph"].Value, bundle.Graph, "graph")
			for slug, creative := range bundle.Creatives {
				requireSchema(t, spec.Components.Schemas["Creative"].Value, creative, slug)
			}
		})
	}
}
