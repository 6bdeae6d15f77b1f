/** Locks the data folder to one process: by a socket in it, which the kernel closes with its process. */
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, realpath, rename, rm, symlink } from "node:fs/promises";
import { createConnection, createServer, type Server, type Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import type { Clock } from "../../../base/index.js";

export interface FolderLock {
  release(): Promise<void>;
}

/** The time that a living process may take to identify itself; a stopped one never does. */
const patienceMs = 2_000;

const lockName = /^lock\.[0-9a-f]{12}$/;
const draftName = /^lock-draft\.[0-9a-f]{12}$/;

/**
 * A process that wants the folder listens on a socket in it, under a name of its own, and then looks for others. A
 * socket that refuses a connection has lost its process, because a process listens before its socket gets its name; the
 * kernel knows this across containers, and after any kind of death.
 *
 * 1. The process whose socket is named later sees the earlier one. So of two, at least one sees the other, and they
 *    never both hold the folder.
 * 2. No process withdraws for one that does not hold the folder, unless that one's name comes first. So of several at
 *    once, one gets it.
 * 3. A name is never used twice, so that any process can remove a dead socket at any time.
 */
export function lockFolder(directory: string, clock: Clock): Promise<FolderLock> {
  return process.platform === "win32" ? lockByPipe(directory, clock) : lockBySocket(directory, clock);
}

async function lockBySocket(directory: string, clock: Clock): Promise<FolderLock> {
  await using way = await shortWay(directory);
  const id = randomBytes(6).toString("hex");
  const name = `lock.${id}`;
  const claim = await listenAt(join(way.path, `lock-draft.${id}`)).catch((error: unknown) => {
    throw withoutSockets.has(codeOf(error)) ? noSockets(directory, error) : error;
  });
  const release = async (): Promise<void> => {
    await rm(join(directory, name), { force: true });
    await claim.close();
  };
  try {
    await rename(join(directory, `lock-draft.${id}`), join(directory, name));
    await outlast(name, { directory, way: way.path, clock });
    claim.hold();
    for (const left of await readdir(directory)) {
      if (draftName.test(left)) await rm(join(directory, left), { force: true });
    }
  } catch (error) {
    await release();
    // only a holder removes drafts
    throw codeOf(error) === "ENOENT" ? inUse(directory, "another process") : error;
  }
  return { release };
}

interface Contest {
  readonly directory: string;
  /** A path to the folder that is short enough for a socket. */
  readonly way: string;
  readonly clock: Clock;
}

/** Resolves when no other process is left; rejects if another process holds the folder or comes first. */
async function outlast(own: string, { directory, way, clock }: Contest): Promise<void> {
  for (;;) {
    const others = (await readdir(directory)).filter((name) => lockName.test(name) && name !== own);
    if (others.length === 0) return;
    for (const name of others) {
      const answer = await ask(join(way, name), { clock, untilDecided: name > own });
      if (answer.type === "dead") await rm(join(directory, name), { force: true });
      if (answer.type === "alive") throw inUse(directory, answer.who);
    }
  }
}

/** A named pipe is outside any folder, and the kernel removes it, so there is nothing to tidy up. */
async function lockByPipe(directory: string, clock: Clock): Promise<FolderLock> {
  const folder = (await realpath(directory)).toLowerCase();
  const path = `\\\\.\\pipe\\coxswain-${createHash("sha256").update(folder).digest("hex")}`;
  try {
    const claim = await listenAt(path);
    claim.hold();
    return { release: claim.close };
  } catch (error) {
    if (codeOf(error) !== "EADDRINUSE") throw error;
    const answer = await ask(path, { clock, untilDecided: false });
    throw inUse(directory, answer.type === "alive" ? answer.who : "");
  }
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code);

/** The error codes of file systems that cannot hold sockets. */
const withoutSockets: ReadonlySet<string> = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP"]);

const noSockets = (directory: string, cause: unknown): Error =>
  new Error(`the data folder ${directory} cannot be locked, for its file system has no sockets: use a local disk`, {
    cause,
  });

const inUse = (directory: string, who: string): Error =>
  new Error(`the data folder ${directory} is in use by ${who === "" ? "a process that does not answer" : who}`);

interface Claim {
  /** Tells all processes that ask, now and later, that the folder is held. */
  hold(): void;
  readonly close: () => Promise<void>;
}

async function listenAt(path: string): Promise<Claim> {
  const asking = new Set<Socket>();
  let held = false;
  const server: Server = createServer((socket) => {
    asking.add(socket.on("close", () => asking.delete(socket)).on("error", () => {}));
    socket.unref().write(`process ${process.pid} on ${hostname()}\n`);
    if (held) socket.end(holds);
  });
  server.listen({ path, exclusive: true });
  await once(server, "listening");
  server.unref();
  return {
    hold() {
      held = true;
      for (const socket of asking) socket.end(holds);
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of asking) socket.destroy();
      await closed;
    },
  };
}

/** Sent after the process's name once it holds the folder. */
const holds = "holds it\n";

/** "gone": the process has withdrawn, or died just now. */
type Answer = { readonly type: "dead" | "gone" } | { readonly type: "alive"; readonly who: string };

function ask(path: string, options: { readonly clock: Clock; readonly untilDecided: boolean }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    let text = "";
    const settle = (answer: Answer | Error): void => {
      timer[Symbol.dispose]();
      socket.destroy();
      if (answer instanceof Error) reject(answer);
      else resolve(answer);
    };
    const alive = (): void => settle({ type: "alive", who: text.split("\n", 1)[0] ?? "" });
    const timer = options.clock.timer(patienceMs, alive);
    socket.on("data", (chunk) => {
      text += chunk.toString();
      if (text.endsWith(holds) || (!options.untilDecided && text.endsWith("\n"))) alive();
    });
    socket.on("close", () => settle({ type: "gone" }));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED") settle({ type: "dead" });
      else if (error.code === "ENOENT" || error.code === "ECONNRESET" || error.code === "EPIPE") {
        settle({ type: "gone" });
      }
      // too many processes are asking it already, and the kernel queues no more
      else if (error.code === "EAGAIN") alive();
      else settle(new Error(`cannot see whether ${path} is in use (${error.message})`, { cause: error }));
    });
  });
}

/** The longest path of a socket on every system; a deeper folder is reached by a link while it is being locked. */
const longestPath = 103;

async function shortWay(directory: string): Promise<AsyncDisposable & { readonly path: string }> {
  const spare = "/lock-draft.0123456789ab".length;
  if (Buffer.byteLength(directory) + spare <= longestPath) return { path: directory, async [Symbol.asyncDispose]() {} };
  const folder = await mkdtemp(join(tmpdir(), "cox-"));
  const path = join(folder, "d");
  await symlink(await realpath(directory), path);
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
