package creative

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	_ "embed" // the compiler
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/dop251/goja"
)

//go:embed mjml/mjml-browser-4.18.0.js.gz
var mjmlSource []byte

// mjmlSHA256 is of the unpacked script.
const mjmlSHA256 = "648c976d7494ec9275da2aab12a9c9a2d29897950bf831f5fb816bf48b5353b8"

// maxCompilers bounds the script engines of the process: each holds some 6 MB, and a compile keeps one core busy.
const maxCompilers = 2

// compilers lends out script engines; an engine is made when it is first needed.
var compilers = func() chan *compiler {
	pool := make(chan *compiler, maxCompilers)
	for range maxCompilers {
		pool <- &compiler{}
	}
	return pool
}()

// script is the MJML compiler, parsed once per process.
var script = sync.OnceValues(func() (*goja.Program, error) {
	packed, err := gzip.NewReader(bytes.NewReader(mjmlSource))
	if err != nil {
		return nil, fmt.Errorf("unpack mjml: %w", err)
	}
	source, err := io.ReadAll(packed)
	if err != nil {
		return nil, fmt.Errorf("unpack mjml: %w", err)
	}
	if sum := sha256.Sum256(source); hex.EncodeToString(sum[:]) != mjmlSHA256 {
		return nil, errors.New("the MJML compiler inside this program is damaged: its checksum differs")
	}
	return goja.Compile("mjml-browser.js", string(source), false)
})

// shim is the little of a browser that the compiler looks for, and the one function that is called.
const shim = `
var window = this, self = this, global = this, process = {env: {}};
var console = {log: function () {}, warn: function () {}, error: function () {}, info: function () {}};
`

const entry = `(function (source) {
	var out = window.mjml(source, {fonts: {}, validationLevel: 'strict', keepComments: false});
	return out.html;
})`

// compiler is one script engine. It is used by one goroutine at a time.
type compiler struct {
	vm   *goja.Runtime
	call goja.Callable
}

// toHTML compiles MJML. It waits for a free engine and stops when ctx ends.
func toHTML(ctx context.Context, source string) (string, error) {
	var c *compiler
	select {
	case c = <-compilers:
	case <-ctx.Done():
		return "", fmt.Errorf("compile MJML: %w", ctx.Err())
	}
	defer func() { compilers <- c }()
	if c.vm == nil {
		if err := c.start(); err != nil {
			return "", err
		}
	}
	vm := c.vm
	stop := context.AfterFunc(ctx, func() { vm.Interrupt(ctx.Err()) })
	out, err := c.call(goja.Undefined(), c.vm.ToValue(source))
	if !stop() {
		// The interrupt may still be on its way; an engine that was told to stop is not used again.
		*c = compiler{}
		return "", fmt.Errorf("compile MJML: %w", ctx.Err())
	}
	if err != nil {
		return "", fmt.Errorf("compile MJML: %w", err)
	}
	return out.String(), nil
}

func (c *compiler) start() error {
	program, err := script()
	if err != nil {
		return err
	}
	vm := goja.New()
	vm.SetMaxCallStackSize(2048)
	if _, err := vm.RunString(shim); err != nil {
		return fmt.Errorf("start the MJML compiler: %w", err)
	}
	if _, err := vm.RunProgram(program); err != nil {
		return fmt.Errorf("start the MJML compiler: %w", err)
	}
	value, err := vm.RunString(entry)
	if err != nil {
		return fmt.Errorf("start the MJML compiler: %w", err)
	}
	call, ok := goja.AssertFunction(value)
	if !ok {
		return errors.New("start the MJML compiler: it has no entry")
	}
	c.vm, c.call = vm, call
	return nil
}
