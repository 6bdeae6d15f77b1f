/** A long list in pages. From informers and people; to the resource client's one-page lists. */
import type { KubeList, KubeObject } from "../../api/object.js";
import { isExpired } from "../../api/errors/status-guards.js";
import type { AnswerLimits } from "../request/limits.js";
import type { ListOptions } from "../request/options.js";
import type { ListStream } from "./list-stream.js";
import { PageGuard } from "./page-guard.js";

export interface PagerOptions {
  /** 500 unless it is said; 0 asks for everything at once. */
  readonly pageSize?: number;
  /** Off, an Expired on a later page is an error instead of the reason for one full list. */
  readonly fullListIfExpired?: boolean;
}

export interface PagedList<T extends KubeObject> extends KubeList<T> {
  /** More than one page was needed, or a full list after one. */
  readonly paginated: boolean;
}

/** What is needed of a resource client. */
export interface Pageable<T> {
  readonly limits: Pick<AnswerLimits, "listBytes">;
  stream(options?: ListOptions): ListStream<T>;
}

const defaultPageSize = 500;

/**
 * The whole list with the revision of its first page. Later pages are asked without resourceVersion, which servers refuse
 * together with `continue`. When the server has forgotten the revision in the middle, one full list is made with what was
 * asked at first; on the first page that is an error.
 */
export async function listPages<T extends KubeObject>(
  resource: Pageable<T>,
  options: ListOptions & PagerOptions,
): Promise<PagedList<T>> {
  const { fullListIfExpired = true } = options;
  const items: T[] = [];
  const guard = new PageGuard(resource.limits.listBytes);
  let first: Omit<KubeList<T>, "items"> | undefined;
  for (let page: ListOptions | undefined = firstPage(options); page !== undefined; ) {
    try {
      const envelope = await collect(resource, page, { items, guard });
      if (first === undefined && !envelope.metadata.continue) return { ...envelope, items, paginated: false };
      first ??= envelope;
      page = nextPage(page, envelope.metadata.continue);
    } catch (error) {
      if (first === undefined || !fullListIfExpired || !isExpired(error)) throw error;
      return { ...(await fullList(resource, options)), paginated: true };
    }
  }
  const { kind, apiVersion, metadata } = first as Omit<KubeList<T>, "items">;
  const whole = without(metadata, "continue", "remainingItemCount");
  return { kind, apiVersion, metadata: whole, items, paginated: true };
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

async function fullList<T extends KubeObject>(resource: Pageable<T>, options: ListOptions): Promise<KubeList<T>> {
  const items: T[] = [];
  const guard = new PageGuard(resource.limits.listBytes);
  const envelope = await collect(resource, without(options, "limit", "continue"), { items, guard });
  return { ...envelope, items };
}

function without<T extends object, K extends keyof T>(object: T, ...keys: readonly K[]): Omit<T, K> {
  const copy = { ...object };
  for (const key of keys) delete copy[key];
  return copy;
}

async function collect<T>(
  resource: Pageable<T>,
  options: ListOptions,
  { items, guard }: { readonly items: T[]; readonly guard: PageGuard },
): Promise<Omit<KubeList<T & KubeObject>, "items">> {
  const stream = resource.stream(options);
  const before = items.length;
  for await (const batch of stream.batches()) for (const item of batch) items.push(item);
  const envelope = stream.envelope();
  guard.read({
    items: items.length - before,
    bytes: stream.bytes,
    hasMore: Boolean(envelope.metadata.continue),
  });
  return envelope;
}
