import { defineConfig } from "@lingui/cli";
import { formatter } from "@lingui/format-po";

/**
 * Two catalogues, so that the canvas and its words load with its route only:
 * `canvas` holds what the editor says, `app` all the rest.
 */
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
      exclude: ["src/routeTree.gen.ts", "**/*.test.ts", "**/*.test.tsx", ...canvas.map((dir) => `${dir}/**`)],
    },
    { path: "src/locales/{locale}/canvas", include: canvas, exclude: ["**/*.test.ts", "**/*.test.tsx"] },
  ],
});
