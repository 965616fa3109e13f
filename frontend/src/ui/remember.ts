/** What this device remembers of a person's choices. Storage may be forbidden; then nothing is remembered. */
type Choice = "language" | "theme" | "workspace" | "density";

export function remembered(choice: Choice): string | null {
  try {
    return localStorage.getItem(`lejek.${choice}`);
  } catch {
    return null;
  }
}

export function remember(choice: Choice, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`lejek.${choice}`);
    else localStorage.setItem(`lejek.${choice}`, value);
  } catch {
    // A private window: the choice lasts as long as the page.
  }
}
