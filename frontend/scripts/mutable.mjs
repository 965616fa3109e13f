// Builds the interface once more, beside the product's own, with a registry of commands that leaves out the one which localStorage
// names under "lejek.mutant". Only `make mutate-canvas` makes and uses this build; the product has no such door.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const [outDir] = process.argv.slice(2);
const registry = "export const commands: readonly Command[] = all;";
const hole =
  'export const commands: readonly Command[] = all.filter((c) => c.id !== localStorage.getItem("lejek.mutant"));';
const file = fileURLToPath(new URL("../src/canvas/commands.ts", import.meta.url));
if (!readFileSync(file, "utf8").includes(registry)) throw new Error(`the registry of ${file} is not what is expected`);

await build({
  root: fileURLToPath(new URL("..", import.meta.url)),
  logLevel: "error",
  plugins: [
    {
      name: "leave-a-command-out",
      enforce: "pre",
      transform: (code, id) => (id === file ? code.replace(registry, hole) : undefined),
    },
  ],
  build: { outDir, emptyOutDir: true, minify: false },
});
