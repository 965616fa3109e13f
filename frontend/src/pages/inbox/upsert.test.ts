import { describe, expect, it } from "vitest";
import type { Message } from "@/api/messages";
import { upsert } from "./upsert";

const message = (id: string, more: Partial<Message> = {}): Message => ({
  id,
  channel: "email",
  class: "marketing",
  to: "anna@example.pl",
  subject: "Hello",
  state: "sent",
  provider: "sandbox",
  created_at: "2026-11-30T12:00:00Z",
  links: [],
  ...more,
});
const pages = (...ids: string[][]) => ({
  pages: ids.map((page) => ({ items: page.map((id) => message(id)) })),
  pageParams: ids.map((): unknown => undefined),
});
const idsOf = (data: ReturnType<typeof pages>) => data.pages.map((page) => page.items.map((item) => item.id));

describe("a message from the stream", () => {
  it("replaces itself where it stands, on whatever page", () => {
    const data = upsert(pages(["a"], ["b", "c"]), message("b", { opened: true }), {});
    expect(idsOf(data)).toEqual([["a"], ["b", "c"]]);
    expect(data.pages[1]?.items[0]?.opened).toBe(true);
  });

  it("comes on top when it is new", () => {
    expect(idsOf(upsert(pages(["a"], ["b"]), message("n"), {}))).toEqual([["n", "a"], ["b"]]);
  });

  it("stays out when the filter is for somebody else or another funnel", () => {
    expect(idsOf(upsert(pages(["a"]), message("n"), { to: "jan@example.pl" }))).toEqual([["a"]]);
    expect(idsOf(upsert(pages(["a"]), message("n", { funnel_id: "f1" }), { funnel: "f2" }))).toEqual([["a"]]);
  });

  it("fits an address in any case", () => {
    expect(idsOf(upsert(pages(["a"]), message("n"), { to: "ANNA@example.pl" }))).toEqual([["n", "a"]]);
  });
});
