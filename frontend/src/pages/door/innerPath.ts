/** Where to go after signing in: only a path of this app, never another site's address. */
export function innerPath(next: string | undefined): string {
  return next && /^\/(?![/\\])/.test(next) ? next : "/";
}
