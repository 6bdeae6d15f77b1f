/** Serves the page of a process over HTTP: takes the process's published state, gives a handler of `/` and `/page/…`. */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { statusOf } from "../api/index.js";
import { defined } from "../base/defined.js";
import { type Clock, messageOf, systemClock } from "../base/index.js";
import { type JournalEntry, type KeyState, keyStates } from "../controller/index.js";
import { momentsOf } from "./replay/moments.js";
import { ObjectReader } from "./objects/reader.js";
import { withRivals } from "./replay/rivals.js";
import { type ControllerFacts, keysAt } from "./replay/keys-at.js";
import { pastOf } from "./replay/past-of.js";
import { concerns, runLine } from "./replay/run-line.js";
import { JsonBody, openStream, type PageExchange, sendAsset, sendBody, sendJson, sendText } from "./serve/answer.js";
import { Assets } from "./serve/assets.js";
import { SharedAnswers } from "./serve/shared-answers.js";
import { judge } from "./serve/guard.js";
import type { PageSources } from "./sources.js";
import { numbersOf } from "./stream/numbers.js";
import { Hub, type Viewer } from "./stream/hub.js";
import type { KeysAnswer, RunLine } from "./wire.js";

export interface PageOptions {
  /** If it is given, the page is shown to viewers who know it; a server that other machines can reach must have one. */
  readonly token?: string | undefined;
}

/**
 * The contract of the page. For the watched process: the page changes nothing; a page that nobody looks at costs
 * nothing; a search does not hold the event loop. For its viewers: the values of a Secret never travel; a refusal of the
 * server is shown in the place of what it refuses. For everybody else: on loopback, a request that does not name this
 * machine, or comes from another site, is refused, and elsewhere one without the token; its answers allow no script of
 * others.
 *
 * Disposing ends the streams of the pages that are open.
 */
export class Page implements Disposable {
  readonly #sources: PageSources;
  readonly #options: PageOptions;
  readonly #clock: Clock;
  readonly #assets = new Assets();
  readonly #hub: Hub;
  readonly #objects: ObjectReader;
  readonly #streams = new Set<ServerResponse>();
  readonly #periodic = new SharedAnswers();

  constructor(sources: PageSources, options: PageOptions = {}) {
    this.#sources = sources;
    this.#options = options;
    this.#clock = sources.clock ?? systemClock;
    this.#hub = new Hub({ sources, clock: this.#clock, epoch: randomBytes(6).toString("hex") });
    this.#objects = new ObjectReader(sources);
  }

  /** The number of pages that are open. */
  get viewers(): number {
    return this.#hub.viewers;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = { request, response };
    const verdict = judge(request, this.#options);
    if (verdict.type === "refused") return sendText(exchange, verdict.status, verdict.why);
    if (verdict.type === "redirected")
      return sendText(exchange, 303, "", { location: verdict.to, "set-cookie": verdict.cookie });
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://page");
    if (pathname === "/") return this.#index(exchange);
    if (pathname.startsWith("/page/assets/")) return this.#asset(exchange, pathname.slice("/page/assets/".length));
    if (pathname === "/page/stream") return this.#stream(exchange, searchParams.get("after") ?? undefined);
    const ended = new AbortController();
    response.once("close", () => ended.abort());
    await this.#data(exchange, pathname, { query: searchParams, signal: ended.signal });
  }

  [Symbol.dispose](): void {
    for (const response of this.#streams) response.destroy();
    this.#hub[Symbol.dispose]();
  }

  async #index(exchange: PageExchange): Promise<void> {
    const index = await this.#assets.index();
    if (index !== undefined) return sendAsset(exchange, index, "never");
    sendText(
      exchange,
      404,
      "the page was not built: run npm run build, or keep the package's folder dashboard/web beside the program",
    );
  }

  async #asset(exchange: PageExchange, name: string): Promise<void> {
    const asset = await this.#assets.named(name);
    if (asset === undefined)
      sendText(exchange, 404, `there is no file ${name}: the page may be of another version, load it again`);
    else sendAsset(exchange, asset, "for ever");
  }

  /** Browsers send the last id by themselves when they connect again; a page that was asleep gives it as `after`. */
  #stream(exchange: PageExchange, after: string | undefined): void {
    const { request, response } = exchange;
    openStream(exchange);
    if (request.method === "HEAD") return void response.end();
    const viewer: Viewer = { send: (frame) => response.write(frame) };
    response.write("retry: 1000\n\n");
    const lastSeen = request.headers["last-event-id"];
    const viewing = this.#hub.view(viewer, (Array.isArray(lastSeen) ? lastSeen[0] : lastSeen) ?? after);
    this.#streams.add(response);
    response.on("drain", () => this.#hub.drained(viewer));
    response.once("close", () => {
      this.#streams.delete(response);
      viewing[Symbol.dispose]();
    });
  }

  async #data(
    exchange: PageExchange,
    path: string,
    asked: { readonly query: URLSearchParams; readonly signal: AbortSignal },
  ): Promise<void> {
    try {
      const found = await this.#find(path, asked);
      if (found === undefined) sendText(exchange, 404, "not found");
      else await (found instanceof JsonBody ? sendBody(exchange, found) : sendJson(exchange, found));
    } catch (error) {
      if (asked.signal.aborted) return;
      const status = error instanceof QueryError ? 400 : (statusOf(error)?.code ?? 502);
      await sendJson(exchange, { problem: messageOf(error) }, status);
    }
  }

  #find(path: string, { query, signal }: { readonly query: URLSearchParams; readonly signal: AbortSignal }): unknown {
    const text = (name: string): string => query.get(name) ?? "";
    const place = { resource: text("resource"), namespace: text("namespace"), name: text("name") };
    switch (path) {
      case "/page/keys":
        return this.#keys(query, signal);
      case "/page/runs":
        return this.#runs(query);
      case "/page/kinds":
        return this.#objects.kinds(signal);
      case "/page/table":
        return this.#objects.table({ ...place, at: text("at") }, signal);
      case "/page/why":
        return this.#objects.why({ ...place, kind: text("kind"), at: text("at"), until: untilOf(query) }, signal);
      case "/page/map":
        return this.#objects.map({ at: text("at") }, signal);
      case "/page/events":
        return this.#objects.events({ namespace: place.namespace, at: text("at") }, signal);
      case "/page/moments":
        return this.#periodic.get(path, this.#clock.monotonic(), () => momentsOf(this.#entries(), this.#clock.now()));
      case "/page/past":
        return pastOf(this.#entries(), this.#facts(), untilOf(query));
      case "/page/numbers":
        return this.#periodic.get(query.toString(), this.#clock.monotonic(), () =>
          numbersOf(this.#sources, query.getAll("metric")),
        );
      default:
        return undefined;
    }
  }

  async #keys(query: URLSearchParams, signal: AbortSignal): Promise<KeysAnswer> {
    const name = query.get("controller") ?? "";
    const loop = [...this.#sources.loops()].find((one) => one.name === name);
    if (loop === undefined) throw new QueryError(`there is no controller ${JSON.stringify(name)}`);
    const state = (query.get("state") ?? "ready") as KeyState;
    if (!keyStates.includes(state)) throw new QueryError(`state is one of ${keyStates.join(", ")}`);
    const limit = countOf(query, "limit", 100);
    const offset = countOf(query, "offset", 0);
    const [text, until] = [query.get("text") ?? "", untilOf(query)];
    if (until !== Infinity)
      return {
        at: until,
        offset,
        ...keysAt(this.#entries(), { controller: name, state, text, offset, limit, at: until }),
      };
    const page = await loop.keys({ state, text, offset, limit }, signal);
    const rows = withRivals(page.rows, name, this.#entries());
    return { at: this.#clock.now(), offset, ...page, rows };
  }

  /** The newest of the remembered reconciles that are asked for, oldest first. */
  #runs(query: URLSearchParams): readonly RunLine[] {
    const controller = query.get("controller") ?? undefined;
    const [text, until, limit] = [query.get("text") ?? "", untilOf(query), countOf(query, "limit", 100)];
    const entries = this.#sources.journal()?.entries(defined({ controller })) ?? [];
    const found = entries.filter((entry) => entry.startedAt <= until && (text === "" || concerns(entry, text)));
    return found.slice(Math.max(0, found.length - limit)).map(runLine);
  }

  #entries(): readonly JournalEntry[] {
    return this.#sources.journal()?.entries() ?? [];
  }

  #facts(): readonly ControllerFacts[] {
    return Array.from(this.#sources.loops(), (loop) => loop.figures());
  }
}

/** A query that cannot be answered. */
class QueryError extends Error {}

/** The moment of the past that is asked for, in milliseconds; Infinity for now. */
function untilOf(query: URLSearchParams): number {
  const text = query.get("until") ?? "";
  if (text === "") return Infinity;
  const until = Number(text);
  if (!Number.isFinite(until)) throw new QueryError("until is a time in milliseconds");
  return until;
}

const mostRows = 1_000;

function countOf(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name);
  if (text === null) return otherwise;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 0) throw new QueryError(`${name} is a whole number`);
  return name === "limit" ? Math.min(count, mostRows) : count;
}
