/** Requests without credentials: decides by the path who makes them. */

/**
 * `user`: `system:anonymous`, with the permissions of its roles; `open`: anybody, without asking for a permission; `refused`:
 * a 401.
 */
type Stranger = "user" | "open" | "refused";

export interface AnonymousUsers {
  at(path: string): Stranger;
}

/** The member `anonymous` of an AuthenticationConfiguration. */
export interface AnonymousConfiguration {
  readonly enabled: boolean;
  /** The only paths at which there are anonymous users; all paths if there are none. */
  readonly paths: readonly string[];
}

/** Anonymous users as a configuration file has them. */
export function anonymousUsers({ enabled, paths }: AnonymousConfiguration): AnonymousUsers {
  const allowed = new Set(paths);
  return { at: (path) => (enabled && (allowed.size === 0 || allowed.has(path)) ? "user" : "refused") };
}

/** No anonymous users, but some paths are open to anybody. */
export const openAt = (isOpen: (path: string) => boolean): AnonymousUsers => ({
  at: (path) => (isOpen(path) ? "open" : "refused"),
});
