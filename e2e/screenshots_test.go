package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestScreenshots makes the pictures of the README from the sample workspace:
//
//	LEJEK_SHOTS=$PWD/.github/images go test ./e2e -run Screenshots
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("LEJEK_SHOTS")
	if dir == "" {
		t.Skip("only when LEJEK_SHOTS names a directory for the pictures")
	}
	w := sampleWorld(t)
	for _, dark := range []bool{false, true} {
		p := w.Open(Screen{Width: 1440, Height: 900, Dark: dark})
		look := "light"
		if dark {
			look = "dark"
		}
		take := func(name string) {
			_, err := p.Evaluate("document.fonts.ready.then(() => true)")
			p.ok(err, "wait for the fonts")
			_, err = p.Screenshot(playwright.PageScreenshotOptions{Path: new(filepath.Join(dir, name+"-"+look+".png"))})
			p.ok(err, "picture %s", name)
		}
		p.Goto("/funnels?state=live")
		p.Click(p.Role("link", "Welcome and first booking").First())
		p.See(p.Locator(`[data-testid^="step-"]`).First())
		p.Click(p.Locator(`[aria-label^="Sends an e-mail"]`).First())
		p.See(p.ID("preview-subject"))
		take("editor")
		p.Goto("/inbox")
		p.Click(p.Locator(`[data-testid^="message-"]`).First())
		p.See(p.FrameLocator(`[data-testid="mail"]`).Locator("body"))
		take("inbox")
		p.Goto("/people")
		p.See(p.Locator(`[data-testid^="person-"]`).First())
		take("people")
		p.Goto("/reports")
		p.See(p.GetByText("What became of messages"))
		take("reports")
	}
}
