/** Remembers where a call was made, for an error of a call that nobody awaits. */

/** The place of a call, as a stack whose text is made only when it is first read. */
export interface CallSite {
  readonly stack?: string;
}

/**
 * An error's stack leads to the place where its promise is awaited, so for a forgotten `await` it leads nowhere. The
 * first calls of a client therefore remember where they were made; later ones do not, because it costs more than the
 * rest of a small call, and by then a program has made its kinds of calls.
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

/** The same error, with the call added to its stack unless it is already there. */
export function calledFrom(error: unknown, site: CallSite | undefined): unknown {
  if (site?.stack === undefined || !(error instanceof Error) || error.stack === undefined) return error;
  const { stack } = error;
  const frames = site.stack.split("\n").slice(1);
  // code that awaits the call is already in the error's own stack
  if (frames.some((frame) => stack.includes(placeOf(frame)))) return error;
  error.stack = `${stack}\n    at the call\n${frames.join("\n")}`;
  return error;
}

/** `…/program.js:12`, without the column, which differs between the call and its await. */
function placeOf(frame: string): string {
  return /(?<![^()\s])([^()\s]+:\d+):\d+\)?$/.exec(frame)?.[1] ?? frame;
}
