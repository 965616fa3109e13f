package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/config"
)

func from(env map[string]string) (config.Config, error) {
	return config.From(func(name string) string { return env[name] })
}

func TestFromGivesDefaultsForAnEmptyEnvironment(t *testing.T) {
	t.Parallel()
	c, err := from(nil)
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:8080", c.Addr)
	require.Equal(t, "http://127.0.0.1:8080", c.BaseURL)
	require.Empty(t, c.DatabaseURL)
	require.False(t, c.ManualClock)
}

func TestFromReportsAllMistakesAtOnceAndNoSecret(t *testing.T) {
	t.Parallel()
	_, err := from(map[string]string{
		"DATABASE_URL":   "mysql://root:hunter2@db",
		"LEJEK_ADDR":     "8080",
		"LEJEK_CLOCK":    "fast",
		"LEJEK_SECRET":   "abc1",
		"LEJEK_SMTP_URL": "http://mail",
	})
	require.Error(t, err)
	for _, name := range []string{"DATABASE_URL", "LEJEK_ADDR", "LEJEK_CLOCK", "LEJEK_SECRET", "LEJEK_SMTP_URL"} {
		require.ErrorContains(t, err, name)
	}
	require.NotContains(t, err.Error(), "hunter2")
}

func TestFromReadsEachSetting(t *testing.T) {
	t.Parallel()
	c, err := from(map[string]string{
		"LEJEK_BASE_URL": "https://funnels.example/", "LEJEK_CLOCK": "manual", "LEJEK_TRUSTED_PROXIES": "10.0.0.0/8, 192.0.2.1", "LEJEK_LOG_LEVEL": "debug",
	})
	require.NoError(t, err)
	require.Equal(t, "https://funnels.example", c.BaseURL)
	require.True(t, c.ManualClock)
	require.Len(t, c.TrustedProxies, 2)
}

func TestFromKnowsTheModelsEndpoints(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env  map[string]string
		want config.AI
	}{
		"none": {nil, config.AI{Endpoint: config.Endpoint{Model: "gpt-4o-mini"}, Reserve: config.Endpoint{Model: "gpt-4o-mini"}, Daily: 1000}},
		"a key is OpenAI's": {map[string]string{"LEJEK_AI_KEY": "k", "LEJEK_AI_MODEL": "m"},
			config.AI{Endpoint: config.Endpoint{BaseURL: "https://api.openai.com/v1", Key: "k", Model: "m"}, Reserve: config.Endpoint{Model: "m"}, Daily: 1000}},
		"one's own": {map[string]string{"AI_BASE_URL": "http://127.0.0.1:9/v1", "AI_API_KEY": "k", "AI_MODEL": "m"},
			config.AI{Endpoint: config.Endpoint{BaseURL: "http://127.0.0.1:9/v1", Key: "k", Model: "m"}, Reserve: config.Endpoint{Model: "m"}, Daily: 1000}},
		"the reserve has its own key": {map[string]string{"LEJEK_AI_KEY": "k", "LEJEK_AI_MODEL": "m", "LEJEK_AI_RESERVE_URL": "https://b.example/v1", "LEJEK_AI_RESERVE_KEY": "r"},
			config.AI{Endpoint: config.Endpoint{BaseURL: "https://api.openai.com/v1", Key: "k", Model: "m"}, Reserve: config.Endpoint{BaseURL: "https://b.example/v1", Key: "r", Model: "m"}, Daily: 1000}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := from(c.env)
			require.NoError(t, err)
			require.Equal(t, c.want, got.AI)
		})
	}
}

func TestEnsureSecretGeneratesOnceAndKeeps(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := from(map[string]string{"LEJEK_DATA_DIR": dir})
	require.NoError(t, err)
	require.NoError(t, first.EnsureSecret())
	require.Len(t, first.Secret, 32)

	second, err := from(map[string]string{"LEJEK_DATA_DIR": dir})
	require.NoError(t, err)
	require.NoError(t, second.EnsureSecret())
	require.Equal(t, first.Secret, second.Secret)

	info, err := os.Stat(filepath.Join(dir, "secret"))
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestTheNewestSecretSealsAndTheOldestSigns(t *testing.T) {
	t.Parallel()
	text := func(digit string) string { return strings.Repeat(digit, 64) }
	got, err := from(map[string]string{"LEJEK_SECRET": text("c"), "LEJEK_SECRET_PREVIOUS": text("b") + ", " + text("a")})
	require.NoError(t, err)
	require.Len(t, got.Keys, 3)
	require.Equal(t, byte(0xcc), got.Keys[0][0])
	require.Equal(t, byte(0xaa), got.Secret[0])

	got, err = from(map[string]string{"LEJEK_DATA_DIR": t.TempDir(), "LEJEK_SECRET_PREVIOUS": text("a")})
	require.NoError(t, err)
	require.NoError(t, got.EnsureSecret())
	require.Len(t, got.Keys, 2, "a generated one has earlier ones too")
	require.Equal(t, byte(0xaa), got.Secret[0])

	_, err = from(map[string]string{"LEJEK_SECRET": text("c"), "LEJEK_SECRET_PREVIOUS": "short"})
	require.ErrorContains(t, err, "LEJEK_SECRET_PREVIOUS")
}
