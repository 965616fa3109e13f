package connections

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/engine"
)

// Mail sends a notice of a workspace by e-mail. The same id is sent once.
type Mail func(ctx context.Context, workspace, id uuid.UUID, to, subject, text string) error

const (
	maxSubject  = 78
	maxTelegram = 4096 // characters of one message
)

// Notify makes the caller of notify_team steps.
func (c *Connections) Notify(mail Mail) calls.Outside {
	return func(ctx context.Context, call calls.Request) (calls.Answer, error) {
		var notice engine.Notice
		if err := call.Read(&notice); err != nil {
			return calls.Answer{}, err
		}
		answer := calls.Answer{Why: map[string]any{"told": notice.Via}}
		switch notice.Via {
		case engine.NotifySlack:
			return answer, c.slack(ctx, call, notice)
		case engine.NotifyTelegram:
			return answer, c.telegram(ctx, call, notice)
		default:
			to, err := c.mail(ctx, call, notice, mail)
			answer.Why["to"] = to
			return answer, err
		}
	}
}

// mail tells everybody asked for. Whoever has got the notice in an earlier attempt gets it no second time.
func (c *Connections) mail(ctx context.Context, call calls.Request, notice engine.Notice, mail Mail) (int, error) {
	to := notice.To
	if len(to) == 0 {
		var err error
		if to, err = store.Q.TeamEmails(ctx, c.DB, call.Workspace); err != nil {
			return 0, fmt.Errorf("read the team's addresses: %w", err)
		}
	}
	var errs []error
	for _, address := range to {
		id := uuid.NewSHA1(call.Run, []byte(call.Key+" "+address))
		if err := mail(ctx, call.Workspace, id, address, subject(notice.Text), notice.Text); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", address, err))
		}
	}
	return len(to) - len(errs), errors.Join(errs...)
}

// subject is the first line of a notice.
func subject(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	line = strings.TrimSpace(line)
	if utf8.RuneCountInString(line) <= maxSubject {
		return line
	}
	return string([]rune(line)[:maxSubject-1]) + "…"
}

// Characters that Slack's markup gives a meaning to.
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (c *Connections) slack(ctx context.Context, call calls.Request, notice engine.Notice) error {
	_, hidden, err := c.named(ctx, call.Workspace, notice.Connection, Slack)
	if err != nil {
		return err
	}
	return c.tellSlack(ctx, hidden.Token, notice.Text)
}

func (c *Connections) tellSlack(ctx context.Context, webhook, text string) error {
	body, err := json.Marshal(map[string]string{"text": slackText.Replace(text)})
	if err != nil {
		return fmt.Errorf("write a notice: %w", err)
	}
	answer, err := c.ask(ctx, outgoing.Request{Method: "POST", URL: webhook, Header: jsonBody(), Body: body})
	if word := strings.TrimSpace(string(answer.Body)); err != nil && answer.Status != 0 && slackWord(word) {
		return refusal(answer, fmt.Errorf("Slack answered %d %s", answer.Status, word)) //nolint:staticcheck // a name
	}
	return err
}

// slackWord tells the short words Slack refuses with, such as no_service.
func slackWord(text string) bool {
	return text != "" && len(text) < 60 && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz_") == ""
}

func jsonBody() http.Header { return http.Header{"Content-Type": {"application/json"}} }

func (c *Connections) telegram(ctx context.Context, call calls.Request, notice engine.Notice) error {
	row, hidden, err := c.named(ctx, call.Workspace, notice.Connection, Telegram)
	if err != nil {
		return err
	}
	return c.tellTelegram(ctx, row, hidden, notice.Text)
}

func (c *Connections) tellTelegram(ctx context.Context, row store.Connection, hidden secrets, text string) error {
	shown, err := show(row)
	if err != nil {
		return err
	}
	if runes := []rune(text); len(runes) > maxTelegram {
		text = string(runes[:maxTelegram-1]) + "…"
	}
	body, err := json.Marshal(map[string]any{"chat_id": shown.Chat, "text": text})
	if err != nil {
		return fmt.Errorf("write a notice: %w", err)
	}
	answer, err := c.ask(ctx, outgoing.Request{Method: "POST", URL: base(row) + "/bot" + hidden.Token + "/sendMessage", Header: jsonBody(), Body: body})
	if answer.Status == 0 {
		return err
	}
	var said struct {
		OK          bool   `json:"ok"`
		Description string `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if json.Unmarshal(answer.Body, &said) != nil || said.OK && err == nil {
		return err
	}
	err = fmt.Errorf("Telegram answered %d %s", answer.Status, said.Description) //nolint:staticcheck // a name
	if said.Parameters.RetryAfter > 0 {
		return calls.After(err, time.Duration(said.Parameters.RetryAfter)*time.Second)
	}
	return refusal(answer, err)
}
