package tracking

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"math/big"
	"strings"

	"github.com/google/uuid"
)

// Links makes and reads the addresses by which opens and clicks are noticed. A token is sealed: an HMAC of what it says is its first part
// and the start of the key stream that hides the rest, so it can be neither read nor made without the installation's secret, and the same
// link is always the same token. It never expires.
type Links struct {
	base      string
	mac, code []byte
	block     cipher.Block
}

// ErrToken says a link was cut, changed or made by somebody else.
var ErrToken = errors.New("this link is not complete or was not made here; open it again from the message")

// Trap is the place of the link that people never see.
const Trap = 0xFFFF

const (
	version   = 1
	kindOpen  = 'o'
	kindClick = 'c'
	sealed    = sha256.Size / 2
	head      = 2 + 16 + 16 + 2
	maxTarget = 4096
	codeSize  = 10
)

// NewLinks derives the keys from the installation's secret. Addresses begin with base, which has no slash at its end.
func NewLinks(secret []byte, base string) *Links {
	block, err := aes.NewCipher(derive(secret, "lejek tracking cipher"))
	if err != nil {
		panic(err) // only a key of a wrong length
	}
	return &Links{base: base, mac: derive(secret, "lejek tracking seal"), code: derive(secret, "lejek tracking code"), block: block}
}

// On makes the same links on another base, such as a workspace's own domain; "" is the usual one.
func (l *Links) On(base string) *Links {
	if base == "" {
		return l
	}
	other := *l
	other.base = base
	return &other
}

func derive(secret []byte, use string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(use))
	return mac.Sum(nil)
}

// Target is what a token says.
type Target struct {
	Workspace, Message uuid.UUID

	Link int    // its place in the message
	URL  string // where it leads; "" for an open and for the trap
}

// Open is the address of the picture that tells of an open.
func (l *Links) Open(workspace, message uuid.UUID) string {
	return l.base + "/o/" + l.seal(kindOpen, Target{Workspace: workspace, Message: message})
}

// Click is the address that leads to a target. One that is too long to seal is left as it is.
func (l *Links) Click(workspace, message uuid.UUID, link int, url string) string {
	if len(url) > maxTarget {
		return url
	}
	return l.base + "/c/" + l.seal(kindClick, Target{workspace, message, link, url})
}

// Short is the short address of a link, and the code its target has to be kept under.
func (l *Links) Short(workspace, message uuid.UUID, link int) (address, code string) {
	mac := hmac.New(sha256.New, l.code)
	mac.Write(workspace[:])
	mac.Write(message[:])
	mac.Write([]byte{byte(link >> 8), byte(link)})
	digits := new(big.Int).SetBytes(mac.Sum(nil)).Text(62)
	code = digits[len(digits)-codeSize:]
	return l.base + "/s/" + code, code
}

// Watch adds to a mail what tells of an open, and a link that nobody sees: whoever follows it is no person.
func (l *Links) Watch(workspace, message uuid.UUID, html string) string {
	at, watch := l.Watcher(workspace, message, html)
	return html[:at] + watch + html[at:]
}

// Watcher is what Watch adds, and at which byte.
func (l *Links) Watcher(workspace, message uuid.UUID, html string) (at int, watch string) {
	trap := l.base + "/c/" + l.seal(kindClick, Target{Workspace: workspace, Message: message, Link: Trap})
	watch = `<div style="display:none;max-height:0;overflow:hidden"><a href="` + trap + `" tabindex="-1" aria-hidden="true" rel="nofollow"></a></div>` +
		`<img src="` + l.Open(workspace, message) + `" width="1" height="1" alt="" style="display:block;width:1px;height:1px;border:0">`
	if at = strings.LastIndex(html, "</body>"); at < 0 {
		at = len(html)
	}
	return at, watch
}

// ReadOpen reads the token of a picture.
func (l *Links) ReadOpen(token string) (Target, error) { return l.read(kindOpen, token) }

// ReadClick reads the token of a link.
func (l *Links) ReadClick(token string) (Target, error) { return l.read(kindClick, token) }

// IsCode tells whether a text may be the code of a short link.
func IsCode(text string) bool {
	return len(text) == codeSize && strings.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
}

func (l *Links) seal(kind byte, t Target) string {
	plain := make([]byte, head, head+len(t.URL))
	plain[0], plain[1] = version, kind
	copy(plain[2:], t.Workspace[:])
	copy(plain[18:], t.Message[:])
	binary.BigEndian.PutUint16(plain[34:], uint16(t.Link))
	plain = append(plain, t.URL...)
	tag := l.tag(plain)
	cipher.NewCTR(l.block, tag).XORKeyStream(plain, plain)
	return base64.RawURLEncoding.EncodeToString(append(tag, plain...))
}

func (l *Links) read(kind byte, token string) (Target, error) {
	if size := base64.RawURLEncoding.DecodedLen(len(token)); size < sealed+head || size > sealed+head+maxTarget {
		return Target{}, ErrToken
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil {
		return Target{}, ErrToken
	}
	tag, plain := raw[:sealed], raw[sealed:]
	cipher.NewCTR(l.block, tag).XORKeyStream(plain, plain)
	if !hmac.Equal(tag, l.tag(plain)) || plain[0] != version || plain[1] != kind {
		return Target{}, ErrToken
	}
	t := Target{Link: int(binary.BigEndian.Uint16(plain[34:])), URL: string(plain[head:])}
	copy(t.Workspace[:], plain[2:18])
	copy(t.Message[:], plain[18:34])
	return t, nil
}

func (l *Links) tag(plain []byte) []byte {
	mac := hmac.New(sha256.New, l.mac)
	mac.Write(plain)
	return mac.Sum(nil)[:sealed]
}
