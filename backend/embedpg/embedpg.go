//go:build unix

package embedpg

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Options say where and how the server runs.
type Options struct {
	Dir      string            // holds cluster, password, log; made when absent
	Port     int               // TCP port on 127.0.0.1; 0 takes the one used last, else a free one
	Settings map[string]string // server settings such as fsync=off; an attached server keeps its own
	Progress io.Writer         // one line per slow step; nil is silence
}

// Server is a running Postgres.
type Server struct {
	dir      string
	password string
	port     int
	restart  func(context.Context) error

	mu      sync.Mutex // held while the process is replaced
	owner   *os.File   // the lock, nil when another process owns the server
	proc    *process   // nil when not owned
	release func()     // ends the watch over the process
}

const (
	role        = "lejek"
	startWithin = 60 * time.Second
	stopWithin  = 30 * time.Second
	poll        = 50 * time.Millisecond
	retryAfter  = time.Second
)

// Start returns a server that accepts connections: a new one, the one another process runs in the same directory, or one
// left behind by a killed owner.
func Start(ctx context.Context, opts Options) (*Server, error) {
	if opts.Progress == nil {
		opts.Progress = io.Discard
	}
	user, dir, err := place(opts.Dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("the database needs the folder %s and cannot make it: %w", dir, err)
	}
	if err := user.own(dir); err != nil {
		return nil, err
	}
	lock, owned, err := acquire(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, err
	}
	srv := &Server{dir: dir, release: func() {}}
	srv.restart = func(ctx context.Context) error { return srv.spawn(ctx, user, opts) }
	if !owned {
		if err := srv.attach(ctx); err != nil {
			return srv, err
		}
	} else if err := srv.boot(ctx, user, opts); err != nil {
		lock.Close()
		return nil, err
	} else {
		srv.owner = lock
	}
	watch, end := context.WithCancel(context.WithoutCancel(ctx))
	srv.release = func() {
		end()
		srv.mu.Lock() // a restart under way gives up
		defer srv.mu.Unlock()
	}
	go srv.keep(watch, opts.Progress)
	return srv, nil
}

// boot makes the cluster when there is none and starts it, or adopts the one that is still running.
func (s *Server) boot(ctx context.Context, user account, opts Options) error {
	data := filepath.Join(s.dir, "data")
	password, err := readOrMakePassword(filepath.Join(s.dir, "password"))
	if err != nil {
		return err
	}
	s.password = password
	if pid, port, ok := running(data); ok {
		s.port, s.proc = port, adopt(pid)
		return s.ready(ctx)
	}
	if clusterMajor(data) == 0 {
		bin, err := findBinaries(ctx, s.dir, 0, opts.Progress)
		if err != nil {
			return err
		}
		fmt.Fprintln(opts.Progress, "Making the database (once) ...")
		if err := initialise(ctx, bin, user, s.dir, data, password); err != nil {
			return err
		}
	}
	s.port, err = choosePort(ctx, opts.Port, filepath.Join(s.dir, "port"))
	if err != nil {
		return err
	}
	return s.restart(ctx)
}

// spawn starts the process on the port chosen before and waits until it answers.
func (s *Server) spawn(ctx context.Context, user account, opts Options) error {
	data := filepath.Join(s.dir, "data")
	bin, err := findBinaries(ctx, s.dir, clusterMajor(data), opts.Progress)
	if err != nil {
		return err
	}
	args := []string{
		"-D", data, "-p", strconv.Itoa(s.port), "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
		"-c", "timezone=UTC", "-c", "max_connections=200", "-c", "max_wal_size=2GB",
	}
	for _, name := range sortedKeys(opts.Settings) {
		args = append(args, "-c", name+"="+opts.Settings[name])
	}
	proc, err := spawn(filepath.Join(bin, "postgres"), args, user, filepath.Join(s.dir, "postgres.log"))
	if err != nil {
		return err
	}
	s.proc = proc
	return s.ready(ctx)
}

// keep starts the database again when it ended without being told to: it is ours alone, so nobody else would. A process that shares the server
// of another takes it over when that one stops it.
func (s *Server) keep(ctx context.Context, progress io.Writer) {
	for pause(ctx) == nil {
		if err := s.revive(ctx, progress); err != nil && ctx.Err() == nil {
			fmt.Fprintf(progress, "The database did not start again: %s\n", err)
			select {
			case <-ctx.Done():
			case <-time.After(retryAfter):
			}
		}
	}
}

func (s *Server) revive(ctx context.Context, progress io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, port, runs := running(filepath.Join(s.dir, "data"))
	switch {
	case ctx.Err() != nil, s.proc != nil && !s.proc.ended(), s.owner == nil && runs:
		return nil
	case s.owner == nil: // the owner stopped it; whoever takes the lock is the next
		lock, owned, err := acquire(filepath.Join(s.dir, "lock"))
		if !owned {
			return err
		}
		s.owner = lock
	}
	if runs && port == s.port { // somebody restarted it by hand
		s.proc = adopt(pid)
		return nil
	}
	fmt.Fprintln(progress, "The database stopped; starting it again ...")
	return s.restart(ctx)
}

// attach waits for the server of the process that holds the lock.
func (s *Server) attach(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		password, err := os.ReadFile(filepath.Join(s.dir, "password"))
		if _, port, ok := running(filepath.Join(s.dir, "data")); ok && err == nil {
			s.password, s.port = strings.TrimSpace(string(password)), port
			return s.ready(ctx)
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("another process holds %s, but its database did not come up: %w", filepath.Join(s.dir, "lock"), err)
		}
	}
}

// ready waits until the server lets the role in.
func (s *Server) ready(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		err := ping(ctx, s.URL("postgres"))
		if err == nil {
			return nil
		}
		if s.proc != nil && s.proc.ended() {
			return fmt.Errorf("the database stopped at once; the last lines of %s:\n%s",
				filepath.Join(s.dir, "postgres.log"), tail(filepath.Join(s.dir, "postgres.log"), 12))
		}
		if pause(ctx) != nil {
			return fmt.Errorf("the database on port %d does not answer: %w", s.port, err)
		}
	}
}

// URL is the connection string of a database on this server.
func (s *Server) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(role, s.password), Path: database,
		Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(s.port)), RawQuery: "sslmode=disable",
	}
	return u.String()
}

// Owned tells whether this process started or adopted the server and so decides when it stops.
func (s *Server) Owned() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owner != nil
}

// Dir is where cluster and log really are, which may differ from the directory asked for.
func (s *Server) Dir() string { return s.dir }

// Stop ends an owned server in order and releases the directory; of an attached one it lets go.
func (s *Server) Stop(ctx context.Context) error {
	s.release()
	if s.owner == nil {
		return nil
	}
	defer s.owner.Close()
	if s.proc == nil {
		return nil
	}
	return s.proc.stop(ctx, syscall.SIGINT)
}

// Leave lets go of an owned server without stopping it; whoever starts next in the directory adopts it.
func (s *Server) Leave() error {
	s.release()
	if s.owner == nil {
		return nil
	}
	return s.owner.Close()
}

// Crash ends the server without a checkpoint, as a failing machine would, and starts it again. For fault tests.
func (s *Server) Crash(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner == nil {
		return errors.New("only a server started by this process can be crashed")
	}
	if err := s.proc.stop(ctx, syscall.SIGQUIT); err != nil {
		return err
	}
	return s.restart(ctx)
}

func initialise(ctx context.Context, bin string, user account, dir, data, password string) error {
	pwfile := filepath.Join(dir, "initdb.pw")
	if err := os.WriteFile(pwfile, []byte(password+"\n"), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(pwfile) }() // what stays is no more than the file password says
	if err := user.own(pwfile); err != nil {
		return err
	}
	var out []byte
	var err error
	for _, locale := range []string{"C.UTF-8", "C"} {
		cmd := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", data, "-U", role, "-E", "UTF8", "--locale="+locale,
			"--auth=scram-sha-256", "--pwfile="+pwfile)
		user.apply(cmd)
		if out, err = cmd.CombinedOutput(); err == nil {
			return nil
		}
		if err := os.RemoveAll(data); err != nil {
			return err
		}
	}
	return fmt.Errorf("initdb could not make the database in %s: %w\n%s", data, err, out)
}

func readOrMakePassword(path string) (string, error) {
	if b, err := os.ReadFile(path); err == nil {
		return strings.TrimSpace(string(b)), nil
	}
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		return "", err
	}
	password := hex.EncodeToString(raw)
	return password, os.WriteFile(path, []byte(password+"\n"), 0o600)
}

// choosePort prefers the port asked for, which must be free, then the one used last, then any free one.
func choosePort(ctx context.Context, want int, memory string) (int, error) {
	if want != 0 {
		if !free(ctx, want) {
			return 0, fmt.Errorf("port %d for the database is taken by another program; stop it or choose another port", want)
		}
		return want, nil
	}
	if b, err := os.ReadFile(memory); err == nil {
		if port, err := strconv.Atoi(strings.TrimSpace(string(b))); err == nil && free(ctx, port) {
			return port, nil
		}
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	return port, os.WriteFile(memory, []byte(strconv.Itoa(port)+"\n"), 0o644)
}

func free(ctx context.Context, port int) bool {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return false
	}
	l.Close()
	return true
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(poll):
		return nil
	}
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
