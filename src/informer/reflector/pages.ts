/** Reads a list page by page: takes a source and the options of the first page, gives all items. */
import { listPages } from "../../client/stream/pager.js";
import type { ListerWatcher, SourceListOptions, ListPage } from "../source/list-watch.js";
import { resourceVersionOf } from "../store/key.js";

export interface WholeList<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  readonly paginated: boolean;
}

export async function wholeList<T>(
  source: ListerWatcher<T>,
  options: SourceListOptions,
  signal: AbortSignal,
): Promise<WholeList<T>> {
  const ask = async (page: SourceListOptions): Promise<ListPage<T>> => {
    const answer = await source.list(page, signal);
    if (isTable(answer)) throw new Error("a Table cannot be cached: ask for the objects themselves");
    // servers in Go that do not take care write an empty list as null
    const items = (answer.items as readonly T[] | null | undefined) ?? [];
    return { ...answer, items };
  };
  const { first, items, paginated } = await listPages(ask, options);
  return { items, resourceVersion: resourceVersionOf(first) ?? "", paginated };
}

/** True for a Table, which is for printing: it has rows instead of objects. */
export function isTable(answer: {
  readonly kind?: string | undefined;
  readonly apiVersion?: string | undefined;
}): boolean {
  return answer.kind === "Table" && answer.apiVersion?.startsWith("meta.k8s.io/") === true;
}
