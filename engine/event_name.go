package engine

import (
	"regexp"
	"slices"
)

// Properties every event about a message carries.
const (
	PropRun    = "run"    // the run's id
	PropStep   = "step"   // the node that sent the message
	PropFunnel = "funnel" // the slug of the funnel the node belongs to

	PropCampaign = "campaign" // the slug of the campaign the message belongs to
)

// Events by which segments, dates and schedules are heard of.
const (
	EventSegmentEntered = "segment_entered"
	EventSegmentLeft    = "segment_left"
	EventDateReached    = "date_reached"
	EventScheduleDue    = "schedule_due"
)

// internalEvents are the names Lejek itself gives, source "lejek", each with the properties it carries.
var internalEvents = map[string][]string{
	"contact_created":    {"source"},
	"contact_updated":    {"fields"},
	"list_joined":        {"list"},
	"list_left":          {"list"},
	"tag_added":          {"tag"},
	"tag_removed":        {"tag"},
	"message_sent":       {PropRun, PropStep, PropCampaign},
	"message_delivered":  {PropRun, PropStep, PropCampaign},
	"message_opened":     {PropRun, PropStep, PropFunnel, PropCampaign},
	"link_clicked":       {PropRun, PropStep, PropFunnel, PropCampaign, "url"},
	"message_replied":    {PropRun, PropStep, PropCampaign},
	"message_bounced":    {PropRun, PropStep, PropCampaign},
	"message_complained": {PropRun, PropStep, PropCampaign},
	"unsubscribed":       {"channel", "topic"},
	"consent_changed":    {"channel", "topic", "state"},
	"run_started":        {"funnel"},
	"run_ended":          {"funnel", "reason"},
	"goal_reached":       {"funnel", "goal"},
	EventManualStart:     {},
	EventCallAnswered:    {propCall, propPort},
	EventFormSubmitted:   {propForm, "submission_id"},
	EventPageVisited:     {propURL, "path", "host", "title", "referrer"},
	EventSegmentEntered:  {"segment"},
	EventSegmentLeft:     {"segment"},
	EventBookingMade:     {propResource, "resource_name", "from", "to", "booking_id", "booking_url", "source", "rebooked"},
	"booking_cancelled":  {propResource, "resource_name", "from", "to", "booking_id", "booking_url", "source", "rebooked"},
	EventPaymentMade:     {propAmount, propCurrency, "payment_id", "external_id", "provider", "title"},
	"payment_refunded":   {propAmount, propCurrency, "payment_id", "external_id", "provider", "title"},
	EventDateReached:     {"field"},
	EventScheduleDue:     {"schedule"},
	"funnel_called":      {"funnel"},
}

var eventNamePattern = regexp.MustCompile(`^[a-z][a-z0-9_.]{0,63}$`)

// IsInternalEvent tells the names customers cannot send.
func IsInternalEvent(name string) bool {
	_, known := internalEvents[name]
	return known
}

// IsEventName tells whether an event may have the name.
func IsEventName(name string) bool { return eventNamePattern.MatchString(name) }

// aboutMessages tells the events that carry the step that sent the message.
func aboutMessages(name string) bool {
	return slices.Contains(internalEvents[name], PropStep)
}
