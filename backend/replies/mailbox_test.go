package replies_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	"github.com/emersion/go-imap/v2/imapserver/imapmemserver"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/delivery"
	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/pump"
	"github.com/lejek/lejek/backend/replies"
	"github.com/lejek/lejek/backend/spinetest"
	"github.com/lejek/lejek/backend/store"
)

// server is a mail server on a real socket, with one mailbox.
type server struct {
	user *imapmemserver.User
	addr *net.TCPAddr
}

func serve(t *testing.T) *server {
	t.Helper()
	memory := imapmemserver.New()
	s := &server{user: imapmemserver.NewUser("replies@acme.example", "secret word")}
	require.NoError(t, s.user.Create("INBOX", nil))
	memory.AddUser(s.user)
	imapServer := imapserver.New(&imapserver.Options{
		NewSession: func(*imapserver.Conn) (imapserver.Session, *imapserver.GreetingData, error) {
			return memory.NewSession(), nil, nil
		},
		Caps: imap.CapSet{imap.CapIMAP4rev1: {}}, InsecureAuth: true,
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go imapServer.Serve(listener) //nolint:errcheck // it ends with the test
	t.Cleanup(func() { _ = imapServer.Close() })
	s.addr = listener.Addr().(*net.TCPAddr)
	return s
}

type literal struct{ *bytes.Reader }

func (l literal) Size() int64 { return l.Reader.Size() }

func (s *server) put(t *testing.T, lines ...string) {
	t.Helper()
	_, err := s.user.Append("INBOX", literal{bytes.NewReader(mail(lines...))}, &imap.AppendOptions{})
	require.NoError(t, err)
}

type machine struct{ now time.Time }

func (m *machine) Now() time.Time { return m.now }

type world struct {
	*spinetest.World
	boxes   *replies.Mailboxes
	machine *machine
	contact uuid.UUID
	message uuid.UUID
}

func setup(t *testing.T, private bool) *world {
	t.Helper()
	w := &world{World: spinetest.New(t), machine: &machine{time.Now().UTC()}}
	w.boxes = &replies.Mailboxes{
		DB: w.Pool, Clock: w.Clock, Machine: w.machine, People: w.People, Secret: spinetest.Secret, Dial: delivery.Dialer{Private: private}.DialContext, Logger: slog.New(slog.DiscardHandler),
	}
	return w
}

func (w *world) save(s *server, password string, active bool) error {
	return store.InTx(w.Context(), w.Pool, w.Clock, func(tx store.Tx) error {
		in := replies.Input{Mailbox: replies.Mailbox{Host: s.addr.IP.String(), Port: s.addr.Port, Security: "none", Username: "replies@acme.example", Address: "replies@acme.example", Active: active}}
		if password != "" {
			in.Password = &password
		}
		return w.boxes.Save(w.Context(), tx, w.Workspace, in)
	})
}

// look is a minute later.
func (w *world) look() {
	w.Helper()
	w.machine.now = w.machine.now.Add(11 * time.Minute)
	_, err := w.boxes.Drain(w.Context(), pump.Batch{Limit: 10})
	require.NoError(w, err)
	w.Settle()
}

func (w *world) events(name string) int {
	w.Helper()
	return w.Count("SELECT count(*) FROM events WHERE workspace_id = $1 AND contact_id = $2 AND name = $3", w.Workspace, w.contact, name)
}

// send lets a funnel write to somebody, and answers where an answer goes.
func (w *world) send() string {
	w.Helper()
	w.contact = w.Contact("anna@example.com")
	w.Funnel("welcome", `{"nodes":[{"id":"in","kind":"entry","name":"In","config":{"triggers":[{"kind":"api_event","name":"signup"}],"reentry":{"rule":"once"}}},
		{"id":"mail-1","kind":"send_email","name":"Hi","config":{"creative":"creative:hi","class":"marketing"}}],"edges":[{"from":"in","port":"next","to":"mail-1"}]}`)
	w.Event("anna@example.com", "signup", nil)
	w.Settle()
	var replyTo string
	require.NoError(w, w.Pool.QueryRow(w.Context(), `SELECT b.message_id, h ->> 'value' FROM message_bodies b, jsonb_array_elements(b.headers) AS h WHERE h ->> 'name' = 'Reply-To'`).Scan(&w.message, &replyTo))
	return replyTo[1 : len(replyTo)-1] // without the brackets
}

func TestAReplyIsReadMatchedAndToldOnce(t *testing.T) {
	t.Parallel()
	w, s := setup(t, true), serve(t)
	s.put(t, "Message-Id: <old@x>", "Subject: Before", "", "It was here before the mailbox was connected")
	require.NoError(t, w.save(s, "secret word", true))
	w.look()
	to := w.send()
	require.Regexp(t, `^replies\+[a-z2-7]{36}@acme\.example$`, to)

	s.put(t, "Message-Id: <1@x>", "From: Anna <anna@example.com>", "To: "+to, "Subject: Re: hi", "", "Yes, please!", "", "> hi")
	s.put(t, "Message-Id: <2@x>", "From: Anna <anna@example.com>", "To: "+to, "Auto-Submitted: auto-replied", "", "I am away.")
	s.put(t, "Message-Id: <3@x>", "From: Stranger <s@example.com>", "To: replies@acme.example", "Subject: Hello", "", "Who are you?")
	s.put(t, "Message-Id: <4@x>", "From: Anna <anna@example.com>", "To: replies+"+"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"+"@acme.example", "", "A token nobody made")
	w.look()
	require.Equal(t, 1, w.events("message_replied"))
	require.Equal(t, 1, w.Count(`SELECT count(*) FROM events WHERE name = 'message_replied' AND props ->> 'text' = 'Yes, please!'`))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM replies WHERE kind = 'auto' AND message_id IS NOT NULL"))
	require.Equal(t, 1, w.Count("SELECT count(*) FROM messages WHERE replied_at IS NOT NULL"))

	t.Run("ByWhatItRefersToWhenTheAddressWasLost", func(t *testing.T) {
		s.put(t, "Message-Id: <5@x>", "From: anna@example.com", "To: hello@acme.example", "In-Reply-To: <"+w.message.String()+"@acme.example>", "", "And another thing")
		w.look()
		require.Equal(t, 2, w.events("message_replied"))
	})
	t.Run("WhenTheMailboxIsNumberedAnewNothingCountsTwice", func(t *testing.T) {
		w.Exec("UPDATE mailboxes SET uid_validity = 999, last_uid = 0")
		w.look()
		require.Equal(t, 2, w.events("message_replied"))
	})
	t.Run("AMailThatCameBackSuppressesTheAddress", func(t *testing.T) {
		s.put(t, "Message-Id: <6@mx>", "From: MAILER-DAEMON@mx.example", "To: hello@acme.example", "Content-Type: multipart/report; report-type=delivery-status; boundary=b", "",
			"--b", "Content-Type: message/delivery-status", "", "Final-Recipient: rfc822; anna@example.com", "Action: failed", "Status: 5.1.1", "--b",
			"Content-Type: text/rfc822-headers", "", "Message-ID: <"+w.message.String()+"@acme.example>", "--b--", "")
		w.look()
		require.Equal(t, 1, w.events("message_bounced"))
		answers, err := w.People.Gate(t.Context(), w.Pool, w.Workspace, []people.Ask{{Contact: w.contact, Channel: "email", Class: "transactional"}})
		require.NoError(t, err)
		require.Equal(t, people.NoSuppress, answers[0].Reason)
	})
	require.Zero(t, w.Count("SELECT count(*) FROM mailboxes WHERE last_error <> ''"))
}

func TestSecurity_09_AReplyAddressIsBoundToMessageAndWorkspace(t *testing.T) {
	t.Parallel()
	codec, other := delivery.NewReplies([]byte("one secret")), delivery.NewReplies([]byte("another secret"))
	workspace, message := uuid.New(), uuid.New()
	address := codec.Address("replies@acme.example", workspace, message)
	got, ok := codec.Read(workspace, address)
	require.True(t, ok)
	require.Equal(t, message, got)
	_, ok = codec.Read(uuid.New(), address)
	require.False(t, ok)
	_, ok = other.Read(workspace, address)
	require.False(t, ok)
	for _, wrong := range []string{"replies@acme.example", "replies+@acme.example", "replies+abc@acme.example", address[1+len("replies+"):], "replies+" + address[len("replies+"):len("replies+")+30] + "@acme.example"} {
		_, ok = codec.Read(workspace, wrong)
		require.False(t, ok, wrong)
	}
	local := address[:bytes.IndexByte([]byte(address), '@')]
	require.LessOrEqual(t, len(local), 64)
}

func TestTheMailboxSaysWhatIsWrongAndKeepsItsPassword(t *testing.T) {
	t.Parallel()
	w, s := setup(t, true), serve(t)
	require.Equal(t, fault.Invalid, fault.CodeOf(w.save(s, "", true)), "a password is needed first")
	require.NoError(t, w.save(s, "wrong", true))
	said, ok, err := w.boxes.Test(t.Context(), w.Workspace)
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, said, "refused the name or password")
	require.NotContains(t, said, "wrong")
	w.look()
	require.Equal(t, 1, w.Count("SELECT count(*) FROM mailboxes WHERE last_error <> '' AND next_check_at > $1", w.machine.now.Add(9*time.Minute)), "it is left alone for a while")
	require.NoError(t, w.save(s, "secret word", true))
	require.NoError(t, w.save(s, "", false), "what is not entered stays")
	said, ok, err = w.boxes.Test(t.Context(), w.Workspace)
	require.NoError(t, err)
	require.True(t, ok, said)

	t.Run("AnotherServerNeedsThePasswordAnew", func(t *testing.T) {
		elsewhere := *s
		elsewhere.addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2), Port: s.addr.Port}
		require.Equal(t, fault.Invalid, fault.CodeOf(w.save(&elsewhere, "", true)))
	})
}

func TestSecurity_01_AMailServerInsideTheNetworkIsNotAsked(t *testing.T) {
	t.Parallel()
	w, s := setup(t, false), serve(t)
	require.NoError(t, w.save(s, "secret word", true))
	said, ok, err := w.boxes.Test(context.Background(), w.Workspace)
	require.NoError(t, err)
	require.False(t, ok)
	require.Contains(t, said, "private")
}
