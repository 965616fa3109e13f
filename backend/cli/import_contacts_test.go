package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/people"
	"github.com/lejek/lejek/backend/store"
	"github.com/lejek/lejek/backend/store/storetest"
)

func TestImportContacts(t *testing.T) {
	t.Setenv("DATABASE_URL", storetest.URL(t))
	t.Setenv("LEJEK_DATA_DIR", t.TempDir())
	db, err := store.Open(t.Context(), os.Getenv("DATABASE_URL"), 2)
	require.NoError(t, err)
	defer db.Close()
	file := filepath.Join(t.TempDir(), "people.csv")
	require.NoError(t, os.WriteFile(file, []byte("customer_no;mail;shoe size\nC-1;a@example.com;42\nC-2;nonsense;43\n"), 0o600))

	code, _, errs := call(t, "import", "contacts", file)
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, "there is no workspace yet")

	workspace := storetest.Workspace(t, db)
	code, out, errs := call(t, "import", "contacts", file, "--map", "customer_no=external_id", "--tag", "imported", "--consent", "granted")
	require.Equal(t, exitFailed, code, "a row failed: %s", errs)
	require.Contains(t, out, "2 rows: 1 created, 0 updated, 0 unchanged, 1 failed.")
	require.Contains(t, out, "shoe size")
	require.Contains(t, out, `line 3, mail: "nonsense" is not an e-mail address`)

	code, out, _ = call(t, "import", "contacts", file, "--map", "customer_no=external_id", "--tag", "imported", "--consent", "granted", "--json")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, `"unchanged":1`)
	page, err := people.New(db, storetest.Clock, nil).List(t.Context(), workspace, people.Filter{})
	require.NoError(t, err)
	require.Len(t, page.Items, 1)
	require.Equal(t, []string{"imported"}, page.Items[0].Tags)

	for _, args := range [][]string{{"import", "contacts"}, {"import", "people", file}, {"import", "contacts", file, "--map", "x"}} {
		code, _, _ = call(t, args...)
		require.Equal(t, exitUsage, code, args)
	}
}
