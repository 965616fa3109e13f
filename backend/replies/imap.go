package replies

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// The bounds of one look into a mailbox.
const (
	lookLimit = 60 * time.Second
	maxMails  = 200       // of one look: the rest is for the next one
	maxSize   = 256 << 10 // bytes of one mail: its head and text
	reread    = 200       // mails that are looked at again when a mailbox was numbered anew
)

// Dial opens a connection to a mail server that people of a workspace name.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// account is how to get into a mailbox.
type account struct {
	host               string
	port               int
	security           string
	username, password string
	folder             string
}

// session is an open mailbox.
type session struct {
	client         *imapclient.Client
	validity, next uint32
	messages       uint32
}

// open signs in and selects the folder, for reading only. Its errors are for people and hold no password.
func (a account) open(ctx context.Context, dial Dial, roots *tls.Config) (*session, error) {
	conn, err := dial(ctx, "tcp", net.JoinHostPort(a.host, strconv.Itoa(a.port)))
	if err != nil {
		return nil, fmt.Errorf("the mail server could not be reached: %w", err)
	}
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, errors.Join(fmt.Errorf("bound a connection: %w", err), conn.Close())
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: a.host}
	if roots != nil {
		config.RootCAs = roots.RootCAs
	}
	var client *imapclient.Client
	switch a.security {
	case "tls":
		client = imapclient.New(tls.Client(conn, config), nil)
	case "starttls":
		if client, err = imapclient.NewStartTLS(conn, &imapclient.Options{TLSConfig: config}); err != nil {
			return nil, errors.Join(fmt.Errorf("the mail server did not begin to encrypt: %w", err), conn.Close())
		}
	default:
		client = imapclient.New(conn, nil)
	}
	if err := client.WaitGreeting(); err != nil {
		return nil, errors.Join(fmt.Errorf("the mail server did not greet: %w", err), client.Close())
	}
	if err := client.Login(a.username, a.password).Wait(); err != nil {
		return nil, errors.Join(fmt.Errorf("the mail server refused the name or password: %w", err), client.Close())
	}
	selected, err := client.Select(a.folder, &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("there is no folder %q: %w", a.folder, err), client.Close())
	}
	return &session{client: client, validity: selected.UIDValidity, next: uint32(selected.UIDNext), messages: selected.NumMessages}, nil
}

func (s *session) close() {
	_ = s.client.Logout().Wait() // a server that does not say goodbye changes nothing
	_ = s.client.Close()
}

// found is a mail as it lies in the mailbox.
type found struct {
	uid uint32
	raw []byte
	at  time.Time // it arrived
}

// after reads the mails behind a number, oldest first, at most maxMails of them.
func (s *session) after(last uint32) ([]found, error) {
	if s.messages == 0 || s.next != 0 && last+1 >= s.next {
		return nil, nil
	}
	set := imap.UIDSet{imap.UIDRange{Start: imap.UID(last + 1), Stop: 0}}
	list, err := s.client.UIDSearch(&imap.SearchCriteria{UID: []imap.UIDSet{set}}, nil).Wait()
	if err != nil {
		return nil, fmt.Errorf("look for new mail: %w", err)
	}
	var wanted imap.UIDSet
	count := 0
	for _, uid := range list.AllUIDs() {
		if uint32(uid) > last && count < maxMails { // a server answers the last mail when there is none behind the number
			wanted.AddNum(uid)
			count++
		}
	}
	if count == 0 {
		return nil, nil
	}
	section := &imap.FetchItemBodySection{Peek: true, Partial: &imap.SectionPartial{Offset: 0, Size: maxSize}}
	mails, err := s.client.Fetch(wanted, &imap.FetchOptions{UID: true, InternalDate: true, BodySection: []*imap.FetchItemBodySection{section}}).Collect()
	if err != nil {
		return nil, fmt.Errorf("read new mail: %w", err)
	}
	all := make([]found, 0, len(mails))
	for _, m := range mails {
		one := found{uid: uint32(m.UID), at: m.InternalDate.UTC()}
		if len(m.BodySection) > 0 {
			one.raw = m.BodySection[0].Bytes
		}
		all = append(all, one)
	}
	return all, nil
}
