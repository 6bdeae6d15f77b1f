/** The view and its settings, in the part of the address after #, so that a view can be sent to a colleague. */
import { useEffect, useState } from "preact/hooks";

export const views = ["flow", "queues", "why", "cluster", "numbers"] as const;
export type View = (typeof views)[number];

export interface Route {
  readonly view: View;
  readonly settings: Readonly<Record<string, string>>;
}

export function routeOf(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?");
  const view = views.find((one) => one === path) ?? "flow";
  return { view, settings: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a view; settings that are empty are left out. */
export function addressOf(view: View, settings: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(settings).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const query = new URLSearchParams(given).toString();
  return `#/${view}${query === "" ? "" : `?${query}`}`;
}

/** A link to a view at the moment that the page shows. */
export function href(view: View, settings: Readonly<Record<string, string | undefined>> = {}): string {
  const { at } = routeOf(location.hash).settings;
  return addressOf(view, { ...settings, at });
}

/** Changes settings of the view that is shown. Typing into a field is no step of its own in the browser's history. */
export function adjust(changes: Readonly<Record<string, string | undefined>>): void {
  const { view, settings } = routeOf(location.hash);
  const next = addressOf(view, { ...settings, ...changes });
  history.replaceState(null, "", next);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute(): Route {
  const [route, show] = useState(() => routeOf(location.hash));
  useEffect(() => {
    const changed = (): void => show(routeOf(location.hash));
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return route;
}
