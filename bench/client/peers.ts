/** The programs that bench/client.ts compares, and the protocol with them: ours, client-go's two forms and client-node. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const cache = resolve(".cache", "bench");

/** A program that does the work. */
export interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly cwd?: string;
}

export interface Sample {
  readonly ms: number;
  readonly cpuMs: number;
  /** In MB. */
  readonly peakRss: number;
  readonly items: number;
  readonly stallMs?: number;
}

/** A program that answers each line with a line. */
export interface Conversation extends AsyncDisposable {
  ask(command: string): Promise<Sample>;
}

export function start({ command: [program = "", ...args], cwd }: Peer, argument: string): Conversation {
  const child = spawn(program, [...args, argument], { cwd, stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(command) {
      child.stdin.write(`${command}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`${program} ended`);
      return JSON.parse(value) as Sample;
    },
    async [Symbol.asyncDispose]() {
      const ended = new Promise((settle) => child.once("close", settle));
      child.stdin.end();
      await ended;
    },
  };
}

const ours = fileURLToPath(new URL("./ours.js", import.meta.url));

export function allPeers(log: (message: string) => void): readonly Peer[] {
  mkdirSync(cache, { recursive: true });
  const own: Peer = { name: "ours", command: [process.execPath, ours] };
  return [own, ...goPeers(log), nodePeer(log)].filter((peer) => peer !== undefined);
}

/** Node's own HTTP/2 without anything around it: the upper bound for a client on it. Requests only. */
export const barePeer: Peer = {
  name: "bare node:http2",
  command: [process.execPath, fileURLToPath(new URL("./bare.js", import.meta.url))],
};

/** Client-go uses protobuf for built-in kinds by default. None without a Go toolchain. */
export function goPeers(log: (message: string) => void): readonly Peer[] {
  mkdirSync(cache, { recursive: true });
  const program = join(cache, "client-go");
  const cwd = join("bench", "peers", "client-go");
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd, encoding: "utf8" });
  if (built.status === 0) {
    return ["protobuf", "json"].map((form) => ({ name: `client-go (${form})`, command: [program, form] }));
  }
  log(`no comparison with client-go: ${built.error?.message ?? built.stderr}`);
  return [];
}

function nodePeer(log: (message: string) => void): Peer | undefined {
  const folder = join(cache, "client-node-1.4");
  mkdirSync(folder, { recursive: true });
  const program = resolve("bench", "peers", "client-node", "main.mjs");
  const peer = { name: "client-node", command: [process.execPath, program], cwd: folder };
  if (existsSync(join(folder, "node_modules", "@kubernetes", "client-node"))) return peer;
  const args = ["install", "--no-save", "--no-package-lock", "--prefix", folder, "@kubernetes/client-node@1.4.0"];
  const installed = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (installed.status === 0) return peer;
  log(`no comparison with client-node: ${installed.error?.message ?? installed.stderr}`);
  return undefined;
}
