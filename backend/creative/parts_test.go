package creative_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/lejek/lejek/backend/creative"
)

func TestPartsOf(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want creative.Parts
	}{
		"nothing":                       {"", creative.Parts{Encoding: "gsm7", Units: 0, PerPart: 160, Parts: 1}},
		"one full part":                 {strings.Repeat("a", 160), creative.Parts{Encoding: "gsm7", Units: 160, PerPart: 160, Parts: 1}},
		"one letter too many makes two": {strings.Repeat("a", 161), creative.Parts{Encoding: "gsm7", Units: 161, PerPart: 153, Parts: 2}},
		"two full parts":                {strings.Repeat("a", 306), creative.Parts{Encoding: "gsm7", Units: 306, PerPart: 153, Parts: 2}},
		"three":                         {strings.Repeat("a", 307), creative.Parts{Encoding: "gsm7", Units: 307, PerPart: 153, Parts: 3}},
		"the default alphabet knows some accents":     {"é ù ò Ç Ø ñ ü ß Ω @ _ £ ¥ \n", creative.Parts{Encoding: "gsm7", Units: 27, PerPart: 160, Parts: 1}},
		"an extension character counts two":           {"{}[]~|^\\€", creative.Parts{Encoding: "gsm7", Units: 18, PerPart: 160, Parts: 1}},
		"80 euro signs fill a part":                   {strings.Repeat("€", 80), creative.Parts{Encoding: "gsm7", Units: 160, PerPart: 160, Parts: 1}},
		"an extension character is not cut in two":    {strings.Repeat("a", 152) + "€" + strings.Repeat("a", 152), creative.Parts{Encoding: "gsm7", Units: 306, PerPart: 153, Parts: 3}},
		"Polish letters make it UCS-2":                {"Zażółć", creative.Parts{Encoding: "ucs2", Units: 6, PerPart: 70, Parts: 1}},
		"70 Cyrillic letters":                         {strings.Repeat("ж", 70), creative.Parts{Encoding: "ucs2", Units: 70, PerPart: 70, Parts: 1}},
		"71 Cyrillic letters":                         {strings.Repeat("ж", 71), creative.Parts{Encoding: "ucs2", Units: 71, PerPart: 67, Parts: 2}},
		"135 Cyrillic letters":                        {strings.Repeat("ж", 135), creative.Parts{Encoding: "ucs2", Units: 135, PerPart: 67, Parts: 3}},
		"an emoji is two units":                       {"🎉", creative.Parts{Encoding: "ucs2", Units: 2, PerPart: 70, Parts: 1}},
		"35 emoji fill a part":                        {strings.Repeat("🎉", 35), creative.Parts{Encoding: "ucs2", Units: 70, PerPart: 70, Parts: 1}},
		"a surrogate pair is not cut in two":          {strings.Repeat("🎉", 67), creative.Parts{Encoding: "ucs2", Units: 134, PerPart: 67, Parts: 3}},
		"a small c with cedilla is not the large one": {"ç", creative.Parts{Encoding: "ucs2", Units: 1, PerPart: 70, Parts: 1}},
		"curly quotes cost the alphabet":              {"“hi”", creative.Parts{Encoding: "ucs2", Units: 4, PerPart: 70, Parts: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, creative.PartsOf(c.text))
		})
	}
}
