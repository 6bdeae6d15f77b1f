/** Reads a list page by page. Takes a source and the options of the first page; gives the reflector all items. */
import type { ListerWatcher, ListOptions, ListPage } from "../source/list-watch.js";
import { resourceVersionOf } from "../store/key.js";
import { isExpiredOrGone } from "./failures.js";

export interface WholeList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly paginated: boolean;
}

/**
 * Later pages carry no revision, since their token does. If the token expires on the way, the whole is asked for once more, in
 * one piece and at the revision of the first page's request.
 */
export async function listPages<T>(
  source: ListerWatcher<T>,
  options: ListOptions,
  signal: AbortSignal,
): Promise<WholeList<T>> {
  const first = await source.list(options, signal);
  if (isTable(first)) throw new Error("a Table cannot be cached: ask for the objects themselves");
  const resourceVersion = resourceVersionOf(first) ?? "";
  let token = first.metadata.continue;
  if (token === undefined || token === "") return { items: itemsOf(first), resourceVersion, paginated: false };
  const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
  const items = [...itemsOf(first)];
  while (token !== undefined && token !== "") {
    try {
      const page = await source.list({ ...rest, continue: token }, signal);
      for (const item of itemsOf(page)) items.push(item);
      token = page.metadata.continue;
    } catch (error) {
      if (!isExpiredOrGone(error)) throw error;
      const { limit: ___, ...unlimited } = options;
      const whole = await source.list(unlimited, signal);
      return { items: itemsOf(whole), resourceVersion: resourceVersionOf(whole) ?? "", paginated: true };
    }
  }
  return { items, resourceVersion, paginated: true };
}

/** Servers in Go write an empty list as null, if they do not take care. */
function itemsOf<T>(page: ListPage<T>): readonly T[] {
  return (page.items as readonly T[] | null | undefined) ?? [];
}

/** A Table is for printing: it has rows instead of objects. */
export function isTable(answer: {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
}): boolean {
  return answer.kind === "Table" && answer.apiVersion?.startsWith("meta.k8s.io/") === true;
}
