package tracking

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
)

// Domains are the workspaces' own domains of links in messages. All members are required.
type Domains struct {
	DB       store.DB
	Secret   []byte
	BaseURL  string
	Get      func(ctx context.Context, r outgoing.Request) (outgoing.Answer, error)
	Resolver interface {
		LookupCNAME(ctx context.Context, host string) (string, error)
	}
}

// Domain is a workspace's.
type Domain struct {
	Name     string // "" is ours
	Verified *time.Time
	Said     string // why it could not be verified just now
}

// WellKnown is the path on which a domain says that it leads here.
const WellKnown = "/.well-known/lejek-links"

var hostPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$`)

// Target is the host a CNAME has to lead to.
func (d *Domains) Target() string {
	parsed, err := url.Parse(d.BaseURL)
	if err != nil {
		return ""
	}
	return parsed.Hostname()
}

// Word is what we answer on WellKnown for a host: who can make it has our secret.
func (d *Domains) Word(host string) string {
	mac := hmac.New(sha256.New, derive(d.Secret, "lejek tracking domains"))
	mac.Write([]byte(strings.ToLower(host)))
	return hex.EncodeToString(mac.Sum(nil)[:sealed])
}

// Of is the domain of a workspace.
func (d *Domains) Of(ctx context.Context, workspace uuid.UUID) (out Domain, err error) {
	err = d.DB.QueryRow(ctx, "SELECT tracking_domain, tracking_verified_at FROM workspaces WHERE id = $1", workspace).Scan(&out.Name, &out.Verified)
	if err != nil {
		return out, fmt.Errorf("read the domain of links: %w", err)
	}
	return out, nil
}

// Set gives a workspace a domain, which has to be verified; "" takes it away.
func (d *Domains) Set(ctx context.Context, tx store.Tx, workspace uuid.UUID, name string) error {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".")
	_, err := netip.ParseAddr(name)
	if name != "" && (err == nil || len(name) > 253 || !hostPattern.MatchString(name) || name == d.Target()) {
		return fault.InvalidField("domain", "Enter a name of your own domain, such as links.example.com.")
	}
	_, err = tx.Exec(ctx, `UPDATE workspaces SET tracking_domain = $2, updated_at = $3,
		tracking_verified_at = CASE WHEN tracking_domain = $2 THEN tracking_verified_at END WHERE id = $1`, workspace, name, tx.Now)
	if err != nil {
		return fmt.Errorf("save the domain of links: %w", err)
	}
	return nil
}

// Verify asks the domain itself, by https, whether it leads here; only then do links use it. What it said is for the person who set it up.
func (d *Domains) Verify(ctx context.Context, workspace uuid.UUID, now time.Time) (Domain, error) {
	domain, err := d.Of(ctx, workspace)
	if err != nil || domain.Name == "" {
		return domain, err
	}
	if domain.Said = d.ask(ctx, domain.Name); domain.Said != "" {
		return domain, nil
	}
	_, err = d.DB.Exec(ctx, "UPDATE workspaces SET tracking_verified_at = coalesce(tracking_verified_at, $3) WHERE id = $1 AND tracking_domain = $2", workspace, domain.Name, now)
	if store.Violated(err) != "" {
		return domain, fault.New(fault.Conflict, "Another workspace uses %s already.", domain.Name)
	}
	if err != nil {
		return domain, fmt.Errorf("note that a domain leads here: %w", err)
	}
	return d.Of(ctx, workspace)
}

func (d *Domains) ask(ctx context.Context, name string) string {
	answer, err := d.Get(ctx, outgoing.Request{Method: http.MethodGet, URL: "https://" + name + WellKnown})
	if err == nil && answer.Status == http.StatusOK && hmac.Equal([]byte(strings.TrimSpace(string(answer.Body))), []byte(d.Word(name))) {
		return ""
	}
	to, lookup := d.Resolver.LookupCNAME(ctx, name)
	if notFound, ok := errors.AsType[*net.DNSError](lookup); ok && notFound.IsNotFound {
		return "no_name"
	}
	switch {
	case lookup != nil:
		return "no_answer"
	case !strings.EqualFold(strings.TrimSuffix(to, "."), d.Target()):
		return "elsewhere"
	case err != nil:
		return "no_https"
	}
	return "not_ours"
}
