// Package bench measures Lejek by its own production code and prints numbers that can be compared between machines: ratios and
// latencies taken in one run, on a Postgres of its own with default durability.
//
//	engine    advances a second against the bare loop of bare_loop.sql, and how late 20,000 runs due at one instant are
//	lateness  how late runs are when a steady stream of them becomes due
//	waiting   what a million runs cost that only wait: the query for due ones, the worker's memory
//	ingest    events a second over HTTP, and how long a single one takes meanwhile
//	replay    real purchases through HTTP and a separate worker, with kill -9, exactly once
//	segment   the same purchases kept in segments, and rehearsed
//	audience  counts and sweeps over a million people
//	e2e       from API event to accepted by an SMTP server, idle and under load
//	send      mails a second of a campaign, unsigned and signed, and what two kill -9 do to one
//	limits    limits of an account that several workers share, and what is urgent while a campaign waits
//
// The instant at which a row was committed is asked of Postgres (track_commit_timestamp), so that measuring adds no code to
// what is measured.
package bench
