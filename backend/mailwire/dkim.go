package mailwire

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// signed are the headers a signature covers where a mail has them. Those named twice are signed as absent too, so that nobody can add
// a second one (RFC 6376, 8.15). The ways out are covered, as RFC 8058 wants.
var signed = []string{
	"From", "From", "To", "To", "Subject", "Subject", "Date", "Date", "Message-ID", "Reply-To", "MIME-Version", "Content-Type",
	"List-Unsubscribe", "List-Unsubscribe-Post",
}

// keyBits is the size of the keys we make: what every verifier takes.
const keyBits = 2048

// Signer signs mails for one domain with RSA-SHA256, relaxed in head and body (RFC 6376). It is safe for use by many goroutines.
type Signer struct {
	domain, selector string
	key              *rsa.PrivateKey
}

// NewSigner takes a private key as GenerateKey gives it (PKCS #8, DER).
func NewSigner(domain, selector string, der []byte) (*Signer, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("the key of %s cannot be read: %w", domain, err)
	}
	key, ok := parsed.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the key of %s is no RSA key", domain)
	}
	return &Signer{domain: domain, selector: selector, key: key}, nil
}

// GenerateKey makes a private key and its public part as DNS has it.
func GenerateKey() (der []byte, public string, err error) {
	key, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	if der, err = x509.MarshalPKCS8PrivateKey(key); err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	spki, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return nil, "", fmt.Errorf("make a key: %w", err)
	}
	return der, base64.StdEncoding.EncodeToString(spki), nil
}

// ErrNoHead says that what was to be signed is no mail.
var ErrNoHead = errors.New("a mail without a head cannot be signed")

// Sign answers the mail with a signature at its top.
func (s *Signer) Sign(mail []byte) ([]byte, error) {
	end := bytes.Index(mail, []byte("\r\n\r\n"))
	if end < 0 {
		return nil, ErrNoHead
	}
	head, body := mail[:end+2], mail[end+4:]
	fields := splitHead(head)
	sum := sha256.Sum256(relaxBody(body))
	var names []string
	var text bytes.Buffer
	used := map[string]int{}
	for _, name := range signed {
		lower := strings.ToLower(name)
		at := lastField(fields, lower, used[lower])
		if at < 0 && !slices.Contains(names, lower) {
			continue // absent, and not to be signed as absent
		}
		names = append(names, lower)
		used[lower]++
		if at >= 0 {
			relaxHeader(&text, fields[at])
		}
	}
	value := "v=1; a=rsa-sha256; c=relaxed/relaxed; d=" + s.domain + ";\r\n s=" + s.selector + "; q=dns/txt;\r\n h=" +
		strings.Join(names, ":\r\n  ") + ";\r\n bh=" + base64.StdEncoding.EncodeToString(sum[:]) + ";\r\n b="
	field := "DKIM-Signature: " + value
	relaxHeader(&text, []byte(field))
	digest := sha256.Sum256(bytes.TrimSuffix(text.Bytes(), []byte("\r\n")))
	signature, err := rsa.SignPKCS1v15(nil, s.key, crypto.SHA256, digest[:])
	if err != nil {
		return nil, fmt.Errorf("sign a mail: %w", err)
	}
	encoded := base64.StdEncoding.EncodeToString(signature)
	out := make([]byte, 0, len(mail)+len(field)+len(encoded)+64)
	out = append(out, field...)
	for len(encoded) > 70 {
		out = append(append(out, encoded[:70]...), "\r\n  "...)
		encoded = encoded[70:]
	}
	out = append(append(out, encoded...), "\r\n"...)
	return append(out, mail...), nil
}

// splitHead are the fields of a head with their folded lines, without their last line break.
func splitHead(head []byte) [][]byte {
	var fields [][]byte
	start := 0
	for at := 0; at < len(head); {
		end := bytes.IndexByte(head[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
		if at < len(head) && (head[at] == ' ' || head[at] == '\t') {
			continue
		}
		fields = append(fields, bytes.TrimSuffix(head[start:at], []byte("\r\n")))
		start = at
	}
	return fields
}

// lastField is the place of the n-th field of that name from below, or -1.
func lastField(fields [][]byte, lower string, n int) int {
	for i := len(fields) - 1; i >= 0; i-- {
		name, _, _ := bytes.Cut(fields[i], []byte(":"))
		if !strings.EqualFold(string(bytes.TrimSpace(name)), lower) {
			continue
		}
		if n == 0 {
			return i
		}
		n--
	}
	return -1
}

// relaxHeader writes a field as "relaxed" has it.
func relaxHeader(out *bytes.Buffer, field []byte) {
	name, value, _ := bytes.Cut(field, []byte(":"))
	out.Write(bytes.ToLower(bytes.TrimSpace(name)))
	out.WriteByte(':')
	space := false
	for _, b := range bytes.TrimSpace(value) {
		switch b {
		case '\r', '\n':
			continue
		case ' ', '\t':
			space = true
			continue
		}
		if space {
			out.WriteByte(' ')
			space = false
		}
		out.WriteByte(b)
	}
	out.WriteString("\r\n")
}

// relaxBody is a body as "relaxed" has it: runs of spaces are one, none at the end of a line, no empty lines at the end.
func relaxBody(body []byte) []byte {
	out := make([]byte, 0, len(body)+2)
	for len(body) > 0 {
		line := body
		if end := bytes.IndexByte(body, '\n'); end >= 0 {
			line, body = body[:end], body[end+1:]
		} else {
			body = nil
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		line = bytes.TrimRight(line, " \t")
		for len(line) > 0 {
			at := bytes.IndexAny(line, " \t")
			if at < 0 {
				out = append(out, line...)
				break
			}
			out = append(append(out, line[:at]...), ' ')
			line = bytes.TrimLeft(line[at:], " \t")
		}
		out = append(out, '\r', '\n')
	}
	for bytes.HasSuffix(out, []byte("\r\n\r\n")) {
		out = out[:len(out)-2]
	}
	if len(out) == 2 { // nothing but line breaks is nothing
		return out[:0]
	}
	return out
}
