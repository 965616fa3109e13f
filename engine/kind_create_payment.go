package engine

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// createPaymentConfig says what is to be paid.
type createPaymentConfig struct {
	Connection string `json:"connection"`
	Amount     string `json:"amount"`
	Currency   string `json:"currency"`
	Title      string `json:"title"`
}

// PaymentRequest is what a create_payment asks for. Amount is a plain decimal number in units of the currency, such as 19.90.
type PaymentRequest struct {
	Connection string `json:"connection,omitempty"` // slug; "" is the workspace's only account
	Amount     string `json:"amount"`
	Currency   string `json:"currency"` // ISO 4217, in capitals
	Title      string `json:"title"`
	Email      string `json:"email,omitempty"`
	Contact    string `json:"contact"`
	Run        string `json:"run"`
	Node       string `json:"node"`
}

// The variables of a payment.
const (
	varPaymentURL = "payment_url"
	varPaymentID  = "payment_id"
)

const paymentPatience = time.Hour

var (
	currencyPattern = regexp.MustCompile(`^[A-Za-z]{3}$`)
	amountPattern   = regexp.MustCompile(`^[0-9]{1,9}([.][0-9]{1,3})?$`)
)

var _ = Define(Spec[createPaymentConfig]{
	Kind: Kind{
		Kind: "create_payment", Family: FamilyAction, Order: 11,
		Title:   "Create a payment",
		Purpose: "Makes a page where the person can pay, on your own Stripe account. Later messages can link to it.",
		Synonyms: []string{"stripe", "checkout", "pay", "invoice", "payment link", "płatność", "zapłać", "link do płatności",
			"оплата", "платёж", "счёт"},
		Fields: []Field{
			{Key: "connection", Type: TypeRef, Of: "connection", Label: "Account", Options: []Option{{Value: "stripe", Label: "Stripe"}},
				Help: "Empty: the workspace's Stripe account."},
			{Key: "amount", Type: TypeMerge, Label: "Amount", Required: true, Max: new(500.0),
				Help: "A number such as 19.90, or a variable. It is fixed when the page is made; nobody can change it."},
			{Key: "currency", Type: TypeText, Label: "Currency", Required: true, Max: new(3.0), Help: "Three letters, such as EUR."},
			{Key: "title", Type: TypeMerge, Label: "What for", Required: true, Max: new(200.0), Help: "The person reads it on the page."},
		},
		Ports: okOrError,
		Vars:  []VarSpec{{Name: varPaymentURL}, {Name: varPaymentID}},
	},
	Check:  createPaymentConfig.check,
	Run:    createPaymentConfig.run,
	Surely: true,
})

func (c createPaymentConfig) check(k *Checker) {
	if !currencyPattern.MatchString(c.Currency) {
		k.Invalid("currency", fmt.Sprintf("%s is no currency. Enter its three letters, such as EUR.", quote(c.Currency))).with("value", c.Currency)
	}
	if !strings.Contains(c.Amount, "{{") {
		if _, err := amountOf(c.Amount); err != nil {
			k.Invalid("amount", err.Error()+".").with("value", c.Amount)
		}
	}
	if workspace := k.bundle.Workspace; workspace != nil && k.content && c.Connection == "" {
		accounts := 0
		for _, connection := range workspace.Connections {
			if connection.Kind == "stripe" {
				accounts++
			}
		}
		switch {
		case accounts == 0:
			k.Error(CodeRefMissing, "connection", "This workspace has no Stripe account. Add one in Settings, Connections.").with("of", "connection").with("name", "stripe")
		case accounts > 1:
			k.Required("connection", "This workspace has several Stripe accounts. Choose one.").with("field", "connection")
		}
	}
}

func (c createPaymentConfig) run(m *Moment) Outcome {
	request, err := c.request(m)
	if err != nil && m.Run.Deadline.IsZero() {
		return leave(PortError, map[string]any{"failed": err.Error()})
	}
	return m.call("create_payment", request, m.Now.Add(paymentPatience), PortError)
}

func (c createPaymentConfig) request(m *Moment) (PaymentRequest, error) {
	scope := m.mergeScope()
	out := PaymentRequest{
		Connection: slugOf(c.Connection), Currency: strings.ToUpper(c.Currency), Contact: m.Contact.ID, Run: m.Run.ID, Node: m.Node,
	}
	out.Email, _ = m.Contact.Fields["email"].(string)
	merge, err := ParseMerge(c.Amount)
	if err != nil {
		return out, err
	}
	amount, err := merge.Value(scope)
	if err != nil {
		return out, err
	}
	if out.Amount, err = amountOf(amount); err != nil {
		return out, err
	}
	out.Title, err = fill(c.Title, scope, ContextHeader)
	return out, err
}

// amountOf writes an amount of money as a plain decimal number. It has to be more than nothing.
func amountOf(value any) (string, error) {
	var text string
	switch v := value.(type) {
	case string:
		text = strings.ReplaceAll(strings.TrimSpace(v), ",", ".")
	case float64:
		text = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		text = fmt.Sprint(v)
	}
	if n, err := strconv.ParseFloat(text, 64); err != nil || n <= 0 || !amountPattern.MatchString(text) {
		return "", fmt.Errorf("%s is no amount of money. Enter a number such as 19.90", quote(text))
	}
	return text, nil
}
