import { describe, expect, it } from "vitest";
import { encodingOf, isBroken, textOf } from "./encoding";

const bytes = (...parts: (string | number)[]) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : [part])));

describe("how the letters of a file are written", () => {
  const polish = bytes("Imi", 0xea, ";Miasto\nMa", 0xb3, "gorzata;", 0xa3, 0xf3, "d", 0x9f, "\n");
  const russian = bytes(
    0xc8,
    0xec,
    0xff,
    ";",
    0xc3,
    0xee,
    0xf0,
    0xee,
    0xe4,
    "\n",
    0xc0,
    0xed,
    0xed,
    0xe0,
    ";",
    0xcc,
    0xee,
    0xf1,
    0xea,
    0xe2,
    0xe0,
    "\n",
  );

  it("finds Polish and Cyrillic code pages", () => {
    expect(encodingOf(polish)).toBe("windows-1250");
    expect(textOf(polish, "windows-1250")).toBe("Imię;Miasto\nMałgorzata;Łódź\n");
    expect(encodingOf(russian)).toBe("windows-1251");
    expect(textOf(russian, "windows-1251")).toBe("Имя;Город\nАнна;Москва\n");
  });

  it("keeps UTF-8 and UTF-16 as they are", () => {
    expect(encodingOf(new TextEncoder().encode("Imię;Имя"))).toBe("utf-8");
    expect(encodingOf(bytes(0xff, 0xfe, "e", 0))).toBe("utf-16le");
    expect(encodingOf(bytes("e", 0, "m", 0, ";", 0))).toBe("utf-16le");
  });

  it("tells a text that was read wrongly", () => {
    expect(isBroken(textOf(polish, "utf-8"))).toBe(true);
    expect(isBroken(textOf(polish, "windows-1250"))).toBe(false);
  });
});
