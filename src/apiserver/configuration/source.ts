/** The text of a configuration, given as it is or by a file, which is read again as long as somebody follows it. */
import { readFile } from "node:fs/promises";
import { type Clock, type Logger, messageOf, type Running, startRunning } from "../../base/index.js";
import { ConfigurationError } from "./section.js";

/** A text, or the path of a file that may change while the server runs. */
export type ConfigurationSource = string | { readonly file: string };

/** Rejects for a file that cannot be read. */
export const textOf = async (source: ConfigurationSource): Promise<string> =>
  typeof source === "string" ? source : readFile(source.file, "utf8");

/** The result of reading; the error about a fault names the file. */
export function readFrom<T>(source: ConfigurationSource, text: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    if (typeof source === "string" || !(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(`${source.file}: ${error.message}`, { cause: error });
  }
}

export interface FollowOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The text that is in force. */
  readonly text: string;
  /** Puts a new text into force; a rejection leaves the old one in force. */
  changed(text: string, signal: AbortSignal): Promise<void>;
  /** Called after each change. */
  reloaded(isGood: boolean): void;
}

const lookMs = 1_000;

/** Looks at the file once a second: unlike a watch, this also sees a file behind links that are exchanged. */
export function followFile(file: string, options: FollowOptions): Running {
  const { clock, log, changed, reloaded } = options;
  let { text } = options;
  return startRunning(async function configuration(signal) {
    for (;;) {
      await clock.sleep(lookMs, signal);
      const found = await readFile(file, "utf8").catch(() => undefined);
      if (found === undefined || found === text) continue;
      text = found;
      try {
        await changed(found, signal);
        reloaded(true);
        log.info("a changed configuration is in force", { file });
      } catch (error) {
        if (signal.aborted) throw error;
        reloaded(false);
        log.error("a changed configuration cannot be used: the old one stays in force", {
          file,
          why: messageOf(error),
        });
      }
    }
  });
}
