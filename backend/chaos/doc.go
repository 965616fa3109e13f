// Package chaos breaks a running Lejek: real processes, real kill -9, real restarts of Postgres, connections that are cut or fall silent,
// clocks that go wrong. After each fault everybody has got their mail exactly once and the auditor finds nothing. `go test` runs a short
// programme beside all other tests, with bounds that a busy machine can hold; `make chaos` runs the whole one with the real bounds, and
// `make chaos SEED=7` the schedule of a seed.
//
// Each case of the catalogue of faults and where it is tested; D is driven by hand under the manual clock:
//
//	1   kill -9 of one of two workers at any moment, 20 seeds   here
//	2   kill -9 of the only worker, again and again             here
//	3   death after lease, effects, before and after COMMIT     here; delivery's in backend/worker
//	9   Postgres crashes, or is away for long                   here
//	10  connections terminated                                  here
//	11  the network swallows everything                         here
//	12  API while the database is down                          here, backend/api
//	13  River's leader is killed                                here
//	14  LISTEN is cut off                                       here
//	15  an operator removes the pump's jobs                     here
//	16  an operator pauses a queue                              here
//	17  a worker's clock is wrong or jumps                      here, backend/clock
//	18  the database's clock steps back                         here, backend/clock, backend/delivery (rate buckets)
//	30  a run whose version or memory is broken                 backend/runner (D)
//	31  loops, funnels that start each other, huge funnels      backend/runner (D), engine
//	40  deadlocks and serialization failures                    backend/store
//	43  an old snapshot and many fired runs                     here
//	49  a contact changes its address or is merged in flight    backend/runner (D)
//	52  event and timeout at one instant, 1,000 races           backend/runner (D)
//
// What concerns zones and quiet hours, payments, outside calls and bookings is tested where these live.
package chaos
