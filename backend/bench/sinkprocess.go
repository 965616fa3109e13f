package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
)

// sinkProcess is a mail server in a process of its own.
type sinkProcess struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	port int
	mu   sync.Mutex
}

func startSink(ctx context.Context) (*sinkProcess, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	s := &sinkProcess{cmd: exec.CommandContext(ctx, program, "bench", "sink")} //nolint:gosec // itself
	s.cmd.Stderr = os.Stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.out = bufio.NewReaderSize(out, 1<<20)
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a mail server: %w", err)
	}
	line, err := s.out.ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("start a mail server: %w", err)
	}
	s.port, err = strconv.Atoi(strings.TrimSpace(line))
	return s, err
}

func (s *sinkProcess) ask(words string) (report SinkReport, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := io.WriteString(s.in, words+"\n"); err != nil {
		return report, fmt.Errorf("ask the mail server: %w", err)
	}
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return report, fmt.Errorf("ask the mail server: %w", err)
	}
	return report, json.Unmarshal(line, &report)
}

func (s *sinkProcess) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
