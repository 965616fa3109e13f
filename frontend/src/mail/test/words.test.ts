import { describe, expect, it } from "vitest";
import type { Creative } from "@/canvas/types";
import { takeWords } from "../words";

const words: Creative = {
  channel: "email",
  subject: "Thank you",
  preheader: "In short",
  blocks: [
    { id: "text", type: "text", doc: { type: "doc" } },
    { id: "button", type: "button", text: "Go", url: "https://shop.example" },
    { id: "footer", type: "footer" },
  ],
};

const ids = (creative: Creative) => creative.blocks.map((block) => `${block.type} ${block.id}`);

describe("words from a sentence", () => {
  it("take the place of the words of a mail and leave its pictures and its footer", () => {
    const mail: Creative = {
      channel: "email",
      subject: "Old",
      reply_to: "studio@example.com",
      blocks: [
        { id: "logo", type: "image", url: "https://shop.example/logo.png" },
        { id: "heading-1", type: "heading", text: "Old" },
        { id: "text", type: "divider" },
        { id: "text-2", type: "text" },
        { id: "footer", type: "footer" },
      ],
    };
    takeWords(mail, words);
    expect(mail.subject).toBe("Thank you");
    expect(mail.preheader).toBe("In short");
    expect(mail.reply_to).toBe("studio@example.com");
    expect(ids(mail)).toEqual(["image logo", "text text-2", "button button", "divider text", "footer footer"]);
  });

  it("stand before the footer of a mail that says nothing yet", () => {
    const mail: Creative = { channel: "email", blocks: [{ id: "foot", type: "footer" }] };
    takeWords(mail, words);
    expect(ids(mail)).toEqual(["text text", "button button", "footer foot"]);
  });

  it("are the text of a message for a phone, and its blocks stay none", () => {
    const sms: Creative = { channel: "sms", text: "Old", blocks: [] };
    takeWords(sms, { channel: "sms", text: "New", blocks: [] });
    expect(sms).toEqual({ channel: "sms", text: "New", blocks: [] });
    const push: Creative = { channel: "push", title: "Old", url: "https://a.example", blocks: [] };
    takeWords(push, { channel: "push", title: "New", text: "Come", blocks: [] });
    expect(push).toEqual({ channel: "push", title: "New", text: "Come", url: "https://a.example", blocks: [] });
  });
});
