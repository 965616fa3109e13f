package receipts

import (
	"crypto/hmac"
	"strconv"
	"time"
)

// lobEvent is what Lob tells about a letter.
type lobEvent struct {
	ID        string    `json:"id"`
	DateMade  time.Time `json:"date_created"`
	EventType struct {
		ID string `json:"id"`
	} `json:"event_type"`
	Body struct {
		ID       string         `json:"id"`
		Metadata map[string]any `json:"metadata"`
	} `json:"body"`
}

var lobKinds = map[string]string{
	"letter.delivered": Delivered, "letter.certified.delivered": Delivered, "letter.processed_for_delivery": Delivered, "letter.returned_to_sender": Bounced,
	"letter.rejected": Bounced, "letter.failed": Bounced,
}

// readLob reads a report of Lob: HMAC-SHA256 over time in milliseconds and body.
func readLob(source opened, report Report, now time.Time) ([]Receipt, error) {
	stamp := report.Header.Get("Lob-Signature-Timestamp")
	if source.secret == "" || !hmac.Equal([]byte(report.Header.Get("Lob-Signature")), []byte(hexHMAC(source.secret, stamp+"."+string(report.Body)))) {
		return nil, ErrSignature
	}
	millis, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return nil, ErrSignature
	}
	if err := fresh(time.UnixMilli(millis), now); err != nil {
		return nil, err
	}
	var event lobEvent
	if err := decode(report.Body, &event); err != nil {
		return nil, err
	}
	kind, known := lobKinds[event.EventType.ID]
	if !known || event.ID == "" {
		return nil, nil
	}
	receipt := Receipt{Key: event.ID, Kind: kind, Name: event.Body.ID, At: event.DateMade, Reason: event.EventType.ID, Soft: event.EventType.ID == "letter.failed"}
	if id, ok := event.Body.Metadata[headerMessage].(string); ok {
		receipt.Message = messageOf(id)
	}
	return []Receipt{receipt}, nil
}
