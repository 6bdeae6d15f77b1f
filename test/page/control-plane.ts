/** `coxswain up` of the built package, in a process of its own, with its page and a client. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, connect } from "../../src/client/index.js";
import { eventually } from "../eventually.js";
import { repository } from "../source-files.js";

export interface ControlPlane extends AsyncDisposable {
  readonly client: Client;
  /** The file with the administrator's credentials. */
  readonly kubeconfig: string;
  /** Ends with a slash. */
  readonly pageUrl: string;
}

const program = `${repository}dist/cli/main.js`;

/** A given status port is taken again by a process that comes back. */
export async function startControlPlane(statusPort = 0): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-page-"));
  const kubeconfig = join(folder, "kubeconfig");
  const args = [
    "up",
    "--port",
    "0",
    "--status-port",
    String(statusPort),
    "--log-level",
    "error",
    "--kubeconfig-out",
    kubeconfig,
  ];
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk.toString();
  });
  await eventually("coxswain up is up", () => printed.includes("Ctrl-C"));
  const client = await connect({ kubeconfig });
  return {
    client,
    kubeconfig,
    pageUrl: /^ {2}page +(http:\S+)$/m.exec(printed)?.[1] ?? "",
    async [Symbol.asyncDispose]() {
      await client.close();
      child.kill("SIGTERM");
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
