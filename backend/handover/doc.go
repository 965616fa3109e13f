// Package handover remembers, on this machine and outside the database, which messages a process has begun to hand to a provider, and what
// the provider said. A process writes a line before each hand-over and one after it; that costs a few microseconds and survives its
// death by kill -9, and a database that is away.
//
// The next process on the machine finds the files of those that died (their lock is free) and tells what they say:
//
//	begun and answered    the answer counts
//	begun, not answered   nobody knows whether it left
//	not begun             it certainly did not leave: it may be sent
//
// The last conclusion holds only as long as the machine has not been restarted, because lines are not forced to the disk: a file of an
// earlier start of the machine proves nothing, and neither does a file that is not there.
package handover
