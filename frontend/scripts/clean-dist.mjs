// Empties the build directory but keeps the tracked placeholder that the backend embeds before the first build.
import { readdirSync, rmSync } from "node:fs";

const dist = new URL("../../backend/web/dist/", import.meta.url);
try {
  for (const name of readdirSync(dist)) {
    if (name !== "placeholder.html") rmSync(new URL(name, dist), { recursive: true });
  }
} catch (error) {
  if (error.code !== "ENOENT") throw error;
}
