// Package kindtest holds, for every kind of the catalogue, tests through the public API of the whole product: that it does what it says,
// as seen from outside Lejek where it reaches that far, what comes of a failure, and what publishing refuses. A kind has one file,
// `<kind>_test.go`, with TestKind_<kind>_Works, _Fails and _Refused; they share the World of world_test.go.
package kindtest
