import { expect, it } from "vitest";
import { linesOf } from "./consents";

const said = (channel: string, topic: string, state: "granted" | "denied") => ({
  channel,
  topic,
  state,
  source: "form:x",
  at: "2026-03-01T10:00:00Z",
});

it("shows each channel and topic, whatever was said", () => {
  const topics = [
    { slug: "news", name: "News" },
    { slug: "offers", name: "Offers" },
  ];
  const short = (known: ReturnType<typeof said>[]) =>
    linesOf(known, topics).map(({ channel, name, state }) => `${channel} ${name} ${state}`);
  expect(short([])).toEqual([
    "email  unknown",
    "email News unknown",
    "email Offers unknown",
    "sms  unknown",
    "whatsapp  unknown",
    "push  unknown",
    "letter  unknown",
  ]);
  expect(
    short([
      said("email", "", "granted"),
      said("email", "offers", "denied"),
      said("sms", "", "granted"),
      said("push", "old", "denied"),
    ]),
  ).toEqual([
    "email  granted",
    "email News unknown",
    "email Offers denied",
    "sms  granted",
    "sms News unknown",
    "sms Offers unknown",
    "whatsapp  unknown",
    "push  unknown",
    "push old denied",
    "letter  unknown",
  ]);
});
