package mailwire_test

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/lejek/lejek/backend/mailwire"
)

var letter = mailwire.Message{
	Headers: []mailwire.Header{
		{Name: "From", Value: `"Acme" <hello@acme.example>`}, {Name: "To", Value: "<anna@example.com>"}, {Name: "Date", Value: "Mon, 23 Mar 2026 09:00:00 +0000"}, {Name: "Message-ID", Value: "<1@acme.example>"},
		{Name: "List-Unsubscribe", Value: "<https://lejek.example/u/" + strings.Repeat("a", 120) + ">"}, {Name: "List-Unsubscribe-Post", Value: "List-Unsubscribe=One-Click"},
	},
	Subject: "Zażółć gęślą jaźń, и ещё немного слов, чтобы строка была длинной",
	HTML:    "<p>Zażółć =20 " + strings.Repeat("long ", 300) + "</p>\n.\n..x \t\n", Text: "Cześć \r\n.\nkoniec ",
}

// parts are what a mail says, as a mail program reads it.
func parts(t require.TestingT, raw []byte) (subject, text, html string) {
	parsed, err := mail.ReadMessage(bytes.NewReader(raw))
	require.NoError(t, err)
	subject, err = new(mime.WordDecoder).DecodeHeader(parsed.Header.Get("Subject"))
	require.NoError(t, err)
	_, params, err := mime.ParseMediaType(parsed.Header.Get("Content-Type"))
	require.NoError(t, err)
	reader := multipart.NewReader(parsed.Body, params["boundary"])
	var bodies []string
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		bodies = append(bodies, string(body))
	}
	require.Len(t, bodies, 2)
	return subject, bodies[0], bodies[1]
}

func crlf(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\r\n")
}

func TestAMailIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	raw := letter.Encode()
	subject, text, html := parts(t, raw)
	require.Equal(t, letter.Subject, subject)
	require.Equal(t, crlf(letter.Text), text)
	require.Equal(t, crlf(letter.HTML), html)
	for line := range bytes.SplitSeq(raw, []byte("\r\n")) {
		require.LessOrEqual(t, len(line), 200)
		require.NotContains(t, string(line), "\n")
	}
	require.Equal(t, raw, letter.Encode(), "the same bytes each time")
}

func TestAnyTextSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := letter
		// A lone CR is no line break of ours.
		m.HTML = "x" + rapid.String().Filter(func(s string) bool { return !strings.Contains(strings.ReplaceAll(s, "\r\n", ""), "\r") }).Draw(t, "html")
		m.Text = "x" + rapid.StringMatching(`[ -~\n\tż.=]{0,200}`).Draw(t, "text")
		_, text, html := parts(t, m.Encode())
		require.Equal(t, crlf(m.Text), text)
		require.Equal(t, crlf(m.HTML), html)
	})
}

func TestSecurity_27_ASignatureIsVerifiedByOthersAndCoversTheWaysOut(t *testing.T) {
	t.Parallel()
	der, public, err := mailwire.GenerateKey()
	require.NoError(t, err)
	signer, err := mailwire.NewSigner("acme.example", "lejek", der)
	require.NoError(t, err)
	signed, err := signer.Sign(letter.Encode())
	require.NoError(t, err)
	again, err := signer.Sign(letter.Encode())
	require.NoError(t, err)
	require.Equal(t, signed, again)
	look := &dkim.VerifyOptions{LookupTXT: func(name string) ([]string, error) {
		require.Equal(t, "lejek._domainkey.acme.example", name)
		return []string{"v=DKIM1; k=rsa; p=" + public}, nil
	}}
	verify := func(mail []byte) error {
		found, err := dkim.VerifyWithOptions(bytes.NewReader(mail), look)
		require.NoError(t, err)
		require.Len(t, found, 1)
		require.Contains(t, found[0].HeaderKeys, "list-unsubscribe")
		require.Contains(t, found[0].HeaderKeys, "list-unsubscribe-post")
		return found[0].Err
	}
	require.NoError(t, verify(signed))
	for name, change := range map[string][2]string{
		"body": {"long", "wrong"}, "subject": {"Subject: ", "Subject: a"}, "way out": {"/u/aaa", "/u/bbb"}, "a second From": {"From: ", "From: <evil@example.com>\r\nFrom: "},
		"a second To": {"To: ", "To: <evil@example.com>\r\nTo: "}, "a second Subject": {"Subject: ", "Subject: evil\r\nSubject: "}, "a second Date": {"Date: ", "Date: Mon, 23 Mar 2020 09:00:00 +0000\r\nDate: "},
		"another recipient": {"<anna@example.com>", "<evil@example.com>"}, "no one click": {"List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n", ""}, "a cut body": {"koniec", ""},
	} {
		require.Error(t, verify(bytes.Replace(signed, []byte(change[0]), []byte(change[1]), 1)), name)
	}
	_, err = signer.Sign([]byte("no mail"))
	require.ErrorIs(t, err, mailwire.ErrNoHead)
}

func TestSecurity_13_NoValueBeginsAnotherHeader(t *testing.T) {
	t.Parallel()
	names := func(m mailwire.Message) (names []string) {
		parsed, err := mail.ReadMessage(bytes.NewReader(m.Encode()))
		require.NoError(t, err)
		for name, values := range parsed.Header {
			for range values {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	base := letter
	base.Headers = append(slices.Clone(letter.Headers), mailwire.Header{Name: "Reply-To", Value: "<r@acme.example>"}, mailwire.Header{Name: "X-Own", Value: "x"})
	want := names(base)
	for _, evil := range []string{"Hi\r\nBcc: all@example.com", "Hi\nBcc: all@example.com", "Hi\rBcc: all@example.com", "Hi\r\n\r\n<script>", "Hi\x00\r\n\tBcc: x", "\r\nBcc: x"} {
		for i := range base.Headers {
			changed := base
			changed.Headers = slices.Clone(base.Headers)
			changed.Headers[i].Value += evil
			require.Equal(t, want, names(changed), "%q in %s", evil, base.Headers[i].Name)
		}
		changed := base
		changed.Subject = evil
		require.Equal(t, want, names(changed), "%q in the subject", evil)
		subject, text, _ := parts(t, changed.Encode())
		require.Equal(t, evil, subject, "it is read as what it is")
		require.Equal(t, crlf(letter.Text), text)
	}
}

func TestDotsAreDoubledAtTheBeginningOfLinesOnly(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		".a\r\n..b\r\nc.d\r\n": "..a\r\n...b\r\nc.d\r\n.\r\n", "x": "x\r\n.\r\n", ".": "..\r\n.\r\n", "": "\r\n.\r\n", "a\r\n.": "a\r\n..\r\n.\r\n",
	} {
		require.Equal(t, want, string(mailwire.AppendDots(nil, []byte(in))), "%q", in)
	}
}
