package wording_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/ai"
	"github.com/lejek/lejek/ai/aitest"
	"github.com/lejek/lejek/backend/calls"
	"github.com/lejek/lejek/backend/clock"
	"github.com/lejek/lejek/backend/store/storetest"
	"github.com/lejek/lejek/backend/wording"
	"github.com/lejek/lejek/engine"
)

const (
	people       = 10_000
	combinations = 37
	goroutines   = 25 // in each of two processes
	daily        = 1000
	fallbackText = "Good to have you"
)

// job is what a process of the test is to do: the texts of every second person.
type job struct {
	Database  string
	Model     string
	Key       string
	Workspace uuid.UUID
	Share     int
	Lease     time.Duration
	Daily     int
	Ahead     bool // every second text is prepared before it is asked for
}

// TestMain lets the test's own binary be a process that writes texts.
func TestMain(m *testing.M) {
	if raw := os.Getenv("LEJEK_WORDING_JOB"); raw != "" {
		if err := work(raw); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func work(raw string) error {
	var j job
	if err := json.Unmarshal([]byte(raw), &j); err != nil {
		return err
	}
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, j.Database)
	if err != nil {
		return err
	}
	defer pool.Close()
	written, fallen, err := writeAll(ctx, pool, j)
	fmt.Printf("written %d fallen %d\n", written, fallen)
	return err
}

// writeAll writes the texts of a share of the people with many hands at once.
func writeAll(ctx context.Context, pool *pgxpool.Pool, j job) (written, fallen int64, err error) {
	rows, err := pool.Query(ctx, "SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM contacts WHERE workspace_id = $1) AS numbered WHERE n % 2 = $2", j.Workspace, j.Share)
	if err != nil {
		return 0, 0, err
	}
	var ids []uuid.UUID
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			return 0, 0, err
		}
		ids = append(ids, id)
	}
	if rows.Err() != nil {
		return 0, 0, rows.Err()
	}
	w := &wording.Wording{
		DB: pool, Clock: storetest.Clock, Machine: clock.Machine{}, Secret: []byte("a secret"), Daily: j.Daily, Lease: j.Lease,
		Writer: ai.NewWriter(http.DefaultClient, ai.Provider{BaseURL: j.Model, Key: j.Key, Model: "fake"}),
	}
	request := engine.WriteRequest{Variables: []engine.Written{{Name: "opening", Instruction: "Greet", Max: 60, Fallback: fallbackText}}, Attributes: []string{"city"}}
	payload, err := json.Marshal(request)
	if err != nil {
		return 0, 0, err
	}
	ahead, err := json.Marshal([]engine.WriteRequest{request})
	if err != nil {
		return 0, 0, err
	}
	var done, left atomic.Int64
	var failed atomic.Value
	queue := make(chan uuid.UUID)
	var hands sync.WaitGroup
	for range goroutines {
		hands.Go(func() {
			for id := range queue {
				if j.Ahead && id[15]%2 == 0 {
					if _, err := w.Prepare(ctx, calls.Request{Workspace: j.Workspace, Contact: id, Node: "wait-1", Kind: engine.KindPrepare, Payload: ahead}); err != nil {
						failed.Store(err)
					}
				}
				for tries := 0; ; tries++ {
					answer, err := w.Write(ctx, calls.Request{Workspace: j.Workspace, Contact: id, Node: "ai-1", Kind: "ai_generate", Payload: payload})
					if err != nil && tries < 2000 && strings.Contains(err.Error(), "being written") {
						<-time.After(5 * time.Millisecond) // somebody else is at it
						continue
					}
					switch {
					case err != nil:
						failed.Store(err)
					case answer.Vars["opening"] != nil:
						done.Add(1)
					default:
						left.Add(1)
					}
					break
				}
			}
		})
	}
	for _, id := range ids {
		queue <- id
	}
	close(queue)
	hands.Wait()
	if err, ok := failed.Load().(error); ok {
		return done.Load(), left.Load(), err
	}
	return done.Load(), left.Load(), nil
}

// crowd is a workspace with people of 37 cities.
func crowd(t *testing.T, n int) (*pgxpool.Pool, uuid.UUID) {
	t.Helper()
	db := storetest.DB(t)
	workspace := storetest.Workspace(t, db)
	_, err := db.Exec(t.Context(), `INSERT INTO contacts (workspace_id, id, external_id, first_name, last_name, name_folded, last_name_folded, zone, language, fields, tags, lists, source, created_at, updated_at)
		SELECT $1, gen_random_uuid(), 'p' || i, '', '', '', '', '', '', jsonb_build_object('city', 'City ' || i % $3), '{}', '{}', 'test', $4, $4 FROM generate_series(1, $2) AS i`,
		workspace, n, combinations, storetest.Now)
	require.NoError(t, err)
	return db, workspace
}

// greets writes a text from what it is told of the person.
func greets(w http.ResponseWriter, r *http.Request, asked aitest.Asked) {
	var told struct {
		Person map[string]string `json:"person"`
	}
	_ = json.Unmarshal([]byte(asked.User), &told) // a broken question gets an empty greeting
	text, _ := json.Marshal(map[string]string{"opening": "Hello from " + told.Person["city"]})
	aitest.Says(string(text))(w, r, asked)
}

func (j job) process(t *testing.T) *exec.Cmd {
	t.Helper()
	raw, err := json.Marshal(j)
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "LEJEK_WORDING_JOB="+string(raw))
	return cmd
}

func count(t *testing.T, db *pgxpool.Pool, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, db.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func TestTenThousandPeopleWith37CombinationsCost37CallsOverTwoProcesses(t *testing.T) {
	t.Parallel()
	db, workspace := crowd(t, people)
	server := aitest.Start(greets)
	t.Cleanup(server.Close)
	j := job{Database: db.Config().ConnString(), Model: server.URL, Key: "one", Workspace: workspace, Lease: 30 * time.Second, Daily: daily, Ahead: true}
	other := j
	other.Share = 1
	cmd := other.process(t)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	require.NoError(t, cmd.Start())
	written, fallen, err := writeAll(t.Context(), db, j)
	require.NoError(t, err)
	require.NoError(t, cmd.Wait(), out.String())
	require.Equal(t, int64(people/2), written)
	require.Zero(t, fallen)
	require.Contains(t, out.String(), fmt.Sprintf("written %d fallen 0", people/2))
	require.Len(t, server.Asked(), combinations)
	require.Equal(t, combinations, count(t, db, "SELECT sum(written) FROM ai_usage WHERE workspace_id = $1", workspace))
}

func TestAProcessKilledBetweenCallAndSettlementCostsNothingTwice(t *testing.T) {
	t.Parallel()
	db, workspace := crowd(t, 1000)
	var hung atomic.Int64
	ready := make(chan struct{})
	var once sync.Once
	server := aitest.Start(func(w http.ResponseWriter, r *http.Request, asked aitest.Asked) {
		if strings.HasSuffix(asked.Authorization, "doomed") && hung.Add(1) > 0 {
			once.Do(func() { close(ready) })
			<-r.Context().Done() // answered, for all the model knows; the asker dies before it can write it down
			return
		}
		greets(w, r, asked)
	})
	t.Cleanup(server.Close)
	j := job{Database: db.Config().ConnString(), Model: server.URL, Key: "doomed", Workspace: workspace, Share: 1, Lease: 2 * time.Second, Daily: daily}
	doomed := j.process(t)
	require.NoError(t, doomed.Start())
	<-ready
	require.NoError(t, doomed.Process.Kill())
	require.Error(t, doomed.Wait())
	lost := len(server.Asked())
	j.Key = "heir"
	for share := range 2 {
		j.Share = share
		written, fallen, err := writeAll(t.Context(), db, j)
		require.NoError(t, err)
		require.Equal(t, int64(500), written)
		require.Zero(t, fallen)
	}
	require.Len(t, server.Asked(), combinations+lost, "each text is asked for once more at most by whom the lease passed to")
	require.Equal(t, combinations, count(t, db, "SELECT sum(written) FROM ai_usage WHERE workspace_id = $1", workspace), "nothing is charged twice")
	require.Zero(t, count(t, db, "SELECT count(*) FROM ai_texts WHERE workspace_id = $1 AND (vars IS NULL OR lease_until IS NOT NULL)", workspace), "no lease is lost")
}

func TestAQuotaOfTenWritesTenAndLeavesTheRestToTheFallbacks(t *testing.T) {
	t.Parallel()
	db, workspace := crowd(t, 400)
	server := aitest.Start(greets)
	t.Cleanup(server.Close)
	j := job{Database: db.Config().ConnString(), Model: server.URL, Key: "k", Workspace: workspace, Lease: 30 * time.Second, Daily: 10}
	answered := int64(0)
	for share := range 2 {
		j.Share = share
		written, fallen, err := writeAll(t.Context(), db, j)
		require.NoError(t, err)
		answered += written + fallen
	}
	require.Equal(t, int64(400), answered, "everybody gets a text")
	require.Len(t, server.Asked(), 10)
	require.Equal(t, 10, count(t, db, "SELECT sum(written) FROM ai_usage WHERE workspace_id = $1", workspace))
}
