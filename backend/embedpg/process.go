//go:build unix

package embedpg

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

// process is a postmaster: our child, or one adopted by its pid.
type process struct {
	pid  int
	done chan struct{} // closed when a child has been waited for; nil for an adopted one
}

// spawn starts the postmaster in a process group of its own, so that Ctrl-C in a terminal reaches us alone.
func spawn(bin string, args []string, user account, logfile string) (*process, error) {
	out, err := os.OpenFile(logfile, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(bin, args...) //nolint:noctx // the server outlives whoever asks for it
	cmd.Stdout, cmd.Stderr = out, out
	user.apply(cmd)
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the database: %w", err)
	}
	p := &process{pid: cmd.Process.Pid, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

func adopt(pid int) *process { return &process{pid: pid} }

func (p *process) ended() bool {
	if p.done != nil {
		select {
		case <-p.done:
			return true
		default:
			return false
		}
	}
	return !alive(p.pid)
}

func (p *process) stop(ctx context.Context, sig syscall.Signal) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	if err := syscall.Kill(p.pid, sig); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("stop the database: %w", err)
	}
	for !p.ended() {
		if pause(ctx) != nil {
			return fmt.Errorf("the database (process %d) did not stop within %s", p.pid, stopWithin)
		}
	}
	return nil
}

// running reads the pid file of a cluster: the process and port of a postmaster that is alive and serves this directory.
func running(data string) (pid, port int, ok bool) {
	b, err := os.ReadFile(filepath.Join(data, "postmaster.pid"))
	if err != nil {
		return 0, 0, false
	}
	lines := strings.Split(string(b), "\n")
	if len(lines) < 5 {
		return 0, 0, false
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(lines[0]))
	port, err2 := strconv.Atoi(strings.TrimSpace(lines[3]))
	if err1 != nil || err2 != nil || !alive(pid) {
		return 0, 0, false
	}
	// A recycled pid may belong to anybody; where the system tells, it must be a Postgres.
	if cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && !strings.Contains(string(cmdline), "postgres") {
		return 0, 0, false
	}
	return pid, port, true
}

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// acquire takes the owner's lock of a directory, or tells that another process has it.
func acquire(path string) (*os.File, bool, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false, fmt.Errorf("the database's lock %s cannot be opened: %w", path, err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		f.Close()
		return nil, false, nil
	}
	if err != nil {
		f.Close()
		return nil, false, err
	}
	return f, true, nil
}

func ping(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func tail(path string, n int) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
