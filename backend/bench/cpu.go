package bench

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of processor time in /proc on Linux.
const tick = 10 * time.Millisecond

// cpuOf is the processor time a process and its children that ended have used; zero where /proc does not say.
func cpuOf(pid int) time.Duration {
	fields := statOf(pid)
	if len(fields) < 15 {
		return 0
	}
	var ticks int64
	for _, i := range []int{11, 12, 13, 14} { // utime, stime, cutime, cstime, counted after the name
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * tick
}

func statOf(pid int) []string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	_, rest, _ := bytes.Cut(raw, []byte(") "))
	return strings.Fields(string(rest))
}

// cpuOfTree is that of a process and its living children.
func cpuOfTree(pid int) time.Duration {
	sum := cpuOf(pid)
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if fields := statOf(child); len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			sum += cpuOf(child)
		}
	}
	return sum
}

// serverPID is the process of a Postgres.
func serverPID(dir string) int {
	for _, path := range []string{filepath.Join(dir, "postmaster.pid"), filepath.Join(dir, "data", "postmaster.pid")} {
		if raw, err := os.ReadFile(path); err == nil {
			line, _, _ := strings.Cut(string(raw), "\n")
			pid, _ := strconv.Atoi(line)
			return pid
		}
	}
	return 0
}
