package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/lejek/lejek/backend/app"
	"github.com/lejek/lejek/backend/events"
	"github.com/lejek/lejek/engine"
)

var _ = register(Command{
	Name: "import", Args: "contacts|events FILE", Order: 30,
	Summary: "Read contacts or events from a CSV file",
	Run:     runImport,
})

func runImport(ctx context.Context, call *Call) error {
	asJSON := call.Flags.Bool("json", false, "print the report as JSON")
	workspace := call.Flags.String("workspace", "", "slug of the workspace; not needed where there is one")
	live := call.Flags.Bool("live", false, "let funnels start, wake and end; else an import only counts")
	var options events.ImportOptions
	call.Flags.StringVar(&options.Contact, "contact", "email", "events: column that says whose event it is, by address or external id")
	call.Flags.StringVar(&options.At, "at", "at", "events: column with the time")
	call.Flags.StringVar(&options.Name, "name", "", "events: name of the events, such as purchase")
	call.Flags.StringVar(&options.ID, "id", "", "events: column with an id; else a row is known by its content")
	contacts := contactFlags(call)
	rest, err := call.Parse()
	if err != nil {
		return err
	}
	if len(rest) != 2 || rest[0] != "contacts" && rest[0] != "events" {
		return Usage("say import contacts FILE or import events FILE")
	}
	if rest[0] == "events" && options.Name == "" {
		return Usage("say what happened with --name, such as --name purchase")
	}
	file, err := os.Open(rest[1])
	if err != nil {
		return fmt.Errorf("open the file: %w", err)
	}
	defer file.Close()
	return withApp(ctx, call, func(lejek *app.App) error {
		house, err := theWorkspace(ctx, lejek.Pool, *workspace)
		if err != nil {
			return err
		}
		if rest[0] == "contacts" {
			contacts.Live, contacts.Name = *live, filepath.Base(rest[1])
			return importContacts(ctx, call, lejek.Worker.People, house.ID, file, *contacts, *asJSON)
		}
		options.Live, options.Zone = *live, engine.ZoneOf(house.Zone)
		report, err := lejek.Worker.Reactor.Import(ctx, lejek.Pool, lejek.Clock, house.ID, file, options,
			func(r events.ImportReport) { fmt.Fprintf(call.Stderr, "\r%d rows", r.Rows) })
		fmt.Fprintln(call.Stderr)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(call.Stdout).Encode(report)
		}
		fmt.Fprintf(call.Stdout, "%d rows: %d events taken, %d were here before, %d rejected.\n", report.Rows, report.Accepted, report.Duplicates, report.Rejected)
		for _, bad := range report.Errors {
			fmt.Fprintf(call.Stdout, "line %d: %s\n", bad.Line, bad.Message)
		}
		return foundIf(report.Rejected > 0)
	})
}

// foundIf is exit code 1 for work that was done and met problems.
func foundIf(problems bool) error {
	if problems {
		return ErrFound
	}
	return nil
}
