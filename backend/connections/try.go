package connections

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/outgoing"
	"github.com/lejek/lejek/backend/store"
)

// trial is what a team reads when somebody tests a connection.
const trial = "This is a test from Lejek. Notices of your funnels will arrive here."

// Test asks the service something harmless and says in a sentence what it answered, or why that did not work.
func (c *Connections) Test(ctx context.Context, workspace, id uuid.UUID) (said string, ok bool, err error) {
	said, refused, err := c.try(ctx, workspace, id)
	if err != nil || refused == nil {
		return said, err == nil, err
	}
	return sentence(strings.TrimSuffix(calls.Said(refused), ".")) + ".", false, nil
}

func (c *Connections) try(ctx context.Context, workspace, id uuid.UUID) (said string, refused, err error) {
	row, err := store.Q.Connection(ctx, c.DB, store.ConnectionParams{WorkspaceID: workspace, ID: id})
	if err != nil {
		return "", nil, missing(err)
	}
	hidden, err := c.open(row)
	if err != nil {
		return "", err, nil
	}
	switch row.Kind {
	case Slack:
		return "Look into the channel: a test message should be there.", c.tellSlack(ctx, hidden.Token, trial), nil
	case Telegram:
		return "Look into the chat: a test message should be there.", c.tellTelegram(ctx, row, hidden, trial), nil
	case Stripe:
		return "The key works.", c.stripe(row, hidden).Check(ctx), nil
	}
	header := http.Header{}
	for name, value := range hidden.Headers {
		header.Set(name, value)
	}
	answer, failed := c.Client.Do(ctx, outgoing.Request{Method: "GET", URL: row.BaseURL, Header: header})
	if failed != nil {
		return "", failed, nil
	}
	words := fmt.Sprintf("It answered %d %s.", answer.Status, http.StatusText(answer.Status))
	switch {
	case answer.Status == http.StatusUnauthorized, answer.Status == http.StatusForbidden:
		return "", errors.New(words + " Look at the keys"), nil
	case answer.Status >= 500:
		return "", errors.New(words), nil
	}
	return words, nil, nil
}
