// Package stripe speaks with Stripe on a workspace's own account: it makes pages to pay on, and reads what Stripe reports.
//
// A page is a Payment Link of one Price, both made with an idempotency key of the call they belong to, so a repeated call finds the same
// page. The amount is in the Price, on Stripe's side: whoever opens the link cannot change it. A link takes one payment and then closes.
package stripe
