package csvfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Encodings by the names people give them.
var encodings = map[string]encoding.Encoding{
	"utf-8":        encoding.Nop,
	"utf-16le":     unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"utf-16be":     unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
	"windows-1250": charmap.Windows1250,
	"windows-1251": charmap.Windows1251,
}

func encodingOf(name string) (encoding.Encoding, error) {
	known, ok := encodings[strings.ToLower(name)]
	if !ok {
		return nil, fmt.Errorf("%q is not an encoding this reads. Use utf-8, utf-16le, utf-16be, windows-1250 or windows-1251", name)
	}
	return known, nil
}

// detect names the encoding of a text by its first bytes.
func detect(head []byte, whole bool) string {
	switch {
	case bytes.HasPrefix(head, []byte{0xEF, 0xBB, 0xBF}):
		return "utf-8"
	case bytes.HasPrefix(head, []byte{0xFF, 0xFE}):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte{0xFE, 0xFF}):
		return "utf-16be"
	}
	if name := byZeros(head); name != "" {
		return name
	}
	if !whole {
		head = withoutCutRune(head)
	}
	if utf8.Valid(head) {
		return "utf-8"
	}
	return codepage(head)
}

// byZeros finds UTF-16 without a mark: the separators and digits of any table leave a zero in every second byte.
func byZeros(head []byte) string {
	var even, odd int
	for i, b := range head {
		if b == 0 && i%2 == 0 {
			even++
		} else if b == 0 {
			odd++
		}
	}
	switch {
	case odd > len(head)/10 && odd > even:
		return "utf-16le"
	case even > len(head)/10:
		return "utf-16be"
	}
	return ""
}

func withoutCutRune(head []byte) []byte {
	for cut := 1; cut <= utf8.UTFMax && cut <= len(head); cut++ {
		if at := len(head) - cut; utf8.RuneStart(head[at]) {
			if !utf8.FullRune(head[at:]) {
				return head[:at]
			}
			return head
		}
	}
	return head
}

// codepage tells Cyrillic from Polish: Cyrillic words are all high bytes, Polish ones have a few among ASCII letters.
func codepage(head []byte) string {
	var together, alone int
	for i, b := range head {
		if b < 0x80 {
			continue
		}
		if i > 0 && head[i-1] >= 0xC0 || i+1 < len(head) && head[i+1] >= 0xC0 {
			together++
		} else {
			alone++
		}
	}
	if together > alone {
		return "windows-1251"
	}
	return "windows-1250"
}
