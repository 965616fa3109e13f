//go:build unix

package embedpg

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is who the server runs as. The zero account is ourselves.
type account struct {
	uid, gid uint32
	switched bool
}

// place decides who runs the server and where its files lie.
func place(dir string) (account, string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return account{}, "", err
	}
	if os.Geteuid() != 0 {
		return account{}, dir, nil
	}
	if !reachable(dir) {
		sum := sha256.Sum256([]byte(dir))
		dir = filepath.Join("/var/lib/lejek", hex.EncodeToString(sum[:6]))
	}
	acc, err := unprivileged(filepath.Join(dir, "data"))
	return acc, dir, err
}

// unprivileged is the owner of the cluster if there is one, else the user postgres, else nobody.
func unprivileged(data string) (account, error) {
	if info, err := os.Stat(data); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
			return account{uid: st.Uid, gid: st.Gid, switched: true}, nil
		}
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err1 == nil && err2 == nil {
			return account{uid: uint32(uid), gid: uint32(gid), switched: true}, nil
		}
	}
	return account{}, errors.New("to run Postgres, root needs a user postgres or nobody, and this machine has neither; set DATABASE_URL to a running Postgres")
}

// reachable tells whether every user may pass through all folders above dir.
func reachable(dir string) bool {
	for p := filepath.Dir(dir); ; p = filepath.Dir(p) {
		info, err := os.Stat(p)
		if err == nil && info.Mode().Perm()&0o001 == 0 {
			return false
		}
		if p == filepath.Dir(p) {
			return true
		}
	}
}

// own gives a file to the account.
func (a account) own(path string) error {
	if !a.switched {
		return nil
	}
	return os.Chown(path, int(a.uid), int(a.gid))
}

// apply makes a command run as the account, in a directory it may enter.
func (a account) apply(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	cmd.Dir = "/"
	if a.switched {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: a.uid, Gid: a.gid}
	}
}
