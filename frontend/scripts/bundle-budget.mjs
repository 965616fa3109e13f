// Fails when the first load (what index.html asks for) is heavier than the budget of the design.
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const budget = { js: 225, css: 40 }; // KB gzipped
const dist = new URL("../../backend/web/dist/", import.meta.url);
const html = readFileSync(new URL("index.html", dist), "utf8");
const size = { js: 0, css: 0 };
for (const [, path, kind] of html.matchAll(/(?:src|href)="\/([^"]+\.(js|css))"/g)) {
  size[kind] += gzipSync(readFileSync(new URL(path, dist))).length / 1024;
}
for (const kind of ["js", "css"]) {
  console.log(`first load ${kind}: ${size[kind].toFixed(1)} KB of ${budget[kind]} KB gzipped`);
  if (size[kind] > budget[kind]) process.exitCode = 1;
}
