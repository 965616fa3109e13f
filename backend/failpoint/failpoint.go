// Package failpoint lets crash tests break a real process at a named place. Points are compiled in and do nothing unless the environment
// names them: LEJEK_FAILPOINTS="delivery.after_send=exit,delivery.before_result=exit@3" kills the process without any cleaning up, at
// the third hit where a number is given.
package failpoint

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// Variable is the name of the environment variable that arms points.
const Variable = "LEJEK_FAILPOINTS"

type point struct {
	at   int64
	hits atomic.Int64
}

var armed = parse(os.Getenv(Variable)) //nolint:forbidigo // points are armed before there is a configuration

func parse(text string) map[string]*point {
	points := map[string]*point{}
	for part := range strings.SplitSeq(text, ",") {
		name, action, ok := strings.Cut(part, "=")
		action, number, counted := strings.Cut(action, "@")
		if !ok || action != "exit" {
			continue
		}
		p := &point{at: 1}
		if n, err := strconv.ParseInt(number, 10, 64); counted && err == nil {
			p.at = n
		}
		points[name] = p
	}
	return points
}

// Hit dies here, as by kill -9, if the point is armed.
func Hit(name string) {
	if len(armed) == 0 {
		return
	}
	if p := armed[name]; p != nil && p.hits.Add(1) == p.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // there is no coming back to read an error
		select {}
	}
}
