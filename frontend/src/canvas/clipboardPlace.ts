const key = "lejek.clipboard";

/**
 * Puts text where every tab can paste it: into the event of the browser's own copy where there is one, else by the
 * browser's interface, which plain http does not have; then this device's tabs still share it through storage.
 */
export function putOnClipboard(text: string, event?: ClipboardEvent): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Then only the browser's own clipboard has it.
  }
  if (event?.clipboardData) {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    return;
  }
  void navigator.clipboard?.writeText(text).catch(() => undefined);
}

/** What a menu pastes: the browser's clipboard where it may be read unasked, else what this device's tabs share. */
export async function clipboardText(): Promise<string> {
  const shared = localStorage.getItem(key) ?? "";
  try {
    const may = await navigator.permissions.query({ name: "clipboard-read" as PermissionName });
    if (may.state !== "granted" && shared) return shared;
    return (await navigator.clipboard.readText()) || shared;
  } catch {
    return shared;
  }
}
