/** Reads a long list in pages. Takes a function that asks for one page; gives all items, together or one by one. */
import type { KubeList, KubeObject } from "../../api/object.js";
import { isExpired, isGone } from "../../api/errors/status-guards.js";
import type { AnswerLimits } from "../request/limits.js";
import type { ListOptions } from "../request/options.js";
import type { ListStream } from "./list-stream.js";
import { PageGuard } from "./page-guard.js";

export interface PagerOptions {
  /** 500 by default; 0 requests everything at once. */
  readonly pageSize?: number;
  /** If false, an Expired on a later page is an error; by default it causes one full list. */
  readonly fullListIfExpired?: boolean;
}

export interface PagedList<T extends KubeObject> extends KubeList<T> {
  /** True if more than one page was needed, or a full list after one. */
  readonly paginated: boolean;
}

/** The part of a resource client that reads lists. */
export interface Pageable<T> {
  readonly limits: Pick<AnswerLimits, "listBytes">;
  stream(options?: ListOptions): ListStream<T>;
}

const defaultPageSize = 500;

/** The whole list with the revision of its first page, held to the client's limits. */
export async function listAll<T extends KubeObject>(
  resource: Pageable<T>,
  options: ListOptions & PagerOptions,
): Promise<PagedList<T>> {
  const { first, items, paginated } = await listPages(pageReader(resource), firstPage(options), options);
  if (!paginated) return { ...first, paginated };
  const { kind, apiVersion, metadata } = first;
  return { kind, apiVersion, metadata: without(metadata, "continue", "remainingItemCount"), items, paginated };
}

/** Asks for one page after another, of one list at a time; together they are held to the client's limits. */
export function pageReader<T extends KubeObject>(
  resource: Pageable<T>,
): (options: ListOptions) => Promise<KubeList<T>> {
  const newGuard = (): PageGuard => new PageGuard(resource.limits.listBytes);
  let guard = newGuard();
  return async (options) => {
    if (options.continue === undefined) guard = newGuard();
    const stream = resource.stream(options);
    const items: T[] = [];
    for await (const batch of stream.batches()) for (const item of batch) items.push(item);
    const envelope = stream.envelope();
    guard.read({ items: items.length, bytes: stream.bytes, hasMore: Boolean(envelope.metadata.continue) });
    return { ...envelope, items };
  };
}

/** The options that pages are asked for with. */
interface PageOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
}

interface Page<T> {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly T[];
}

export interface Pages<T, P> {
  /** Its metadata is the whole list's: later pages are of its revision. */
  readonly first: P;
  readonly items: readonly T[];
  readonly paginated: boolean;
}

/**
 * All items of a list that is asked for page by page. Later pages are asked for without resourceVersion, which servers
 * refuse together with `continue`. If the server forgets the revision before the last page, the list is asked for once
 * more, in one piece. If it has already forgotten the revision of the first page, the list rejects with its 410.
 */
export async function listPages<T, P extends Page<T>, O extends PageOptions>(
  ask: (options: O) => Promise<P & Page<T>>,
  options: O,
  { fullListIfExpired = true }: Pick<PagerOptions, "fullListIfExpired"> = {},
): Promise<Pages<T, P>> {
  const first = await ask(options);
  if (!first.metadata.continue) return { first, items: first.items, paginated: false };
  const items = [...first.items];
  for (let token: string | undefined = first.metadata.continue; token; ) {
    try {
      const page: Page<T> = await ask({
        ...without(options, "resourceVersion", "resourceVersionMatch"),
        continue: token,
      } as O);
      for (const item of page.items) items.push(item);
      token = page.metadata.continue;
    } catch (error) {
      if (!fullListIfExpired || !(isExpired(error) || isGone(error))) throw error;
      const whole = await ask(without(options, "limit", "continue") as O);
      return { first: whole, items: whole.items, paginated: true };
    }
  }
  return { first, items, paginated: true };
}

export async function* eachItem<T>(
  resource: Pageable<T>,
  options: ListOptions & PagerOptions,
): AsyncGenerator<T, void, undefined> {
  const guard = new PageGuard(resource.limits.listBytes);
  for (let page: ListOptions | undefined = firstPage(options); page !== undefined; ) {
    const stream = resource.stream(page);
    let items = 0;
    for await (const batch of stream.batches()) {
      items += batch.length;
      yield* batch;
    }
    const { continue: token } = stream.envelope().metadata;
    guard.read({ items, bytes: 0, hasMore: Boolean(token) });
    page = nextPage(page, token);
  }
}

function firstPage(options: ListOptions & PagerOptions): ListOptions {
  const { pageSize = defaultPageSize } = options;
  return options.limit === undefined || options.limit === 0 ? { ...options, limit: pageSize } : options;
}

function nextPage(page: ListOptions, token: string | undefined): ListOptions | undefined {
  return token ? { ...without(page, "resourceVersion", "resourceVersionMatch"), continue: token } : undefined;
}

function without<T extends object, K extends keyof T>(object: T, ...keys: readonly K[]): Omit<T, K> {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}
