package engine

import (
	"fmt"
	"strings"
)

// EventPaymentMade is the event of a payment that was paid.
const EventPaymentMade = "payment_made"

const (
	propAmount   = "amount"
	propCurrency = "currency"
)

// paymentMadeConfig narrows payments by amount and currency.
type paymentMadeConfig struct {
	Amount   *numberTest `json:"amount"`
	Currency string      `json:"currency"`
}

var _ = DefineTrigger(TriggerSpec[paymentMadeConfig]{
	Kind: Kind{
		Kind: "payment_made", Family: FamilyTrigger, Order: 9,
		Title:   "A payment is made",
		Purpose: "Somebody pays: on a payment page of a funnel, or in your own shop that reports it.",
		Synonyms: []string{"payment", "paid", "order", "stripe", "płatność", "zapłata", "opłacone", "zamówienie",
			"оплата", "платёж", "оплачено", "заказ"},
		Fields: []Field{
			{Key: "amount", Type: TypeCompare, Label: "Amount", Help: "Empty: any amount."},
			{Key: "currency", Type: TypeText, Label: "Currency", Max: new(3.0), Help: "Three letters, such as EUR. Empty: any."},
		},
		Ports: []PortSpec{},
	},
	Event: func(c paymentMadeConfig) TriggerEvent {
		usual := map[string]any{propAmount: 100.0}
		if c.Amount != nil {
			usual[propAmount] = c.Amount.example()
		}
		if c.Currency != "" {
			usual[propCurrency] = strings.ToUpper(c.Currency)
		}
		return TriggerEvent{Name: EventPaymentMade, Props: internalEvents[EventPaymentMade], Open: false, Usual: usual}
	},
	Matches: func(c paymentMadeConfig, m *Moment) bool {
		amount, ok := m.Signal.Props[propAmount].(float64)
		if c.Amount != nil && (!ok || !c.Amount.holds(amount)) {
			return false
		}
		return c.Currency == "" || strings.EqualFold(m.signalProp(propCurrency), c.Currency)
	},
	Check: func(c paymentMadeConfig, k *Checker) {
		if c.Currency != "" && !currencyPattern.MatchString(c.Currency) {
			k.Invalid("currency", fmt.Sprintf("%s is no currency. Enter its three letters, such as EUR.", quote(c.Currency))).with("value", c.Currency)
		}
	},
})
