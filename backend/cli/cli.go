package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
)

// The exit codes of every command.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

// Command is one row of the table.
type Command struct {
	Name    string
	Args    string // of the usage line, such as "FILE"
	Summary string // one line
	Order   int    // in the list of commands

	// Run does the work. Its flags are parsed from args by Call.Parse. An error is printed and is exit code 1, a usage
	// error (from Parse or Usage) is exit code 2.
	Run func(ctx context.Context, call *Call) error
}

// table holds the commands; it is filled while the package initialises.
var table []Command

// register adds a command to the table. Each command's file does so once: var _ = register(Command{...}).
func register(c Command) Command { //nolint:unparam // the result makes the call a package variable
	table = append(table, c)
	return c
}

// Call is one invocation of a command.
type Call struct {
	Stdout io.Writer
	Stderr io.Writer
	Flags  *flag.FlagSet
	args   []string
}

// Parse reads the flags, which may stand before and after the other arguments, and gives the latter.
func (c *Call) Parse() ([]string, error) {
	var rest []string
	args := c.args
	for {
		if err := c.Flags.Parse(args); err != nil {
			return nil, usageError{err}
		}
		if c.Flags.NArg() == 0 {
			return rest, nil
		}
		rest = append(rest, c.Flags.Arg(0))
		args = c.Flags.Args()[1:]
	}
}

// Usage is the error of a command that was called wrongly.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

type usageError struct{ error }

// Unwrap lets a call for help be told from a mistake.
func (e usageError) Unwrap() error { return e.error }

// ErrFound is the error of a command that did its work and found problems: exit code 1, and nothing more to print.
var ErrFound = errors.New("problems found")

// Main runs the command that args name and gives the exit code.
func Main(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		printHelp(stdout)
		return exitDone
	}
	at := slices.IndexFunc(table, func(c Command) bool { return c.Name == args[0] })
	if at < 0 {
		fmt.Fprintf(stderr, "There is no command %q. `help` lists them.\n", args[0])
		return exitUsage
	}
	return run(ctx, table[at], args[1:], stdout, stderr)
}

func run(ctx context.Context, command Command, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	err := command.Run(ctx, &Call{Stdout: stdout, Stderr: stderr, Flags: flags, args: args})
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, flag.ErrHelp):
		printUsage(stdout, command, flags)
		return exitDone
	case errors.As(err, new(usageError)):
		fmt.Fprintf(stderr, "%s: %v\n", command.Name, err)
		printUsage(stderr, command, flags)
		return exitUsage
	case errors.Is(err, ErrFound):
		return exitFailed
	default:
		fmt.Fprintf(stderr, "%s: %v\n", command.Name, err)
		return exitFailed
	}
}

func printHelp(out io.Writer) {
	commands := slices.Clone(table)
	slices.SortFunc(commands, func(a, b Command) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Name, b.Name))
	})
	fmt.Fprintln(out, "Lejek: marketing automation by funnels.")
	fmt.Fprintln(out)
	for _, c := range commands {
		fmt.Fprintf(out, "  %-12s %s\n", c.Name, c.Summary)
	}
	fmt.Fprintln(out)
	fmt.Fprintln(out, "`COMMAND -h` tells its flags.")
}

func printUsage(out io.Writer, command Command, flags *flag.FlagSet) {
	fmt.Fprintf(out, "%s\n\nUsage: %s %s [flags]\n", command.Summary, command.Name, command.Args)
	flags.SetOutput(out)
	flags.PrintDefaults()
}
