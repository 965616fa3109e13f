import { i18n } from "@lingui/core";

// Tests read English; happy-dom lacks the two observers that Mantine asks for.
i18n.load("en", {});
i18n.activate("en");

class Observer {
  observe() {}
  unobserve() {}
  disconnect() {}
}
globalThis.ResizeObserver ??= Observer as unknown as typeof ResizeObserver;
