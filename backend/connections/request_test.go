package connections

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/engine"
)

func TestAPathStaysUnderTheAddressOfItsConnection(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"": "https://shop.example/v1", "/orders/7": "https://shop.example/v1/orders/7", "?q=a%20b": "https://shop.example/v1?q=a%20b",
		"/../admin": "https://shop.example/v1/../admin", "//evil.example/": "https://shop.example/v1//evil.example/", "/@evil.example": "https://shop.example/v1/@evil.example",
	} {
		got, err := beneath("https://shop.example/v1", path)
		require.NoError(t, err, path)
		require.Equal(t, want, got)
	}
	for _, path := range []string{"@evil.example/", ".evil.example/", "https://evil.example/", ":8080/", "/\x00"} {
		_, err := beneath("https://shop.example", path)
		require.Error(t, err, path)
	}
}

func TestWhatIsKeptOfAnAnswer(t *testing.T) {
	t.Parallel()
	body := []byte(`{"data": {"items": [{"id": 7}, {"id": "B"}], "none": null, "long": "` + strings.Repeat("x", maxSaved) + `"}}`)
	vars, err := saved([]engine.SavedValue{
		{Name: "first", Path: "data.items.0.id"}, {Name: "second", Path: "data.items.1.id"}, {Name: "none", Path: "data.none"}, {Name: "all", Path: "data.items"},
		{Name: "long", Path: "data.long"}, {Name: "beyond", Path: "data.items.2.id"}, {Name: "wrong", Path: "data.items.x"},
	}, body)
	require.Equal(t, map[string]any{"first": 7.0, "second": "B", "all": []any{map[string]any{"id": 7.0}, map[string]any{"id": "B"}}}, vars)
	for _, said := range []string{"long: the value is larger", "beyond: there is nothing at", "wrong: there is nothing at"} {
		require.ErrorContains(t, err, said)
	}
	vars, err = saved([]engine.SavedValue{{Name: "text"}}, []byte("plain words"))
	require.NoError(t, err)
	require.Equal(t, map[string]any{"text": "plain words"}, vars)
}

func TestAskingForRestIsBelievedWithinADay(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]time.Duration{"120": 2 * time.Minute, "": 0, "-1": 0, "soon": 0, "315360000": 0} {
		require.Equal(t, want, retryAfter(http.Header{"Retry-After": {header}}), header)
	}
}
