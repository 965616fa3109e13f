package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// process is a running command of Lejek.
type process struct {
	name   string
	cmd    *exec.Cmd
	output *tail
	ended  chan struct{} // closed when it has ended
}

// startProcess runs a command of this very program. It is killed when ctx ends.
func startProcess(ctx context.Context, env []string, args ...string) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	p := &process{name: args[0], cmd: exec.CommandContext(ctx, program, args...), output: &tail{}, ended: make(chan struct{})} //nolint:gosec // itself
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = env, p.output, p.output
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() // how it ended is in its state
	}()
	return p, nil
}

// alive is an error that tells the last words of a process that ended.
func (p *process) alive() error {
	select {
	case <-p.ended:
		return fmt.Errorf("`%s` ended (%s). Its last words:\n%s", p.name, p.cmd.ProcessState, p.output)
	default:
		return nil
	}
}

// kill ends the process as kill -9 does and returns when it is gone.
func (p *process) kill() error {
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kill %s: %w", p.name, err)
	}
	<-p.ended
	return nil
}

const stopLimit = 40 * time.Second

// stop ends the process in order.
func (p *process) stop() error {
	if p == nil || p.alive() != nil {
		return nil
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop %s: %w", p.name, err)
	}
	timer := time.NewTimer(stopLimit)
	defer timer.Stop()
	select {
	case <-p.ended:
		return nil
	case <-timer.C:
		return errors.Join(fmt.Errorf("`%s` did not stop within %s", p.name, stopLimit), p.kill())
	}
}

// tail keeps the last kilobytes that were written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailLength = 8 << 10

// Write implements io.Writer.
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, text...)
	if over := len(t.text) - tailLength; over > 0 {
		t.text = bytes.Clone(t.text[over:])
	}
	return len(text), nil
}

// String is what is kept.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.text))
}
