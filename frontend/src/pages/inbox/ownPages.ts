/** Is it a page of ours that every mail leads to (unsubscribe, view in browser)? Following it is not a click the funnel hears of. */
export function isOwnPage(url: string): boolean {
  try {
    return /^\/[uv]\//.test(new URL(url, window.location.origin).pathname);
  } catch {
    return false;
  }
}

/** Is it an address by which a click is noticed? Where it leads the server knows. */
export function isTracked(url: string): boolean {
  try {
    return /^\/[cs]\//.test(new URL(url, window.location.origin).pathname);
  } catch {
    return false;
  }
}
