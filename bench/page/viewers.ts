/**
 * The requests of open pages, sent from a process of their own: takes the address of the page and the paths to ask for by
 * messages, and answers each message when every page has its stream. The periods are those of `web/src`.
 */
import { setMaxListeners } from "node:events";
import { Agent, get } from "node:http";

export interface Viewing {
  /** Ends with a slash. */
  readonly url: string;
  /** The number of pages that are open. */
  readonly pages: number;
  /** The paths that each page asks for again and again. */
  readonly asked: readonly { readonly path: string; readonly everyMs: number }[];
}

let end = new AbortController();

/** Resolves with the first part of the answer, which is read to its end. */
function read(url: string, agent: Agent, signal: AbortSignal): Promise<void> {
  return new Promise((begun) => {
    const request = get(url, { agent, signal, headers: { "accept-encoding": "gzip" } }, (response) => {
      response.once("data", () => begun());
      response.on("error", () => {}).resume();
    });
    request.on("error", () => begun());
  });
}

async function open({ url, asked }: Viewing, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  signal.addEventListener("abort", () => agent.destroy());
  await read(`${url}page/stream`, agent, signal);
  for (const { path, everyMs } of asked) {
    const timer = setInterval(() => void read(`${url}page/${path}`, agent, signal), everyMs);
    signal.addEventListener("abort", () => clearInterval(timer));
  }
}

process.on("message", (viewing: Viewing) => {
  end.abort();
  end = new AbortController();
  const { signal } = end;
  // each page has some
  setMaxListeners(0, signal);
  const opened = Array.from({ length: viewing.pages }, () => open(viewing, signal));
  void Promise.all(opened).then(() => process.send?.("open"));
});
