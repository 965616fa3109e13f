import type { Schemas } from "@/api/client";

type Consent = Schemas["Consent"];

/** Channels people can agree to, the commonest first. */
export const channels = ["email", "sms", "whatsapp", "push", "letter"] as const;
export type Channel = (typeof channels)[number];

export interface ConsentLine extends Pick<Consent, "topic" | "state" | "source" | "at"> {
  channel: Channel;
  name: string; // of the topic
}

/**
 * Every channel with the topics under it. What nobody said anything about stands there as well: for a topic that means it goes with its channel.
 * The topics of a channel the person has not agreed to are left out, as they change nothing; those of e-mail are always there, as is what was said.
 */
export function linesOf(known: Consent[], topics: { slug: string; name: string }[]): ConsentLine[] {
  const said = (channel: string, topic: string) => known.find((one) => one.channel === channel && one.topic === topic);
  const line = (channel: Channel, topic: string, name: string): ConsentLine => {
    const { state, source, at } = said(channel, topic) ?? { state: "unknown" as const, source: "", at: "" };
    return { channel, topic, name, state, source, at };
  };
  return channels.flatMap((channel) => {
    const listed = topics.filter(
      ({ slug }) => channel === "email" || said(channel, "")?.state === "granted" || said(channel, slug),
    );
    const gone = known.filter(
      (one) => one.channel === channel && one.topic && !topics.some(({ slug }) => slug === one.topic),
    );
    return [
      line(channel, "", ""),
      ...listed.map(({ slug, name }) => line(channel, slug, name)),
      ...gone.map(({ topic }) => line(channel, topic, topic)),
    ];
  });
}
