/** Is it a page of ours that every mail leads to (unsubscribe, view in browser)? Following it is not a click the funnel hears of. */
export function isOwnPage(url: string): boolean {
  try {
    const { origin, pathname } = new URL(url, window.location.origin);
    // A shop may have a /p/ of its own; nobody else has our tokens behind /u/ and /v/.
    return /^\/[uv]\//.test(pathname) || (origin === window.location.origin && /^\/(p|book\/manage)\//.test(pathname));
  } catch {
    return false;
  }
}

/** Is it the link by which an address is confirmed? Following it in the Test inbox confirms. */
export function isConfirmation(url: string): boolean {
  try {
    return new URL(url, window.location.origin).pathname.startsWith("/f/confirm/");
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
