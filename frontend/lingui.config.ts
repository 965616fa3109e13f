import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

/**
 * Three catalogues, so that the words of large parts load with their route only:
 * `canvas` holds what the editor says, `sending` what accounts and domains say, `app` all the rest.
 */
const sending = ["src/pages/sending"];
const canvas = ["src/canvas", "src/inspector", "src/mail"];

export default defineConfig({
  sourceLocale: "en",
  locales: ["en", "pl", "ru"],
  compileNamespace: "es",
  // Lines move with every edit; without their numbers a diff shows words only.
  format: formatter({ lineNumbers: false }),
  catalogs: [
    {
      path: "src/locales/{locale}/app",
      include: ["src"],
      exclude: [
        "src/routeTree.gen.ts",
        "**/*.test.ts",
        "**/*.test.tsx",
        ...[...canvas, ...sending].map((dir) => `${dir}/**`),
      ],
    },
    { path: "src/locales/{locale}/sending", include: sending },
    { path: "src/locales/{locale}/canvas", include: canvas, exclude: ["**/*.test.ts", "**/*.test.tsx"] },
  ],
});
