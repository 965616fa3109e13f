// Package auth knows who may come in and what they may do.
//
//	person ── e-mail, password ──▶ session (cookie) ──▶ user ── member of a workspace ──▶ role  ──▶ permissions
//	program ─ lk_live_..., lk_pub_... ─▶ token, bound to one workspace ────────────────▶ scopes ──▶ permissions
//
// A permission is a word such as "funnels.publish"; routes name the one they need. Roles and scopes are sets of permissions, listed in
// role.go and scope.go and nowhere else; what is not listed is not allowed.
//
// Secrets are 32 random bytes, kept as SHA-256; passwords are argon2id, hashed by few at a time, because each takes 19 MiB. Sign-in
// answers an unknown address and a wrong password alike, in words and in time, and is throttled by account and by address. A new password
// ends every session. All instants are machine time.
package auth
