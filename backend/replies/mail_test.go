package replies_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/replies"
)

func mail(lines ...string) []byte { return []byte(strings.Join(lines, "\r\n")) }

func TestWhatMachinesAnswerIsNoReply(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"AutoSubmitted": "Auto-Submitted: auto-replied", "Precedence": "Precedence: bulk", "MailingList": "List-Id: <x.example>", "Daemon": "From: MAILER-DAEMON@example.com",
		"NoReply": "From: no-reply@example.com", "OutOfOffice": "Subject: Out of Office: Re: Hello", "Polish": "Subject: Automatyczna odpowiedź: Hej",
		"Russian": "Subject: =?utf-8?B?0JDQstGC0L7QvtGC0LLQtdGC?=", "German": "Subject: Automatische Antwort: Hallo", "Exchange": "X-Auto-Response-Suppress: All\r\nSubject: Out of office",
		"ReturnPath": "Return-Path: <>",
	} {
		got := replies.Parse(mail("Message-Id: <1@x>", head, "", "I am away."))
		require.Equal(t, replies.Auto, got.Kind, name)
		require.NotEmpty(t, got.Reason, name)
	}
	for _, head := range []string{"Auto-Submitted: no", "Subject: Re: my automatic door", "From: Bob <bob@example.com>"} {
		require.Equal(t, replies.Reply, replies.Parse(mail(head, "", "Hello")).Kind, head)
	}
}

func TestTheTextOfAReplyIsWhatThePersonWrote(t *testing.T) {
	t.Parallel()
	for want, body := range map[string]string{
		"Yes, please!":      "Yes, please!\r\n\r\nOn Mon, 30 Nov 2026 at 10:00, Acme <hello@acme.example> wrote:\r\n> Would you like it?\r\n",
		"Chętnie":           "Chętnie\r\n\r\nW dniu 30.11.2026 o 10:00, Acme pisze:\r\n> Hej\r\n",
		"Да":                "Да\r\n\r\n30.11.2026, 10:00, Acme пишет:\r\n> Привет\r\n",
		"No\n\nnever again": "No\r\n\r\nnever again\r\n-- \r\nBob\r\n",
		"Top":               "Top\r\n-----Original Message-----\r\nFrom: x\r\n",
	} {
		require.Equal(t, want, replies.Parse(mail("Content-Type: text/plain; charset=utf-8", "", body)).Text)
	}
	alternative := mail("Content-Type: multipart/alternative; boundary=b", "", "--b", "Content-Type: text/html", "", "<p>Rich</p>", "--b", "Content-Type: text/plain", "", "Plain", "--b--", "")
	require.Equal(t, "Plain", replies.Parse(alternative).Text)
	html := mail("Content-Type: text/html", "", "<style>p{}</style><p>Only&nbsp;rich</p><blockquote>old</blockquote>")
	require.Contains(t, replies.Parse(html).Text, "rich")
	require.NotContains(t, replies.Parse(html).Text, "old")
	require.Equal(t, "Привет", replies.Parse(append(mail("Content-Type: text/plain; charset=windows-1251", "", ""), 0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2)).Text)
}

func TestADeliveryReportTellsWhichMessageCameBackAndWhetherForGood(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("0193a1b2-0000-7000-8000-000000000001")
	report := func(action, status string) replies.Mail {
		return replies.Parse(mail("From: Mail Delivery System <MAILER-DAEMON@mx.example>", "Content-Type: multipart/report; report-type=delivery-status; boundary=b", "",
			"--b", "Content-Type: text/plain", "", "Sorry.", "--b", "Content-Type: message/delivery-status", "", "Reporting-MTA: dns; mx.example", "",
			"Final-Recipient: rfc822; anna@example.com", "Action: "+action, "Status: "+status, "--b", "Content-Type: text/rfc822-headers", "",
			"Message-ID: <"+id.String()+"@acme.example>", "Subject: Hello", "--b--", ""))
	}
	for status, soft := range map[string]bool{"5.1.1": false, "5.1.10": false, "5.2.1": false, "5.2.2": true, "5.7.1": true, "4.4.7": true} {
		got := report("failed", status)
		require.Equal(t, replies.Bounce, got.Kind, status)
		require.Equal(t, soft, got.Soft, status)
		require.Equal(t, []uuid.UUID{id}, got.Refers)
	}
	require.Equal(t, replies.Other, report("delayed", "4.4.1").Kind, "it is still being tried")
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--"))
	f.Add([]byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := replies.Parse(raw)
		require.Contains(t, []string{replies.Reply, replies.Auto, replies.Bounce, replies.Other}, got.Kind)
		require.LessOrEqual(t, len(got.Text), 4000)
	})
}
