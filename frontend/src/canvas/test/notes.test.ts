import { describe, expect, it } from "vitest";
import { freePlace, linesOf, noteSize } from "../notes";
import { align } from "../placing";

describe("a note", () => {
  it("reads markdown, the light part of it, and nothing that runs", () => {
    expect(linesOf("# Why\n- **bold** and *soft*\n[shop](https://shop.example) [x](javascript:alert)")).toEqual([
      { kind: "head", parts: [{ kind: "text", text: "Why" }] },
      {
        kind: "item",
        parts: [
          { kind: "bold", text: "bold" },
          { kind: "text", text: " and " },
          { kind: "italic", text: "soft" },
        ],
      },
      {
        kind: "text",
        parts: [
          { kind: "link", text: "shop", href: "https://shop.example" },
          { kind: "text", text: " [x](javascript:alert)" },
        ],
      },
    ]);
  });

  it("lies where it covers nothing", () => {
    const step = { x: 0, y: 0, width: 248, height: 92 };
    expect(freePlace(step, "down", [step])).toEqual({ x: -noteSize.width - 40, y: 0 });
    expect(freePlace(step, "down", [step, { x: -280, y: 0, width: 248, height: 92 }])).toEqual({ x: 288, y: 0 });
    expect(freePlace(step, "right", [step]).y).toBeLessThan(0);
  });
});

it("draws a card into line with another that is within six pixels", () => {
  const other = { x: 100, y: 0, width: 248, height: 92 };
  expect(align({ x: 105, y: 300, width: 248, height: 92 }, [other])).toMatchObject({ x: 100, guides: [{ axis: "x" }] });
  expect(align({ x: 120, y: 300, width: 248, height: 92 }, [other]).guides).toEqual([]);
});
