// Package config reads the environment into one value, once, at start. Every setting is one row of the table below; all
// mistakes are reported together.
package config

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Config is how one process of Lejek is set up. The zero value is not usable; see Read.
type Config struct {
	DatabaseURL string   // "" runs the embedded Postgres in DataDir
	DataDir     string   // embedded database, generated secret
	Addr        string   // host:port the server listens on
	BaseURL     string   // how people and mail programs reach the server, without a trailing slash
	Secret      []byte   // at least 32 bytes; signs links and keys suppressions: the oldest there is. nil: see EnsureSecret
	Keys        [][]byte // secrets of what is sealed, the newest first: it seals, all open
	ManualClock bool     // business time is a row, see package clock
	SMTPURL     string   // smtp://user:password@host:port for the installation's own mails; also lets workspaces use mail servers on private addresses
	LogLevel    slog.Level

	TrustedProxies []netip.Prefix // whose X-Forwarded-For counts
	DNS            string         // host:port of the name server asked about the domains of senders; "" is the system's
	AllowNetworks  []netip.Prefix // that requests of steps may reach though they are not public

	AI AI

	previous [][]byte // secrets before, the newest first
}

// AI is the OpenAI-compatible endpoint that drafts funnels, and a reserve that is asked when it does not answer. An endpoint
// without a BaseURL is not asked; without any, the offline planner serves.
type AI struct {
	Endpoint

	Reserve Endpoint
	Daily   int // answers of ai_generate a workspace may have on a day

	// PriceIn and PriceOut are US dollars for a million tokens; Priced is false where the operator gave none.
	PriceIn, PriceOut float64
	Priced            bool
}

// Endpoint is an address, its key ("" for a server of one's own that wants none) and the model to ask there.
type Endpoint struct {
	BaseURL string
	Key     string
	Model   string
}

// openAI is the address a key without an address belongs to.
const openAI = "https://api.openai.com/v1"

// Option is one environment variable. The list serves the reader, `doctor` and the documentation.
type Option struct {
	Name    string
	Also    []string // other names it is known by; Name comes first
	Default string
	Help    string
	Secret  bool // never printed
	set     func(*Config, string) error
}

// Options is the table of all settings, in the order people meet them.
var Options = []Option{
	{Name: "DATABASE_URL", Help: "Postgres 15 or newer, postgres://...; empty starts the embedded one", Secret: true, set: setDatabase},
	{Name: "LEJEK_DATA_DIR", Default: ".lejek", Help: "where the embedded database and the generated secret live", set: setDataDir},
	{Name: "LEJEK_ADDR", Default: "127.0.0.1:8080", Help: "host:port to listen on", set: setAddr},
	{Name: "LEJEK_BASE_URL", Help: "public URL of the server; empty is http:// and LEJEK_ADDR", set: setBaseURL},
	{Name: "LEJEK_SECRET", Help: "64 or more hexadecimal digits; empty generates one in LEJEK_DATA_DIR", Secret: true, set: setSecret},
	{Name: "LEJEK_CLOCK", Default: "real", Help: "real, or manual for tests, benches and demos", set: setClock},
	{Name: "LEJEK_SECRET_PREVIOUS", Help: "secrets of before, the newest first, with commas between them; stored passwords and keys open with each of them until `lejek reseal`, and the oldest goes on signing links in mails", Secret: true, set: setPrevious},
	{Name: "LEJEK_SMTP_URL", Help: "smtp://user:password@host:port for invitations and reset links; workspaces connect their own mail server under Settings, which may then be on a private network", Secret: true, set: setSMTP},
	{Name: "LEJEK_LOG_LEVEL", Default: "info", Help: "debug, info, warn or error", set: setLogLevel},
	{Name: "LEJEK_TRUSTED_PROXIES", Help: "comma-separated networks whose X-Forwarded-For is believed", set: setProxies},
	{Name: "LEJEK_ALLOW_NETWORKS", Help: "comma-separated networks that web requests of funnels may reach though they are not public, such as 10.1.2.0/24", set: setNetworks},
	{Name: "LEJEK_DNS", Help: "host:port of the name server that is asked about the domains of senders; empty is the system's", set: func(c *Config, v string) error {
		if _, _, err := net.SplitHostPort(v); err != nil {
			return fmt.Errorf("%q is not host:port", v)
		}
		c.DNS = v
		return nil
	}},
	{Name: "LEJEK_AI_BASE_URL", Also: []string{"AI_BASE_URL"}, Help: "any OpenAI-compatible endpoint, such as https://host/v1; empty with a key is OpenAI's", set: setAIBase},
	{Name: "LEJEK_AI_KEY", Also: []string{"AI_KEY", "AI_API_KEY"}, Help: "its key; without address and key the offline planner serves", Secret: true, set: func(c *Config, v string) error { c.AI.Key = v; return nil }},
	{Name: "LEJEK_AI_MODEL", Also: []string{"AI_MODEL"}, Default: "gpt-4o-mini", Help: "its model", set: func(c *Config, v string) error { c.AI.Model = v; return nil }},
	{Name: "LEJEK_AI_RESERVE_URL", Help: "a second endpoint, asked when the first does not answer", set: setAIReserve},
	{Name: "LEJEK_AI_RESERVE_KEY", Help: "the key of the second endpoint", Secret: true, set: func(c *Config, v string) error { c.AI.Reserve.Key = v; return nil }},
	{Name: "LEJEK_AI_DAILY", Default: "1000", Help: "how many times a day a workspace may have texts written for its people", set: setAIDaily},
	{Name: "LEJEK_AI_PRICE", Help: "what the first model costs, in US dollars for a million tokens, to it and from it, such as 0.15/0.60; people see what texts will cost", set: setAIPrice},
	{Name: "LEJEK_AI_RESERVE_MODEL", Help: "the model of the second endpoint; empty is that of the first", set: func(c *Config, v string) error { c.AI.Reserve.Model = v; return nil }},
}

// Read reads the process's environment.
func Read() (Config, error) { return From(os.Getenv) }

// From reads an environment through get, which answers "" for what is not set. The error names every wrong setting, what
// is wrong with it and what it should be.
func From(get func(string) string) (Config, error) {
	var config Config
	var problems []error
	for _, option := range Options {
		value := strings.TrimSpace(get(option.Name))
		for _, other := range option.Also {
			value = cmp.Or(value, strings.TrimSpace(get(other)))
		}
		if value == "" {
			value = option.Default
		}
		if value == "" {
			continue
		}
		if err := option.set(&config, value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w. Expected: %s", option.Name, err, option.Help))
		}
	}
	if config.BaseURL == "" {
		config.BaseURL = "http://" + config.Addr
	}
	if config.AI.BaseURL == "" && config.AI.Key != "" {
		config.AI.BaseURL = openAI
	}
	config.arrangeSecrets()
	config.AI.Reserve.Model = cmp.Or(config.AI.Reserve.Model, config.AI.Model)
	return config, errors.Join(problems...)
}

// EnsureSecret keeps the given secret, or reads the one generated earlier in DataDir, or generates it there.
func (c *Config) EnsureSecret() error {
	if c.Secret != nil {
		return nil
	}
	defer c.arrangeSecrets()
	path := filepath.Join(c.DataDir, "secret")
	text, err := os.ReadFile(path) //nolint:gosec // the operator names the directory
	if err == nil {
		if err := setSecret(c, strings.TrimSpace(string(text))); err != nil {
			return fmt.Errorf("the secret in %s: %w. Restore the file, or set LEJEK_SECRET", path, err)
		}
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("read the secret: %w", err)
	}
	if err := os.MkdirAll(c.DataDir, 0o755); err != nil { //nolint:gosec // the database inside may run as another user
		return fmt.Errorf("make the data directory: %w", err)
	}
	secret := make([]byte, 32)
	rand.Read(secret)                                                        // never fails, by its documentation
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // as above
	if errors.Is(err, os.ErrExist) {
		return c.EnsureSecret() // another process was first
	}
	if err != nil {
		return fmt.Errorf("keep the secret: %w", err)
	}
	_, err = file.WriteString(hex.EncodeToString(secret) + "\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("keep the secret: %w", err)
	}
	c.Secret = secret
	return nil
}

// arrangeSecrets puts the secrets in their places. What is out in the world, such as links in mails and the hashes of erased people's
// addresses, was made with the first secret of the installation, so that one goes on signing; what we keep is sealed with the newest.
func (c *Config) arrangeSecrets() {
	if c.Secret == nil || c.Keys != nil {
		return
	}
	c.Keys = append([][]byte{c.Secret}, c.previous...)
	c.Secret = c.Keys[len(c.Keys)-1]
}

func setPrevious(c *Config, value string) error {
	for text := range strings.SplitSeq(value, ",") {
		var one Config
		if err := setSecret(&one, strings.TrimSpace(text)); err != nil {
			return err
		}
		c.previous = append(c.previous, one.Secret)
	}
	return nil
}

func setDatabase(c *Config, value string) error {
	parsed, err := url.Parse(value)
	if err != nil {
		return errors.New("it is not a URL") // the cause would repeat the password
	}
	if parsed.Scheme != "postgres" && parsed.Scheme != "postgresql" {
		return fmt.Errorf("the scheme is %q", parsed.Scheme)
	}
	c.DatabaseURL = value
	return nil
}

func setDataDir(c *Config, value string) error {
	path, err := filepath.Abs(value)
	c.DataDir = path
	return err
}

func setAddr(c *Config, value string) error {
	if _, _, err := net.SplitHostPort(value); err != nil {
		return fmt.Errorf("%q is not host:port", value)
	}
	c.Addr = value
	return nil
}

func setBaseURL(c *Config, value string) (err error) {
	c.BaseURL, err = httpURL(value)
	return err
}

func setAIBase(c *Config, value string) (err error) {
	c.AI.BaseURL, err = httpURL(value)
	return err
}

func setAIReserve(c *Config, value string) (err error) {
	c.AI.Reserve.BaseURL, err = httpURL(value)
	return err
}

func setAIDaily(c *Config, value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of answers", value)
	}
	c.AI.Daily = n
	return nil
}

func setAIPrice(c *Config, value string) error {
	in, out, ok := strings.Cut(value, "/")
	a, errIn := strconv.ParseFloat(strings.TrimSpace(in), 64)
	b, errOut := strconv.ParseFloat(strings.TrimSpace(out), 64)
	if !ok || errIn != nil || errOut != nil || !(a >= 0 && b >= 0) || math.IsInf(a+b, 0) {
		return fmt.Errorf("%q is no price; write two numbers, such as 0.15/0.60", value)
	}
	c.AI.PriceIn, c.AI.PriceOut, c.AI.Priced = a, b, true
	return nil
}

func httpURL(value string) (string, error) {
	parsed, err := url.Parse(value)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return "", fmt.Errorf("%q is not an http or https URL", value)
	}
	return strings.TrimRight(value, "/"), nil
}

func setSecret(c *Config, value string) error {
	secret, err := hex.DecodeString(value)
	if err != nil {
		return errors.New("it is not hexadecimal")
	}
	if len(secret) < 32 {
		return fmt.Errorf("it has %d hexadecimal digits", len(value))
	}
	c.Secret = secret
	return nil
}

func setClock(c *Config, value string) error {
	switch value {
	case "real":
		c.ManualClock = false
	case "manual":
		c.ManualClock = true
	default:
		return fmt.Errorf("%q is not known", value)
	}
	return nil
}

func setSMTP(c *Config, value string) error {
	parsed, err := url.Parse(value)
	if err != nil {
		return errors.New("it is not a URL")
	}
	if parsed.Scheme != "smtp" && parsed.Scheme != "smtps" {
		return fmt.Errorf("the scheme is %q", parsed.Scheme)
	}
	if parsed.Hostname() == "" {
		return errors.New("it names no host")
	}
	c.SMTPURL = value
	return nil
}

func setLogLevel(c *Config, value string) error {
	if err := c.LogLevel.UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("%q is not known", value)
	}
	return nil
}

func setProxies(c *Config, value string) (err error) {
	c.TrustedProxies, err = networks(value)
	return err
}

func setNetworks(c *Config, value string) (err error) {
	c.AllowNetworks, err = networks(value)
	return err
}

// networks reads a list of networks; an address alone is a network of one.
func networks(value string) (list []netip.Prefix, err error) {
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		prefix, err := netip.ParsePrefix(part)
		if err != nil {
			addr, addrErr := netip.ParseAddr(part)
			if addrErr != nil {
				return nil, fmt.Errorf("%q is not a network such as 10.0.0.0/8", part)
			}
			prefix = netip.PrefixFrom(addr, addr.BitLen())
		}
		list = append(list, prefix)
	}
	return list, nil
}
