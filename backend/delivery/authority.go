package delivery

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/lejek/lejek/engine"
)

// route is what a domain has to publish for one of the ways its mails take, as whoever carries them documents it.
type route struct {
	spfHost string   // where its SPF record stands; "" needs none, for what returns goes to a domain of theirs
	include []string // who may send
	own     string   // the mail server, if it is nobody's service
	dkims   []Check  // what they sign with; none if we sign
	ours    bool     // we sign
}

// services are mail servers of well-known services, by the end of their names, and whom a domain's SPF record has to include for them.
var services = []struct{ host, include string }{
	{"smtp.gmail.com", "_spf.google.com"}, {"smtp-relay.gmail.com", "_spf.google.com"}, {"smtp.google.com", "_spf.google.com"},
	{"office365.com", "spf.protection.outlook.com"}, {"mail.protection.outlook.com", "spf.protection.outlook.com"}, {"smtp-mail.outlook.com", "spf.protection.outlook.com"},
	{"mailgun.org", "mailgun.org"}, {"messagingengine.com", "spf.messagingengine.com"}, {"smtp.fastmail.com", "spf.messagingengine.com"},
	{"smtp.yandex.ru", "_spf.yandex.net"}, {"smtp.yandex.com", "_spf.yandex.net"}, {"smtp.mail.ru", "_spf.mail.ru"},
}

const amazon = "amazonses.com" // also of Resend, which sends through it

// stateUnseen is of records that cannot be looked at: Amazon draws the names its keys stand under for each account.
const stateUnseen = "unseen"

// routeOf is the route of an account for mails from a domain.
func routeOf(kind, smtpHost, mailFrom, name string) route {
	switch {
	case kind == "sendgrid" || smtpHost == "smtp.sendgrid.net":
		// SendGrid takes what returns at a domain of its own, which a CNAME of ours names; the signature says that it is us.
		return route{ours: kind != "sendgrid", dkims: []Check{{Kind: "dkim", Host: "s1._domainkey." + name, Want: "CNAME s1.domainkey.u….wl….sendgrid.net"}}}
	case kind == "resend" || smtpHost == "smtp.resend.com":
		return route{spfHost: "send." + name, include: []string{amazon}, ours: kind != "resend", dkims: []Check{{Kind: "dkim", Host: "resend._domainkey." + name, Want: "p=…"}}}
	case kind == "ses" || strings.HasPrefix(smtpHost, "email-smtp.") && strings.HasSuffix(smtpHost, ".amazonaws.com"):
		if mailFrom == "" {
			mailFrom = "mail." + name
		}
		r := route{spfHost: mailFrom, include: []string{amazon}, ours: kind != "ses"}
		if !r.ours {
			r.dkims = []Check{{Kind: "dkim", Host: "*._domainkey." + name, Want: "CNAME …." + "dkim." + amazon, State: stateUnseen}}
		}
		return r
	}
	for _, s := range services {
		if smtpHost == s.host || strings.HasSuffix(smtpHost, "."+s.host) {
			return route{spfHost: name, include: []string{s.include}, ours: true}
		}
	}
	return route{spfHost: name, own: smtpHost, ours: true}
}

// routes are those of a workspace's accounts for e-mail that carry or may take over, the one in use first. Without any it is that of a mail server of one's own.
func (d *Deliverer) routes(ctx context.Context, workspace uuid.UUID, name string) ([]route, error) {
	rows, err := d.DB.Query(ctx, `SELECT kind, config FROM providers WHERE workspace_id = $1 AND channel = 'email' AND (active OR reserve) ORDER BY active DESC, id`, workspace)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	routes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (route, error) {
		var kind string
		var config []byte
		if err := row.Scan(&kind, &config); err != nil {
			return route{}, err
		}
		return routeOfAccount(kind, config, name)
	})
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	if len(routes) == 0 {
		routes = []route{routeOf("smtp", "", "", name)}
	}
	return routes, nil
}

func routeOfAccount(kind string, config json.RawMessage, name string) (route, error) {
	var c struct {
		Host     string `json:"host"`
		MailFrom string `json:"mail_from"`
	}
	if err := json.Unmarshal(config, &c); err != nil {
		return route{}, err
	}
	return routeOf(kind, strings.ToLower(c.Host), strings.ToLower(c.MailFrom), name), nil
}

// wanted are the records of a domain for all its routes: one SPF record a host, each signature once, and DMARC.
func (d *Deliverer) wanted(ctx context.Context, name, public string, routes []route) []Check {
	var checks []Check
	mechanisms := map[string][]string{}
	for _, r := range routes {
		if r.spfHost == "" {
			continue
		}
		if mechanisms[r.spfHost] == nil {
			checks = append(checks, Check{Kind: "spf", Host: r.spfHost})
		}
		mechanisms[r.spfHost] = append(mechanisms[r.spfHost], d.mechanisms(ctx, r)...)
	}
	for i, c := range checks {
		some := mechanisms[c.Host]
		slices.SortStableFunc(some, func(a, b string) int { return strings.Compare(a, b) })
		checks[i].Want = "v=spf1 " + strings.Join(slices.Compact(some), " ") + " ~all"
	}
	ours := Check{Kind: "dkim", Host: selectorName + "._domainkey." + name, Want: "v=DKIM1; k=rsa; p=" + public}
	for _, r := range routes {
		signatures := r.dkims
		if r.ours {
			signatures = []Check{ours}
		}
		for _, c := range signatures {
			if !slices.Contains(checks, c) {
				checks = append(checks, c)
			}
		}
	}
	return append(checks, Check{Kind: "dmarc", Host: "_dmarc." + name, Want: "v=DMARC1; p=none; rua=mailto:postmaster@" + name})
}

// mechanisms are what lets a route send in an SPF record. A mail server of one's own is named by its addresses, beside those that take mail.
func (d *Deliverer) mechanisms(ctx context.Context, r route) []string {
	if len(r.include) > 0 {
		all := make([]string, len(r.include))
		for i, who := range r.include {
			all[i] = "include:" + who
		}
		return all
	}
	all := []string{"mx"}
	if r.own == "" {
		return all
	}
	resolver := d.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	addresses, err := resolver.LookupNetIP(ctx, "ip", r.own)
	if err != nil {
		return all // what it takes is said without them
	}
	for _, address := range addresses {
		if address = address.Unmap(); !public(address) {
			continue
		}
		if address.Is4() {
			all = append(all, "ip4:"+address.String())
		} else {
			all = append(all, "ip6:"+address.String())
		}
	}
	return all
}

func public(a netip.Addr) bool { return a.IsGlobalUnicast() && !a.IsPrivate() }

// admits tells whether an SPF record lets the senders of a route send.
func admits(record string, r route) bool {
	fields := strings.Fields(strings.ToLower(record))
	if len(r.include) == 0 { // of a server of one's own: somebody is named
		return slices.ContainsFunc(fields, func(f string) bool { return !strings.HasSuffix(f, "all") && !strings.HasPrefix(f, "v=") })
	}
	for _, who := range r.include {
		if !slices.Contains(fields, "include:"+who) && !slices.Contains(fields, "+include:"+who) && !slices.Contains(fields, "redirect="+who) {
			return false
		}
	}
	return true
}

// mayNotSend tells whether it is known that mails from a domain would not pass as its own by a route: neither SPF nor a signature speaks for them.
// What was not looked at, or could not be, is no proof.
func mayNotSend(domain Domain, r route) bool {
	refused := false
	for _, c := range domain.Checks {
		matters := c.Kind == "spf" && c.Host == r.spfHost || c.Kind == "dkim" && r.ours && strings.HasPrefix(c.Host, selectorName+".") ||
			c.Kind == "dkim" && slices.ContainsFunc(r.dkims, func(w Check) bool { return w.Host == c.Host })
		switch {
		case !matters:
		case c.State == "unreachable", c.State == stateUnseen:
			return false
		case c.Kind == "spf" && c.Found != "" && !strings.Contains(c.Found, " | ") && !strings.Contains(c.Found, "+all") && admits(c.Found, r):
			return false
		case c.Kind == "dkim" && c.State == "good":
			return false
		default:
			refused = true
		}
	}
	return refused
}

// closedTo are the domains of a workspace's senders whose mails may not leave by an account.
func (d *Deliverer) closedTo(ctx context.Context, workspace, account uuid.UUID) ([]string, error) {
	var kind string
	var config []byte
	if err := d.DB.QueryRow(ctx, "SELECT kind, config FROM providers WHERE workspace_id = $1 AND id = $2", workspace, account).Scan(&kind, &config); err != nil {
		return nil, fmt.Errorf("read the reserve: %w", err)
	}
	domains, err := d.Domains(ctx, workspace)
	if err != nil {
		return nil, err
	}
	closed := []string{}
	for _, one := range domains {
		r, err := routeOfAccount(kind, config, one.Name)
		if err != nil {
			return nil, fmt.Errorf("read the reserve: %w", err)
		}
		if mayNotSend(one, r) {
			closed = append(closed, one.Name)
		}
	}
	return closed, nil
}

// ReserveClosed is the domain for which the reserve of a waiting e-mail may not send; "" if the message does not wait for that.
func (d *Deliverer) ReserveClosed(ctx context.Context, workspace, message uuid.UUID) (string, error) {
	var reserve uuid.UUID
	var name string
	err := d.DB.QueryRow(ctx, `SELECT q.id, split_part(s.email, '@', 2) FROM messages m
			JOIN providers q ON q.workspace_id = m.workspace_id AND q.channel = m.channel AND q.reserve AND q.id <> m.provider_id
			JOIN senders s ON s.workspace_id = m.workspace_id AND (s.slug = m.sender OR s.is_default AND NOT EXISTS (SELECT 1 FROM senders t WHERE t.workspace_id = m.workspace_id AND t.slug = m.sender))
		WHERE m.workspace_id = $1 AND m.id = $2 AND m.channel = $3 AND m.status = 'queued' AND m.reason LIKE 'account: %' LIMIT 1`,
		workspace, message, engine.ChannelEmail).Scan(&reserve, &name)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look for the reserve of a message: %w", err)
	}
	closed, err := d.closedTo(ctx, workspace, reserve)
	if err != nil || !slices.Contains(closed, name) {
		return "", err
	}
	return name, nil
}
