package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/store"
)

// Check is one record a domain should have, and what was found.
type Check struct {
	Kind  string `json:"kind"`  // spf, dkim, dmarc
	Host  string `json:"host"`  // where it stands
	Want  string `json:"want"`  // what to publish
	Found string `json:"found"` // what is there
	State string `json:"state"` // good, missing, wrong, unreachable; unseen, of what cannot be looked at
}

// Domain is a domain that senders write from.
type Domain struct {
	Name      string
	Signing   bool
	Checks    []Check // empty until it was looked at
	CheckedAt *time.Time
}

// dnsLimit bounds a look at a domain.
const dnsLimit = 10 * time.Second

// Domains are those of the workspace's senders.
func (d *Deliverer) Domains(ctx context.Context, workspace uuid.UUID) ([]Domain, error) {
	rows, err := d.DB.Query(ctx, `SELECT DISTINCT x.name, coalesce(d.signing, false), coalesce(d.checks, '[]'), d.checked_at
		FROM (SELECT split_part(s.email, '@', 2) AS name FROM senders s WHERE s.workspace_id = $1) AS x
		LEFT JOIN domains d ON d.workspace_id = $1 AND d.name = x.name WHERE x.name <> '' ORDER BY 1`, workspace)
	if err != nil {
		return nil, fmt.Errorf("list domains: %w", err)
	}
	list, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Domain, error) {
		var one Domain
		var raw []byte
		if err := row.Scan(&one.Name, &one.Signing, &raw, &one.CheckedAt); err != nil {
			return one, err
		}
		return one, json.Unmarshal(raw, &one.Checks)
	})
	if err != nil {
		return nil, fmt.Errorf("list domains: %w", err)
	}
	return list, nil
}

// CheckDomain looks at what a sender's domain has published, and says what it should publish. Once our key is there, its mails are signed.
func (d *Deliverer) CheckDomain(ctx context.Context, workspace uuid.UUID, name string) (Domain, error) {
	known, err := d.Domains(ctx, workspace)
	if err != nil {
		return Domain{}, err
	}
	if !slices.ContainsFunc(known, func(one Domain) bool { return one.Name == name }) {
		return Domain{}, fault.New(fault.NotFound, "No sender writes from this domain. Add one first.")
	}
	public, err := store.InTxV(ctx, d.DB, d.Clock, func(tx store.Tx) (string, error) { return d.EnsureDomain(ctx, tx, workspace, name) })
	if err != nil {
		return Domain{}, err
	}
	routes, err := d.routes(ctx, workspace, name)
	if err != nil {
		return Domain{}, err
	}
	checks := d.look(ctx, name, public, routes)
	ours := slices.IndexFunc(checks, func(c Check) bool { return c.Host == selectorName+"._domainkey."+name })
	signing := ours >= 0 && checks[ours].State == "good"
	raw, err := json.Marshal(checks)
	if err != nil {
		return Domain{}, fmt.Errorf("keep what a domain has: %w", err)
	}
	var at time.Time
	err = store.InTx(ctx, d.DB, d.Clock, func(tx store.Tx) error {
		at = tx.Now
		if _, err := tx.Exec(ctx, "UPDATE domains SET checks = $3, checked_at = $4 WHERE workspace_id = $1 AND name = $2", workspace, name, raw, tx.Now); err != nil {
			return fmt.Errorf("keep what a domain has: %w", err)
		}
		if ours < 0 || checks[ours].State == "unreachable" {
			return nil // nothing is known, or nobody of ours signs: what was decided stays
		}
		return SetSigning(ctx, tx, workspace, name, signing)
	})
	return Domain{Name: name, Signing: signing, Checks: checks, CheckedAt: &at}, err
}

// look asks DNS for what the routes of a domain need: SPF, DKIM, DMARC, in this order.
func (d *Deliverer) look(ctx context.Context, name, public string, routes []route) []Check {
	ctx, cancel := context.WithTimeout(ctx, dnsLimit)
	defer cancel()
	checks := d.wanted(ctx, name, public, routes)
	for i := range checks {
		c := &checks[i]
		if c.State == stateUnseen {
			continue
		}
		records, err := d.texts(ctx, c.Host)
		if err != nil {
			c.State = "unreachable"
			continue
		}
		c.judge(records, public, routes)
	}
	return checks
}

// texts are the text records of a name; none is no error.
func (d *Deliverer) texts(ctx context.Context, host string) ([]string, error) {
	resolver := d.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	records, err := resolver.LookupTXT(ctx, host+".")
	if none := (*net.DNSError)(nil); errors.As(err, &none) && none.IsNotFound {
		return nil, nil
	}
	return records, err
}

// judge compares what was found with what should be there. Two records of one kind count as none, for that is how they are read.
func (c *Check) judge(records []string, public string, routes []route) {
	begins := map[string]string{"spf": "v=spf1", "dkim": "", "dmarc": "v=DMARC1"}[c.Kind]
	var found []string
	for _, record := range records {
		if strings.HasPrefix(strings.ToLower(record), strings.ToLower(begins)) {
			found = append(found, record)
		}
	}
	c.Found = strings.Join(found, " | ")
	switch {
	case len(found) == 0:
		c.State = "missing"
	case len(found) > 1:
		c.State = "wrong"
	case c.Kind == "spf" && (strings.Contains(found[0], "+all") ||
		slices.ContainsFunc(routes, func(r route) bool { return r.spfHost == c.Host && !admits(found[0], r) })):
		c.State = "wrong"
	case c.Kind == "dkim" && !strings.HasPrefix(c.Host, selectorName+"."): // of a service, whose key we do not know
		if !strings.Contains(strings.ReplaceAll(found[0], " ", ""), "p=") {
			c.State = "wrong"
		} else {
			c.State = "good"
		}
	case c.Kind == "dkim" && !strings.Contains(strings.ReplaceAll(found[0], " ", ""), "p="+public):
		c.State = "wrong"
	case c.Kind == "dmarc" && !strings.Contains(strings.ReplaceAll(found[0], " ", ""), "p="):
		c.State = "wrong"
	default:
		c.State = "good"
	}
}
