/** Does something while nothing else is to be done, soon in any case. */
export function whenIdle(work: () => void): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(work, { timeout: 200 });
  else setTimeout(work);
}
