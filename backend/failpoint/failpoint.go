// Package failpoint lets crash tests break a real process at a named place. Points are compiled in and do nothing unless the environment
// names them: LEJEK_FAILPOINTS="delivery.after_send=exit,runner.before_commit=stop@3" kills the process without any cleaning up, or stops
// it where it stands until somebody sends it SIGCONT, at the third hit where a number is given. "clock.machine=file:PATH" moves a clock by
// the duration the file holds at the time; an absent file is none.
package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Variable is the name of the environment variable that arms points.
const Variable = "LEJEK_FAILPOINTS"

// stopTakes is how long a busy machine may need until all threads of a process stand still.
const stopTakes = 500 * time.Millisecond

type point struct {
	signal syscall.Signal
	file   string
	at     int64
	hits   atomic.Int64
}

var armed = parse(os.Getenv(Variable)) //nolint:forbidigo // points are armed before there is a configuration

func parse(text string) map[string]*point {
	points := map[string]*point{}
	for part := range strings.SplitSeq(text, ",") {
		name, action, _ := strings.Cut(part, "=")
		if file, moves := strings.CutPrefix(action, "file:"); moves {
			points[name] = &point{file: file}
			continue
		}
		action, number, counted := strings.Cut(action, "@")
		p := &point{at: 1}
		switch action {
		case "exit":
			p.signal = syscall.SIGKILL
		case "stop":
			p.signal = syscall.SIGSTOP
		default:
			continue
		}
		if n, err := strconv.ParseInt(number, 10, 64); counted && err == nil {
			p.at = n
		}
		points[name] = p
	}
	return points
}

// Hit dies here, as by kill -9, or stands still, if the point is armed.
func Hit(name string) {
	if len(armed) == 0 {
		return
	}
	if p := armed[name]; p != nil && p.file == "" && p.hits.Add(1) == p.at {
		_ = syscall.Kill(os.Getpid(), p.signal) // there is no coming back to read an error
		if p.signal == syscall.SIGKILL {
			select {}
		}
		time.Sleep(stopTakes)
	}
}

// Shift is how far a clock is moved at the time it is asked; nil if the point is not armed.
func Shift(name string) func() time.Duration {
	p := armed[name]
	if p == nil || p.file == "" {
		return nil
	}
	return func() time.Duration {
		text, err := os.ReadFile(p.file)
		if err != nil {
			return 0
		}
		by, err := time.ParseDuration(strings.TrimSpace(string(text)))
		if err != nil {
			return 0
		}
		return by
	}
}
