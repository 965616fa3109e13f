import babel from "@rolldown/plugin-babel";
import { tanstackRouter } from "@tanstack/router-plugin/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where `make dev` has the backend; the built app is served by the backend itself. */
const backend = process.env.LEJEK_DEV_BACKEND ?? "http://127.0.0.1:8080";

export default defineConfig({
  resolve: { tsconfigPaths: true },
  plugins: [
    tanstackRouter({ target: "react", autoCodeSplitting: true, quoteStyle: "double", semicolons: true }),
    // Macros must be expanded before React's own transform sees the file.
    babel({ plugins: ["@lingui/babel-plugin-lingui-macro"] }),
    react(),
  ],
  server: {
    port: 5173,
    proxy: { "/api": { target: backend, changeOrigin: false }, "/v/": backend, "/u/": backend },
  },
  build: {
    outDir: "../backend/web/dist",
    // scripts/clean-dist.mjs empties it, so that the tracked placeholder stays.
    emptyOutDir: false,
    target: "es2022",
    sourcemap: false,
    assetsInlineLimit: 0,
  },
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    // A property that is proven over many cases takes its time on a machine that others use too.
    testTimeout: 60_000,
  },
});
