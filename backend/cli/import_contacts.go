package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"

	"github.com/lejek/lejek/backend/fault"
	"github.com/lejek/lejek/backend/people"
)

// contactFlags are the flags of `import contacts`.
func contactFlags(call *Call) *people.ImportOptions {
	options := &people.ImportOptions{Map: map[string]string{}}
	call.Flags.StringVar(&options.Consent, "consent", "", "contacts: granted if they agreed to get e-mail")
	call.Flags.StringVar(&options.Encoding, "encoding", "", "contacts: utf-8, utf-16le, utf-16be, windows-1250 or windows-1251, if it is not found by itself")
	call.Flags.StringVar(&options.Separator, "separator", "", "contacts: what stands between values, if it is not found by itself")
	call.Flags.Func("map", "contacts: `COLUMN=FIELD`, such as customer_id=external_id, or COLUMN=- to leave it out; may be repeated", func(text string) error {
		column, field, ok := strings.Cut(text, "=")
		if !ok || column == "" || field == "" {
			return errors.New("write it like customer_id=external_id")
		}
		options.Map[column] = field
		return nil
	})
	call.Flags.Func("list", "contacts: slug of a `LIST` all of them join; may be repeated", func(text string) error {
		options.Lists = append(options.Lists, text)
		return nil
	})
	call.Flags.Func("tag", "contacts: slug of a `TAG` all of them get; may be repeated", func(text string) error {
		options.Tags = append(options.Tags, text)
		return nil
	})
	return options
}

func importContacts(ctx context.Context, call *Call, all *people.People, workspace uuid.UUID, file io.Reader, options people.ImportOptions, asJSON bool) error {
	report, err := all.ImportNow(ctx, workspace, file, options, func(r people.ImportReport, _ int64) { fmt.Fprintf(call.Stderr, "\r%d rows", r.Rows) })
	fmt.Fprintln(call.Stderr)
	if refused, ok := errors.AsType[*fault.Error](err); ok {
		for _, field := range refused.Fields {
			fmt.Fprintln(call.Stderr, field.Message)
		}
	}
	if err != nil {
		return err
	}
	if asJSON {
		if err := json.NewEncoder(call.Stdout).Encode(report); err != nil {
			return fmt.Errorf("print the report: %w", err)
		}
		return foundIf(report.Failed > 0)
	}
	fmt.Fprintf(call.Stdout, "%d rows: %d created, %d updated, %d unchanged, %d failed.\n", report.Rows, report.Created, report.Updated, report.Unchanged, report.Failed)
	if len(report.Ignored) > 0 {
		fmt.Fprintf(call.Stdout, "Left out, for no field is called so: %s. Take one in with --map COLUMN=FIELD.\n", strings.Join(report.Ignored, ", "))
	}
	for _, bad := range report.Errors {
		if bad.Column != "" {
			fmt.Fprintf(call.Stdout, "line %d, %s: %s\n", bad.Line, bad.Column, bad.Message)
			continue
		}
		fmt.Fprintf(call.Stdout, "line %d: %s\n", bad.Line, bad.Message)
	}
	return foundIf(report.Failed > 0)
}
