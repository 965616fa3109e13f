package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
	"github.com/stretchr/testify/require"
)

// waits is how long a locator may take to be there on a busy machine, in milliseconds.
const waits = 20_000

// Page is a person at a browser. Its verbs wait for what they need and end the test when it does not come.
type Page struct {
	playwright.Page

	t       *testing.T
	world   *World
	context playwright.BrowserContext
	expect  playwright.PlaywrightAssertions

	mu        sync.Mutex
	errors    []string
	tolerated []string
}

// Screen is what a person looks at. The zero value is a desk in light colours.
type Screen struct {
	Width, Height int
	Touch, Dark   bool
	Language      string // of the browser; English where empty
	Stranger      bool   // without the owner's session
	Untraced      bool   // nothing is recorded: for measuring
	Moving        bool   // of a person who has not asked for less motion
}

// Open is the owner's browser, signed in, on nothing yet. An error in its console, or thrown on a page, fails the test.
func (w *World) Open(screen Screen) *Page {
	w.t.Helper()
	if screen.Width == 0 {
		screen.Width, screen.Height = 1440, 900
	}
	if screen.Language == "" {
		screen.Language = "en-GB"
	}
	scheme := playwright.ColorSchemeLight
	if screen.Dark {
		scheme = playwright.ColorSchemeDark
	}
	motion := playwright.ReducedMotionReduce
	if screen.Moving {
		motion = playwright.ReducedMotionNoPreference
	}
	inside, err := browser(w.t).NewContext(playwright.BrowserNewContextOptions{
		BaseURL: new(w.URL), Viewport: &playwright.Size{Width: screen.Width, Height: screen.Height}, Locale: new(screen.Language),
		ColorScheme: scheme, ReducedMotion: motion, HasTouch: new(screen.Touch), IsMobile: new(screen.Touch),
		TimezoneId: new("Europe/Warsaw"),
	})
	require.NoError(w.t, err)
	inside.SetDefaultTimeout(waits)
	if !screen.Untraced {
		require.NoError(w.t, inside.Tracing().Start(playwright.TracingStartOptions{Snapshots: new(true)}))
	}
	if !screen.Stranger {
		require.NoError(w.t, inside.AddCookies([]playwright.OptionalCookie{{Name: "lejek_session", Value: w.Session, URL: new(w.URL)}}))
	}
	page, err := inside.NewPage()
	require.NoError(w.t, err)
	p := &Page{Page: page, t: w.t, world: w, context: inside, expect: playwright.NewPlaywrightAssertions(waits)}
	// The recorder of traces puts a script into every frame; the mail's frame rightly does not run it.
	p.tolerate("Blocked script execution in 'about:srcdoc'")
	p.listen(page)
	inside.OnPage(p.listen)
	w.t.Cleanup(p.leave)
	return p
}

func (p *Page) listen(page playwright.Page) {
	page.OnConsole(func(message playwright.ConsoleMessage) {
		if message.Type() == "error" {
			p.note("console: " + message.Text() + " " + message.Location().URL)
		}
	})
	page.OnPageError(func(err error) { p.note("page: " + err.Error()) })
}

func (p *Page) note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors = append(p.errors, text)
}

// tolerate lets errors pass that a journey means to cause.
func (p *Page) tolerate(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tolerated = append(p.tolerated, text)
}

func (p *Page) complaints() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(p.errors), func(e string) bool {
		return slices.ContainsFunc(p.tolerated, func(text string) bool { return strings.Contains(e, text) })
	})
}

// leave closes the browser window, and leaves a picture, a trace and the console behind where the test has failed.
func (p *Page) leave() {
	complaints := p.complaints()
	if p.t.Failed() || len(complaints) > 0 {
		dir := filepath.Join("testdata", "failures")
		name := filepath.Join(dir, strings.NewReplacer("/", "-", " ", "-").Replace(p.t.Name()))
		if err := os.MkdirAll(dir, 0o755); err == nil {
			_, _ = p.Screenshot(playwright.PageScreenshotOptions{Path: new(name + ".png")})
			_ = p.context.Tracing().Stop(name + ".trace.zip")
			_ = os.WriteFile(name+".console.txt", []byte(strings.Join(complaints, "\n")), 0o644)
			p.t.Log("the page as it was: e2e/" + name + ".png, and .trace.zip beside it")
		}
	}
	_ = p.context.Close()
	if len(complaints) > 0 {
		p.t.Errorf("the page complains:\n%s", strings.Join(complaints, "\n"))
	}
}

func (p *Page) ok(err error, doing string, args ...any) {
	p.t.Helper()
	if err != nil {
		require.NoErrorf(p.t, err, doing, args...)
	}
}

// Goto opens an address by hand.
func (p *Page) Goto(path string) {
	p.t.Helper()
	_, err := p.Page.Goto(path, playwright.PageGotoOptions{WaitUntil: playwright.WaitUntilStateDomcontentloaded})
	p.ok(err, "open %s", path)
}

// Role finds what assistive technology would: by role and exact name.
func (p *Page) Role(role, name string) playwright.Locator {
	return p.GetByRole(playwright.AriaRole(role), playwright.PageGetByRoleOptions{Name: name, Exact: new(true)})
}

// ID finds what the contract with QA names.
func (p *Page) ID(id string) playwright.Locator { return p.GetByTestId(id) }

// Click presses the mouse on it.
func (p *Page) Click(l playwright.Locator) {
	p.t.Helper()
	p.ok(l.Click(), "click")
}

// Tap touches it.
func (p *Page) Tap(l playwright.Locator) {
	p.t.Helper()
	p.ok(l.Tap(), "tap")
}

// Press presses a key wherever the focus is.
func (p *Page) Press(key string) {
	p.t.Helper()
	p.ok(p.Keyboard().Press(key), "press %s", key)
}

// Type types where the focus is.
func (p *Page) Type(text string) {
	p.t.Helper()
	p.ok(p.Keyboard().Type(text), "type %q", text)
}

// Write clicks into a field and types over what stands there.
func (p *Page) Write(field playwright.Locator, text string) {
	p.t.Helper()
	p.Click(field)
	p.Press("Control+A")
	p.Type(text)
}

// Choose opens a list, types to narrow it down, and clicks the option.
func (p *Page) Choose(list playwright.Locator, search, option string) {
	p.t.Helper()
	p.Click(list)
	if search != "" {
		p.Press("Control+A")
		p.Type(search)
	}
	p.Click(p.Role("option", option))
}

// See waits until it can be seen.
func (p *Page) See(l playwright.Locator) {
	p.t.Helper()
	p.ok(p.expect.Locator(l).ToBeVisible(), "see")
}

// Gone waits until it cannot be seen.
func (p *Page) Gone(l playwright.Locator) {
	p.t.Helper()
	p.ok(p.expect.Locator(l).ToBeHidden(), "see no longer")
}

// Reads waits until it contains the text.
func (p *Page) Reads(l playwright.Locator, text string) {
	p.t.Helper()
	p.ok(p.expect.Locator(l).ToContainText(text), "read %q", text)
}

// Count waits until there are n of them.
func (p *Page) Count(l playwright.Locator, n int) {
	p.t.Helper()
	p.ok(p.expect.Locator(l).ToHaveCount(n), "count %d", n)
}

// Focused waits until the keyboard is there.
func (p *Page) Focused(l playwright.Locator) {
	p.t.Helper()
	p.ok(p.expect.Locator(l).ToBeFocused(), "be focused")
}

// Focus goes on by Tab until the keyboard is there.
func (p *Page) Focus(l playwright.Locator) {
	p.t.Helper()
	for range 60 {
		p.Press("Tab")
		here, err := l.Evaluate("(element) => element === document.activeElement", nil)
		p.ok(err, "look where the focus is")
		if here == true {
			return
		}
	}
	require.Fail(p.t, "sixty tabs do not lead there")
}
