package receipts

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/lejek/lejek/backend/outgoing"
)

// notification is a message of Amazon SNS around what SES tells.
type notification struct {
	Type             string
	MessageID        string `json:"MessageId"`
	Token            string
	TopicArn         string
	Subject          *string
	Message          string
	SubscribeURL     string
	Timestamp        string
	SignatureVersion string
	Signature        string
	SigningCertURL   string
}

// snsHost are the hosts certificates and confirmations come from, and no others are ever asked.
var snsHost = regexp.MustCompile(`^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$`)

// oldest is how old a notification may be: SNS repeats one for hours without another time. Rows are kept for longer, so none counts twice.
const oldest = 72 * time.Hour

// amazon checks that an address is one of SNS itself.
func amazon(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "https" || !snsHost.MatchString(parsed.Host) || parsed.User != nil {
		return nil, ErrSignature
	}
	return parsed, nil
}

// canonical is what SNS signs.
func (n notification) canonical() string {
	var b strings.Builder
	line := func(name, value string) { b.WriteString(name + "\n" + value + "\n") }
	line("Message", n.Message)
	line("MessageId", n.MessageID)
	if n.Type == "Notification" {
		if n.Subject != nil {
			line("Subject", *n.Subject)
		}
	} else {
		line("SubscribeURL", n.SubscribeURL)
	}
	line("Timestamp", n.Timestamp)
	if n.Type != "Notification" {
		line("Token", n.Token)
	}
	line("TopicArn", n.TopicArn)
	line("Type", n.Type)
	return b.String()
}

// certificates fetches and keeps what SNS signs with.
type certificates struct {
	get   func(ctx context.Context, r outgoing.Request) (outgoing.Answer, error)
	mu    sync.Mutex
	known map[string]*x509.Certificate
}

const maxCertificates = 20

func (c *certificates) at(ctx context.Context, address string, now time.Time) (*x509.Certificate, error) {
	parsed, err := amazon(address)
	if err != nil || !strings.HasSuffix(parsed.Path, ".pem") || parsed.RawQuery != "" {
		return nil, ErrSignature
	}
	c.mu.Lock()
	known := c.known[address]
	c.mu.Unlock()
	if known == nil {
		answer, err := c.get(ctx, outgoing.Request{Method: http.MethodGet, URL: address})
		if err != nil || answer.Status != http.StatusOK {
			return nil, errors.Join(fmt.Errorf("the certificate of SNS could not be fetched: status %d", answer.Status), err)
		}
		block, _ := pem.Decode(answer.Body)
		if block == nil {
			return nil, ErrSignature
		}
		if known, err = x509.ParseCertificate(block.Bytes); err != nil {
			return nil, ErrSignature
		}
		c.mu.Lock()
		if c.known == nil || len(c.known) >= maxCertificates {
			c.known = map[string]*x509.Certificate{}
		}
		c.known[address] = known
		c.mu.Unlock()
	}
	if now.Before(known.NotBefore) || now.After(known.NotAfter) {
		return nil, ErrSignature
	}
	return known, nil
}

// verify checks a notification. Only version 2 is taken: version 1 signs with SHA-1.
func (n notification) verify(ctx context.Context, certs *certificates, now time.Time) error {
	if n.SignatureVersion != "2" {
		return ErrSignature
	}
	at, err := time.Parse(time.RFC3339, n.Timestamp)
	if err != nil {
		return ErrBody
	}
	signature, err := base64.StdEncoding.DecodeString(n.Signature)
	if err != nil {
		return ErrSignature
	}
	cert, err := certs.at(ctx, n.SigningCertURL, now)
	if err != nil {
		return err
	}
	key, ok := cert.PublicKey.(*rsa.PublicKey)
	sum := sha256.Sum256([]byte(n.canonical()))
	if !ok || rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil {
		return ErrSignature
	}
	if now.Sub(at) > oldest || at.Sub(now) > tolerance {
		return ErrTime
	}
	return nil
}

// sesEvent is what SES tells about one mail.
type sesEvent struct {
	EventType        string `json:"eventType"`
	NotificationType string `json:"notificationType"`
	Mail             struct {
		MessageID string              `json:"messageId"`
		Tags      map[string][]string `json:"tags"`
	} `json:"mail"`
	Bounce struct {
		Type       string    `json:"bounceType"`
		At         time.Time `json:"timestamp"`
		Recipients []struct {
			Address string `json:"emailAddress"`
			Code    string `json:"diagnosticCode"`
		} `json:"bouncedRecipients"`
	} `json:"bounce"`
	Complaint struct {
		At         time.Time `json:"timestamp"`
		Recipients []struct {
			Address string `json:"emailAddress"`
		} `json:"complainedRecipients"`
	} `json:"complaint"`
	Delivery struct {
		At         time.Time `json:"timestamp"`
		Recipients []string  `json:"recipients"`
	} `json:"delivery"`
	Open struct {
		At    time.Time `json:"timestamp"`
		Agent string    `json:"userAgent"`
	} `json:"open"`
	Click struct {
		At    time.Time `json:"timestamp"`
		Agent string    `json:"userAgent"`
		Link  string    `json:"link"`
	} `json:"click"`
}

// readSES reads a notification of SNS. A subscription is confirmed only for the topic the workspace entered.
func (s *Sources) readSES(ctx context.Context, source opened, report Report, now time.Time) ([]Receipt, error) {
	var n notification
	if err := decode(report.Body, &n); err != nil {
		return nil, err
	}
	if source.TopicArn == "" || n.TopicArn != source.TopicArn {
		return nil, ErrSignature // before anything is fetched
	}
	if err := n.verify(ctx, s.certs(), now); err != nil {
		return nil, err
	}
	switch n.Type {
	case "SubscriptionConfirmation":
		return nil, s.confirm(ctx, n.SubscribeURL)
	case "Notification":
	default:
		return nil, nil
	}
	var event sesEvent
	if err := decode([]byte(n.Message), &event); err != nil {
		return nil, err
	}
	receipt, known := event.receipt()
	if !known {
		return nil, nil
	}
	receipt.Key, receipt.Name = n.MessageID, event.Mail.MessageID
	if tags := event.Mail.Tags[headerMessage]; len(tags) == 1 {
		receipt.Message = messageOf(tags[0])
	}
	return []Receipt{receipt}, nil
}

func (e sesEvent) receipt() (Receipt, bool) {
	kind := e.EventType
	if kind == "" {
		kind = e.NotificationType
	}
	switch kind {
	case "Delivery":
		r := Receipt{Kind: Delivered, At: e.Delivery.At}
		if len(e.Delivery.Recipients) > 0 {
			r.Address = e.Delivery.Recipients[0]
		}
		return r, true
	case "Bounce":
		r := Receipt{Kind: Bounced, At: e.Bounce.At, Soft: e.Bounce.Type != "Permanent"}
		if len(e.Bounce.Recipients) > 0 {
			r.Address, r.Reason = e.Bounce.Recipients[0].Address, e.Bounce.Recipients[0].Code
		}
		return r, true
	case "Complaint":
		r := Receipt{Kind: Complained, At: e.Complaint.At}
		if len(e.Complaint.Recipients) > 0 {
			r.Address = e.Complaint.Recipients[0].Address
		}
		return r, true
	case "Open":
		return Receipt{Kind: Opened, At: e.Open.At, Agent: e.Open.Agent}, true
	case "Click":
		return Receipt{Kind: Clicked, At: e.Click.At, Agent: e.Click.Agent, URL: e.Click.Link}, true
	}
	return Receipt{}, false
}

// confirm visits the address SNS gives, and no other.
func (s *Sources) confirm(ctx context.Context, address string) error {
	if _, err := amazon(address); err != nil {
		return err
	}
	answer, err := s.Get(ctx, outgoing.Request{Method: http.MethodGet, URL: address})
	if err != nil || answer.Status >= http.StatusBadRequest {
		return errors.Join(fmt.Errorf("the subscription of SNS could not be confirmed: status %d", answer.Status), err)
	}
	return nil
}
