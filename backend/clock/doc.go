// Package clock gives Lejek its two kinds of time and is the only place that asks the operating system for the hour.
//
// Business time decides waits, windows, quiet hours, expiry and schedules. Machine time decides leases, heartbeats, rate
// tokens, breakers and backoff; it is always real.
//
// In production business time is Business: the local monotonic clock disciplined to the database's, so that many processes
// agree. In tests, benches and demos it is Manual: one row {now, due} that all processes read. To reach an instant T a
// driver sets now = T, hands in the events of T, then sets due = T; so the events of an instant come before the waits that
// end there.
package clock
