import { readdirSync, readFileSync } from "node:fs";
import { i18n } from "@lingui/core";
import { afterEach, describe, expect, it } from "vitest";
import { needCatalogue, setLanguage } from "@/i18n";
import { titleOf } from "../kinds";
import type { FunnelDocument } from "../types";
import { catalogue } from "./fixtures";

const folder = "../engine/testdata/funnels";
const golden = JSON.parse(readFileSync("../engine/testdata/titles.golden.json", "utf8")) as Record<
  string,
  Record<string, [string, string, string]>
>;

/** Kinds whose card says a rule or more than one thing; the server calls them by what they are. */
const told = new Set(["entry", "condition", "ai_generate", "create_payment", "http_request"]);

afterEach(() => i18n.activate("en"));

describe("a step without a name", () => {
  it.each((["en", "pl", "ru"] as const).map((lang, at) => [lang, at] as const))(
    "is called alike by card and server in %s",
    async (lang, at) => {
      await needCatalogue("canvas");
      await setLanguage(lang);
      const differ: string[] = [];
      for (const file of readdirSync(folder)) {
        const bundle = JSON.parse(readFileSync(`${folder}/${file}`, "utf8")) as FunnelDocument;
        const doc = { ...bundle, name: "", layout: {} };
        for (const step of doc.graph.nodes) {
          if (told.has(step.kind) || step.config.mode === "rule" || step.config.mode === "until_rule") continue;
          const server = golden[file.replace(".json", "")]?.[step.id]?.[at];
          const card = titleOf({ ...step, name: "" }, catalogue, doc);
          if (card !== server) differ.push(`${file} ${step.id}: “${card}”, not “${server}”`);
        }
      }
      expect(differ).toEqual([]);
    },
  );
});
