/** Writes audit events as lines of JSON into a file, which is rotated by size; old files are removed by age and number. */
import { type FileHandle, mkdir, open, readdir, rename, unlink } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { type Clock, type Logger, OutageLog } from "../../base/index.js";
import { type AuditSink, EventQueue, type EventText } from "./sink.js";

/** kube-apiserver's flags `--audit-log-…`, with its defaults. */
export interface AuditLogOptions {
  /** `-` is the standard output. */
  readonly path: string;
  /** The size in megabytes at which a new file is begun. Default 100. */
  readonly maxSizeMb?: number;
  /** The days after which an old file is removed; 0: never. Default 366. */
  readonly maxAgeDays?: number;
  /** The number of old files that are kept; 0: all. Default 100. */
  readonly maxBackups?: number;
}

interface LogFileParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for each event that is lost. */
  lost(): void;
  /** Writes to the standard output. */
  print(text: string): void;
}

const dayMs = 86_400_000;
const waiting = { maxEvents: 100_000, maxBytes: 64 * 1024 * 1024 };
const perWrite = 256;

const lineOf = (event: EventText): string => `{"kind":"Event","apiVersion":"audit.k8s.io/v1",${event.slice(1)}\n`;

/** Opens the file at once: a path that cannot be written is an error of the start. */
export async function openAuditLog(options: AuditLogOptions, parts: LogFileParts): Promise<AuditSink> {
  const { path } = options;
  if (path === "-") {
    return { take: (event) => parts.print(lineOf(event)), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  await mkdir(dirname(path), { recursive: true });
  const file = await openFile(path);
  return new LogFile(options, parts, file);
}

interface OpenFile {
  readonly handle: FileHandle;
  size: number;
}

async function openFile(path: string): Promise<OpenFile> {
  const handle = await open(path, "a", 0o600);
  return { handle, size: (await handle.stat()).size };
}

/**
 * Invariants:
 * 1. Only `#run` touches the file, and at most one run is under way: `#running` until it ends.
 * 2. While events wait, a run is under way.
 */
class LogFile implements AuditSink {
  readonly #options: Required<AuditLogOptions>;
  readonly #parts: LogFileParts;
  readonly #queue: EventQueue;
  readonly #outage: OutageLog;
  /** Undefined while no file could be opened. */
  #file: OpenFile | undefined;
  #running: Promise<void> | undefined;

  constructor(options: AuditLogOptions, parts: LogFileParts, file: OpenFile) {
    const { maxSizeMb = 100, maxAgeDays = 366, maxBackups = 100 } = options;
    // as upstream, a size of 0 is the default
    this.#options = { path: options.path, maxSizeMb: maxSizeMb || 100, maxAgeDays, maxBackups };
    this.#parts = parts;
    this.#queue = new EventQueue({ ...waiting, dropped: () => parts.lost() });
    const words = { failing: "audit events could not be written", over: "audit events are written again" };
    this.#outage = new OutageLog({ logger: parts.log, clock: parts.clock, ...words });
    this.#file = file;
  }

  take(event: EventText): void {
    this.#queue.push(event);
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    // the events of one turn go together
    await Promise.resolve();
    while (this.#queue.size > 0) {
      const events = this.#queue.shift(perWrite);
      try {
        await this.#write(Buffer.from(events.map(lineOf).join("")));
        this.#outage.worked();
      } catch (error) {
        for (const _ of events) this.#parts.lost();
        this.#outage.failed({ error });
      }
    }
  }

  async #write(lines: Buffer): Promise<void> {
    const { path, maxSizeMb } = this.#options;
    const file = (this.#file ??= await openFile(path));
    const isFull = file.size > 0 && file.size + lines.length > maxSizeMb * 1024 * 1024;
    const { handle } = isFull ? await this.#rotate(file) : file;
    await handle.writeFile(lines);
    (this.#file as OpenFile).size += lines.length;
  }

  async #rotate({ handle }: OpenFile): Promise<OpenFile> {
    const { path } = this.#options;
    this.#file = undefined;
    await handle.close();
    await rename(path, this.#backupName());
    const file = await openFile(path);
    this.#file = file;
    await this.#prune();
    return file;
  }

  /** `audit-2026-01-31T12-00-00.000.log` for `audit.log`. */
  #backupName(): string {
    const { path } = this.#options;
    const time = new Date(this.#parts.clock.now()).toISOString().slice(0, 23).replaceAll(":", "-");
    const end = extname(path);
    return join(dirname(path), `${basename(path, end)}-${time}${end}`);
  }

  async #prune(): Promise<void> {
    const { path, maxAgeDays, maxBackups } = this.#options;
    const end = extname(path);
    const start = `${basename(path, end)}-`;
    const backups: { name: string; at: number }[] = [];
    for (const name of await readdir(dirname(path))) {
      if (!name.startsWith(start) || !name.endsWith(end)) continue;
      const time = name.slice(start.length, name.length - end.length);
      const at = Date.parse(`${time.replace(/T(\d\d)-(\d\d)-(\d\d)/, "T$1:$2:$3")}Z`);
      if (!Number.isNaN(at)) backups.push({ name, at });
    }
    backups.sort((a, b) => b.at - a.at);
    const oldest = maxAgeDays === 0 ? Number.NEGATIVE_INFINITY : this.#parts.clock.now() - maxAgeDays * dayMs;
    const kept = maxBackups === 0 ? backups.length : maxBackups;
    const surplus = backups.filter(({ at }, index) => index >= kept || at < oldest);
    for (const { name } of surplus) await unlink(join(dirname(path), name));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (this.#running !== undefined) await this.#running;
    await this.#file?.handle.close();
    this.#file = undefined;
  }
}
