// Package cli is the command line: one file per command, each registered in the table that Main reads. Commands parse
// arguments, call the packages that know, and print; they hold no logic of their own.
//
// Every command that prints data knows --json. Exit codes: 0 done, 1 problems found or work failed, 2 wrong usage.
package cli
