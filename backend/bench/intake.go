package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// apiEvent is an event as a customer's application writes it.
type apiEvent struct {
	Name       string         `json:"name"`
	ID         string         `json:"id,omitempty"`
	At         *time.Time     `json:"at,omitempty"`
	Contact    apiContact     `json:"contact"`
	Properties map[string]any `json:"properties,omitempty"`
}

type apiContact struct {
	ExternalID string       `json:"external_id,omitempty"`
	Email      string       `json:"email,omitempty"`
	Consents   []apiConsent `json:"consents,omitempty"`
}

type apiConsent struct {
	Channel string `json:"channel"`
	State   string `json:"state"`
	Source  string `json:"source"`
}

// granted is the consent of somebody who agreed to mails.
func granted() []apiConsent {
	return []apiConsent{{Channel: "email", State: "granted", Source: "checkout"}}
}

// intake sends events to a server over HTTP.
type intake struct {
	client *http.Client
	url    string
	token  string
}

func (in *installation) intake(connections int) *intake {
	return &intake{
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}},
		url:    in.url + "/api/v1/events", token: in.token,
	}
}

// answers counts what became of events.
type answers struct{ accepted, duplicate int }

// send hands in up to a thousand events. An event that is rejected is an error: those of a bench are sound.
func (i *intake) send(ctx context.Context, events []apiEvent) (sum answers, err error) {
	body, err := json.Marshal(map[string]any{"events": events})
	if err != nil {
		return sum, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.url, bytes.NewReader(body))
	if err != nil {
		return sum, err
	}
	request.Header.Set("Authorization", "Bearer "+i.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := i.client.Do(request)
	if err != nil {
		return sum, fmt.Errorf("send events: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // what matters was read
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return sum, fmt.Errorf("send events: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return sum, fmt.Errorf("send events: the server answered %s: %s", answer.Status, raw)
	}
	var said struct {
		Results []struct {
			Status string `json:"status"`
			Reason string `json:"reason"`
		} `json:"results"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return sum, fmt.Errorf("send events: %w", err)
	}
	if len(said.Results) != len(events) {
		return sum, fmt.Errorf("the server answered for %d of %d events", len(said.Results), len(events))
	}
	for n, event := range events {
		result := said.Results[n]
		switch result.Status {
		case "accepted":
			sum.accepted++
		case "duplicate":
			sum.duplicate++
		default:
			return sum, fmt.Errorf("the server rejected an event of %s: %s", event.Contact.ExternalID, result.Reason)
		}
	}
	return sum, nil
}
