// Package kindtest holds a test per node kind and trigger kind through the HTTP API: TestKind_<kind>_Works shows what the kind does to
// people, outside our own tables where there is an outside (the bytes a mail server took, the request a fake received); _Fails what
// happens when that goes wrong; _Refused what the validator says to a wrong setting at publishing. `make mutate-kinds` empties each kind
// in turn and expects its tests to fail.
//
// The tests share World: the whole application behind a real HTTP server, on a database of its own under the manual clock, with
// the pumps driven by hand.
package kindtest
