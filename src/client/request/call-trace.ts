/** Where a call was made, for an error that its caller does not wait for. From exchange.ts, which keeps it while a call is open. */

/** The place of a call, as a stack whose text is made only when it is first read. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * An error tells where its promise is awaited, and so of a forgotten `await` nothing. The first calls of a client therefore remember
 * where they were made; later ones do not, because it costs more than all the rest of a small call, and a program has made its
 * kinds of calls by then.
 */
const rememberedCalls = 200;

export class CallTrace {
  #left = rememberedCalls;

  /** The place of the call that is being made now; undefined once enough were remembered. */
  site(): CallSite | undefined {
    if (this.#left === 0) return undefined;
    this.#left--;
    const site: CallSite = {};
    Error.captureStackTrace(site);
    return site;
  }
}

/** The same error, whose stack also leads to the call if it does not yet. */
export function calledFrom(error: unknown, site: CallSite | undefined): unknown {
  if (site?.stack === undefined || !(error instanceof Error) || error.stack === undefined) return error;
  const { stack } = error;
  const frames = site.stack.split("\n").slice(1);
  // code that awaits the call stands in the error's own stack
  if (frames.some((frame) => stack.includes(placeOf(frame)))) return error;
  error.stack = `${stack}\n    at the call\n${frames.join("\n")}`;
  return error;
}

/** `…/program.js:12`, without the column, which is another for the call than for its await. */
function placeOf(frame: string): string {
  return /([^()\s]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? frame;
}
