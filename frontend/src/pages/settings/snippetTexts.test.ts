import { describe, expect, it } from "vitest";
import { snippet } from "./snippetTexts";

const wanted = { base: "https://funnels.example", token: "lk_live_abc", event: "order_placed" };

describe.each(["curl", "javascript", "go"] as const)("the %s snippet", (language) => {
  const text = snippet(language, wanted);
  it("has the real address, token and event", () => {
    expect(text).toContain("https://funnels.example/api/v1/events");
    expect(text).toContain("Bearer lk_live_abc");
    expect(text).toContain('"order_placed"');
  });
});

it("puts valid JSON into curl and Go", () => {
  const curl = snippet("curl", wanted);
  expect(JSON.parse(curl.slice(curl.indexOf("'") + 1, curl.lastIndexOf("'")))).toMatchObject({ name: "order_placed" });
  const go = snippet("go", wanted);
  expect(JSON.parse(go.slice(go.indexOf("`") + 1, go.lastIndexOf("`")))).toMatchObject({ id: "order-1001" });
});
