// Package payments keeps what people paid, as their providers tell it: the customer's own shop by the API, Stripe by webhooks.
//
// A payment is named by its provider and the provider's id. Reports of it may come twice, late and in any order; its state only ever
// rises:
//
//	created ──▶ paid ──▶ refunded
//
// and after the same reports, in whatever order, it is the same payment. A refund implies the payment before it. So each payment fires
// `payment_made` once, and `payment_refunded` once for every rise of the refunded sum. Where a refund is the first thing we hear, the
// payment before it is history: it counts in rules and sums, but starts nothing.
package payments
