/** Is it a page of ours that every mail leads to (unsubscribe, view in browser)? Following it is not a click the funnel hears of. */
export function isOwnPage(url: string): boolean {
  try {
    return /^\/[uv]\//.test(new URL(url, window.location.origin).pathname);
  } catch {
    return false;
  }
}
