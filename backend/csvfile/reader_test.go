package csvfile_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/lejek/lejek/backend/csvfile"
	"github.com/lejek/lejek/backend/fault"
)

// all reads a file to its end: rows as lines joined by |, row errors as their text.
func all(t *testing.T, r *csvfile.Reader) (rows []string, end error) {
	t.Helper()
	for {
		row, err := r.Next()
		var bad *csvfile.RowError
		switch {
		case errors.Is(err, io.EOF):
			return rows, nil
		case errors.As(err, &bad):
			rows = append(rows, bad.Error())
		case err != nil:
			return rows, err
		default:
			rows = append(rows, strings.Join(row.Values, "|"))
		}
	}
}

func TestReadsTheEncodingsPeopleHave(t *testing.T) {
	t.Parallel()
	polish := "e-mail,imię\nzażółć@example.com,Łucja Gęśla Jaźń\n"
	russian := "почта,имя\nanna@example.com,Анна Кузнецова\n"
	long := "email,name\n" + strings.Repeat("a@example.com,Zażółć gęślą jaźń\n", 4000)
	utf16 := unicode.UTF16
	for name, test := range map[string]struct {
		text     string
		as       encoding.Encoding
		prefix   string
		detected string
	}{
		"UTF-8":                {polish, encoding.Nop, "", "utf-8"},
		"UTF-8 with a mark":    {polish, encoding.Nop, "\xEF\xBB\xBF", "utf-8"},
		"a rune over the peek": {long, encoding.Nop, "", "utf-8"},
		"UTF-16LE with a mark": {polish, utf16(unicode.LittleEndian, unicode.UseBOM), "", "utf-16le"},
		"UTF-16BE with a mark": {russian, utf16(unicode.BigEndian, unicode.UseBOM), "", "utf-16be"},
		"UTF-16LE without":     {polish, utf16(unicode.LittleEndian, unicode.IgnoreBOM), "", "utf-16le"},
		"UTF-16BE without":     {russian, utf16(unicode.BigEndian, unicode.IgnoreBOM), "", "utf-16be"},
		"Windows-1251":         {russian, charmap.Windows1251, "", "windows-1251"},
		"Windows-1250":         {polish, charmap.Windows1250, "", "windows-1250"},
	} {
		raw, err := test.as.NewEncoder().String(test.text)
		require.NoError(t, err, name)
		r, err := csvfile.Open(strings.NewReader(test.prefix+raw), csvfile.Options{})
		require.NoError(t, err, name)
		require.Equal(t, test.detected, r.Encoding, name)
		lines := strings.Split(strings.TrimSpace(test.text), "\n")
		require.Equal(t, strings.Split(lines[0], ","), r.Header, name)
		rows, err := all(t, r)
		require.NoError(t, err, name)
		require.Len(t, rows, len(lines)-1, name)
		require.Equal(t, strings.ReplaceAll(lines[1], ",", "|"), rows[0], name)
	}
}

func TestReadsSeparatorsQuotesAndLineEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text string
		want []string
	}{
		"semicolons":             {"a;b\r\n1;2,5\r\n", []string{"1|2,5"}},
		"tabs":                   {"a\tb\n1\t2\n", []string{"1|2"}},
		"a quoted separator":     {"\"a;x\",b\n1,2\n", []string{"1|2"}},
		"line breaks in a value": {"a,b\n\"1\n2\",3\n4,5", []string{"1\n2|3", "4|5"}},
		"empty lines":            {"a,b\n\n1,2\n  \n3,4\n", []string{"1|2", "3|4"}},
		"missing last values":    {"a,b,c\n1,2\n", []string{"1|2|"}},
		"empty extra values":     {"a,b\n1,2,,\n", []string{"1|2"}},
		"one column":             {"email\na@b.c\n", []string{"a@b.c"}},
	} {
		r, err := csvfile.Open(strings.NewReader(test.text), csvfile.Options{})
		require.NoError(t, err, name)
		rows, err := all(t, r)
		require.NoError(t, err, name)
		require.Equal(t, test.want, rows, name)
	}
}

func TestABadRowSaysItsLineAndTheNextOnesAreRead(t *testing.T) {
	t.Parallel()
	r, err := csvfile.Open(strings.NewReader("a,b\n1,2\n1,2,3\nonly\nx\"y,2\nbyte\xFF,2\n\"long\",\""+strings.Repeat("x", 70<<10)+"\"\n8,9\n"), csvfile.Options{Encoding: "utf-8"})
	require.NoError(t, err)
	rows, err := all(t, r)
	require.NoError(t, err)
	require.Len(t, rows, 7)
	require.Equal(t, "1|2", rows[0])
	for i, want := range []string{"line 3: the row has 3 values and the table 2 columns", "line 4: the row has one value", "line 5: a quotation mark", `line 6: column "a" is not readable`, `line 7: column "b" is longer than 64 KB`} {
		require.True(t, strings.HasPrefix(rows[i+1], want), "%q should begin with %q", rows[i+1], want)
	}
	require.Equal(t, "8|9", rows[6])
	require.Equal(t, 7, r.Rows())
}

func TestSecurity_15_RefusesWhatIsNoTableOrTooLarge(t *testing.T) {
	t.Parallel()
	small := csvfile.Limits{Bytes: 1 << 20, Rows: 3, Columns: 3, Cell: 10}
	for name, test := range map[string]struct {
		text    string
		options csvfile.Options
		code    fault.Code
	}{
		"empty":            {"", csvfile.Options{}, fault.Invalid},
		"blank":            {" \n\n", csvfile.Options{}, fault.Invalid},
		"a spreadsheet":    {"PK\x03\x04xxxx", csvfile.Options{}, fault.Invalid},
		"a column twice":   {"a,A\n", csvfile.Options{}, fault.Invalid},
		"a broken header":  {"\"a,b\n1,2\n", csvfile.Options{}, fault.Invalid},
		"unknown encoding": {"a,b\n", csvfile.Options{Encoding: "koi8"}, fault.Invalid},
		"many columns":     {"a,b,c,d\n", csvfile.Options{Limits: small}, fault.TooLarge},
		"many rows":        {"a,b\n1,2\n1,2\n1,2\n1,2\n", csvfile.Options{Limits: small}, fault.TooLarge},
		"many bad rows":    {"a,b\n1\n1\n1\n1\n", csvfile.Options{Limits: small}, fault.TooLarge},
		"many bytes":       {"a,b\n1,\"" + strings.Repeat("x", 2<<20), csvfile.Options{Limits: csvfile.Limits{Bytes: 1 << 20}}, fault.TooLarge},
		"an endless name":  {"a,\"b\n1," + strings.Repeat("x", 2<<20), csvfile.Options{Limits: small}, fault.TooLarge},
	} {
		r, err := csvfile.Open(strings.NewReader(test.text), test.options)
		if err == nil {
			_, err = all(t, r)
		}
		require.Equal(t, test.code, fault.CodeOf(err), "%s: %v", name, err)
	}
}

func TestSecurity_15_WithoutOwnLimitsAFileHasThoseOfAll(t *testing.T) {
	t.Parallel()
	open := func(source io.Reader) (*csvfile.Reader, error) {
		return csvfile.Open(source, csvfile.Options{Encoding: "utf-8"})
	}
	_, err := open(strings.NewReader(strings.Repeat("x,", 200) + "y\n"))
	require.Equal(t, fault.TooLarge, fault.CodeOf(err), "200 columns")
	r, err := open(strings.NewReader("a\n" + strings.Repeat("x", 64<<10) + "\n" + strings.Repeat("x", 64<<10+1) + "\nz\n"))
	require.NoError(t, err)
	rows, err := all(t, r)
	require.NoError(t, err)
	require.Len(t, rows, 3)
	require.Len(t, rows[0], 64<<10, "64 KB are taken")
	require.Contains(t, rows[1], "longer than 64 KB")
	require.Equal(t, "z", rows[2])

	r, err = open(io.MultiReader(strings.NewReader("a\n"), &lines{text: []byte("x\n")}))
	require.NoError(t, err)
	for err == nil {
		_, err = r.Next()
	}
	require.Equal(t, fault.TooLarge, fault.CodeOf(err))
	require.LessOrEqual(t, r.Rows(), 1_000_001, "a million rows")

	source := &lines{text: []byte(strings.Repeat("x", 60<<10) + "\n")}
	r, err = open(io.MultiReader(strings.NewReader("a\n"), source))
	require.NoError(t, err)
	for err == nil {
		_, err = r.Next()
	}
	require.Equal(t, fault.TooLarge, fault.CodeOf(err))
	require.InDelta(t, 100<<20, source.read, 1<<20, "100 MB")
}

func TestSecurity_15_ARowWithoutAnEndIsNotKeptInMemory(t *testing.T) {
	t.Parallel()
	source := &lines{text: []byte(strings.Repeat("x", 60<<10) + "\n")}
	r, err := csvfile.Open(io.MultiReader(strings.NewReader("a,b\n1,\"2\n3\"\n4,\"5\n"), source), csvfile.Options{Encoding: "utf-8"})
	require.NoError(t, err)
	rows, err := all(t, r)
	require.NoError(t, err)
	require.Len(t, rows, 2, "what stands before it is read")
	require.Equal(t, "1|2\n3", rows[0])
	require.Contains(t, rows[1], "line 4: the row has no end")
	require.Less(t, source.read, 40<<20, "it is given up long before the end of the file")
}

// lines is a text again and again, without an end.
type lines struct {
	text []byte
	read int
}

func (l *lines) Read(p []byte) (int, error) {
	n := copy(p, l.text[l.read%len(l.text):])
	l.read += n
	return n, nil
}

func FuzzReader(f *testing.F) {
	f.Add("a,b\n\"1\",2\n")
	f.Add("\xFF\xFEa\x00,\x00b\x00\n\x00")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := csvfile.Open(strings.NewReader(text), csvfile.Options{})
		if err != nil {
			require.NotEqual(t, fault.Internal, fault.CodeOf(err))
			return
		}
		for {
			row, err := r.Next()
			if bad, ok := errors.AsType[*csvfile.RowError](err); ok {
				require.Positive(t, bad.Line)
				continue
			}
			if err != nil {
				require.True(t, errors.Is(err, io.EOF) || fault.CodeOf(err) != fault.Internal, "%v", err)
				return
			}
			require.Len(t, row.Values, len(r.Header))
		}
	})
}
