// Package api is the HTTP face of Lejek. openapi.yaml is the contract: types, routes, permissions and body limits are read from it,
// never restated. A handler decodes nothing by hand, calls one domain package and maps the answer; it returns a value or an error, and
// one place turns errors into problem+json.
//
//	request ─▶ id, log, recover, headers ─▶ body limit, depth ─▶ who (session or token) ─▶ may (x-permission) ─▶ once (Idempotency-Key) ─▶ handler
//
// A route without x-permission or x-public does not start: the server refuses to be built.
package api
