package handover

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/google/uuid"
)

// Answer is what a provider said of a message.
type Answer struct {
	Verdict int    `json:"v"`
	Code    string `json:"c,omitempty"`
	ID      string `json:"i,omitempty"`
}

// line is one line of a file.
type line struct {
	Message uuid.UUID `json:"m"`
	Answer  *Answer   `json:"a,omitempty"` // nil: it begins
}

// head is a file's first line.
type head struct {
	Worker  string `json:"worker"`
	Machine string `json:"machine"` // one start of it
}

// Log is the file of this process. A nil Log remembers nothing. It is safe for use by many goroutines.
type Log struct {
	dir, path string
	file      *os.File

	mu      sync.Mutex
	written int64
	failed  bool
}

const (
	suffix  = ".handover"
	long    = 32 << 20
	tooLong = 256 << 20
)

// Open makes the file of a worker. dir "" gives no Log.
func Open(dir, worker string) (*Log, error) {
	if dir == "" {
		return nil, nil //nolint:nilnil // a nil Log remembers nothing
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of hand-overs: %w", err)
	}
	l := &Log{dir: dir, path: filepath.Join(dir, worker+suffix)}
	// Nobody may find the file before it is locked.
	file, err := os.OpenFile(l.path+".new", os.O_CREATE|os.O_RDWR|os.O_APPEND|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the list of hand-overs: %w", err)
	}
	l.file = file
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(fmt.Errorf("lock the list of hand-overs: %w", err), file.Close())
	}
	if err := l.begin(worker); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := os.Rename(l.path+".new", l.path); err != nil {
		return nil, errors.Join(fmt.Errorf("open the list of hand-overs: %w", err), file.Close())
	}
	return l, nil
}

func (l *Log) begin(worker string) error {
	raw, err := json.Marshal(head{Worker: worker, Machine: machine()})
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(raw, '\n'))
	return err
}

// machine names this start of the machine, "" if it cannot be told.
func machine() string {
	raw, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(raw))
}

// Begun remembers that a message may leave from now on.
func (l *Log) Begun(message uuid.UUID) { l.write(line{Message: message}) }

// Ended remembers what a provider said.
func (l *Log) Ended(message uuid.UUID, answer Answer) { l.write(line{message, &answer}) }

func (l *Log) write(entry line) {
	if l == nil {
		return
	}
	raw, err := json.Marshal(entry)
	if err == nil {
		_, err = l.file.Write(append(raw, '\n')) // one write of O_APPEND: lines do not mix
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written += int64(len(raw) + 1)
	if err != nil && !l.failed {
		l.failed = true
		_ = os.Remove(l.path) // an incomplete list would prove what is not so; without one nobody is certain of anything
	}
}

// Long tells whether the file is worth beginning anew, and whether it has to be. Call Renew then, while nothing is being handed over.
func (l *Log) Long() (worth, must bool) {
	if l == nil {
		return false, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.written > long && !l.failed, l.written > tooLong && !l.failed
}

// Renew forgets what is in the file: all of it stands in the database.
func (l *Log) Renew(worker string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.file.Truncate(0); err != nil {
		l.failed = true
		return fmt.Errorf("begin the list of hand-overs anew: %w", err)
	}
	l.written = 0
	return l.begin(worker)
}

// Close removes the file: everything in it stands in the database. With keep it stays, for the next process to read.
func (l *Log) Close(keep bool) error {
	if l == nil {
		return nil
	}
	var err error
	if !keep {
		err = os.Remove(l.path)
	}
	return errors.Join(err, l.file.Close())
}

// Left is what a process that died has left.
type Left struct {
	Worker  string
	Certain bool                  // what it does not mention was not begun
	Begun   map[uuid.UUID]*Answer // nil: not answered
	path    string
	file    *os.File
}

// Done removes it.
func (l *Left) Done() error { return errors.Join(os.Remove(l.path), l.file.Close()) }

// Keep leaves it for another time.
func (l *Left) Keep() error { return l.file.Close() }

// Orphans are what processes of this machine left that died. Each is locked until Done or Keep.
func Orphans(dir string) ([]*Left, error) {
	if dir == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		return nil, err
	}
	var all []*Left
	for _, path := range paths {
		left, err := orphan(path)
		if err != nil {
			return all, err
		}
		if left != nil {
			all = append(all, left)
		}
	}
	return all, nil
}

func orphan(path string) (*Left, error) {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // somebody was quicker
	}
	if err != nil {
		return nil, fmt.Errorf("read a list of hand-overs: %w", err)
	}
	if syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil, file.Close() // its process lives
	}
	left := &Left{Begun: map[uuid.UUID]*Answer{}, path: path, file: file}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	var first head
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &first) != nil {
		return nil, left.Done() // it died before it did anything
	}
	left.Worker, left.Certain = first.Worker, first.Machine != "" && first.Machine == machine()
	for lines.Scan() {
		var entry line
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			left.Certain = false
			continue
		}
		left.Begun[entry.Message] = entry.Answer
	}
	if lines.Err() != nil {
		left.Certain = false
	}
	return left, nil
}
