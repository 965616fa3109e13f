package storetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/lejek/lejek/backend/embedpg"
)

const (
	urlVariable  = "LEJEK_TEST_DATABASE_URL"
	reapVariable = "LEJEK_STORETEST_REAP"
)

// serverURL is the maintenance database of the server, for the life of this program.
var serverURL = sync.OnceValues(func() (string, error) {
	if url := os.Getenv(urlVariable); url != "" {
		return url, nil
	}
	return shareServer()
})

// shareServer starts, or joins, the server of this user. Every user of it holds a shared lock until its process ends,
// however it ends; a reaper holds no test up, waits for the exclusive lock, and stops the server.
func shareServer() (string, error) {
	dir := filepath.Join(os.TempDir(), "lejek-storetest-"+strconv.Itoa(os.Getuid()))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make the test server's directory: %w", err)
	}
	users, err := os.OpenFile(filepath.Join(dir, "users"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return "", fmt.Errorf("open the test server's lock: %w", err)
	}
	if err := syscall.Flock(int(users.Fd()), syscall.LOCK_SH); err != nil {
		return "", fmt.Errorf("join the users of the test server: %w", err)
	}
	held = append(held, users)
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	server, err := embedpg.Start(ctx, embedpg.Options{
		Dir: filepath.Join(dir, "postgres"), Settings: embedpg.Throwaway(), Progress: os.Stderr,
	})
	if err != nil {
		return "", fmt.Errorf("start a Postgres for the tests (or set %s): %w", urlVariable, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "up"), nil, 0o644); err != nil {
		return "", fmt.Errorf("note that the test server is up: %w", err)
	}
	if err := server.Leave(); err != nil {
		return "", fmt.Errorf("leave the test server to its other users: %w", err)
	}
	reaper := exec.Command(os.Args[0])
	reaper.Env = append(os.Environ(), reapVariable+"="+dir)
	reaper.Dir = dir
	reaper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := reaper.Start(); err != nil {
		return "", fmt.Errorf("start the reaper of the test server: %w", err)
	}
	return server.URL("postgres"), reaper.Process.Release()
}

// held keeps the lock's file from being collected, which would close it.
var held []*os.File

// A test program started with the reap variable is a reaper and runs no test.
func init() {
	dir := os.Getenv(reapVariable)
	if dir == "" {
		return
	}
	if err := reap(dir); err != nil {
		fmt.Fprintln(os.Stderr, "storetest:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// reap waits until nobody uses the server and ends it. A second reaper finds nothing to do.
func reap(dir string) error {
	users, err := os.OpenFile(filepath.Join(dir, "users"), os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	defer users.Close()
	// In a run of many packages one ends before the next begins; a moment's patience saves a restart.
	time.Sleep(lingerFor)
	if err := syscall.Flock(int(users.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	up := filepath.Join(dir, "up")
	if _, err := os.Stat(up); os.IsNotExist(err) {
		return nil // another reaper was first
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	server, err := embedpg.Start(ctx, embedpg.Options{Dir: filepath.Join(dir, "postgres"), Settings: embedpg.Throwaway()})
	if err != nil {
		return err
	}
	if err := server.Stop(ctx); err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(server.Dir(), "data")); err != nil {
		return err
	}
	return os.Remove(up)
}

const lingerFor = 20 * time.Second
