/** Writes the administrator's kubeconfig to the file that a flag names, but never over a kubeconfig that is still in use. */
import { stat } from "node:fs/promises";
import { StatusError } from "../api/index.js";
import { messageOf, systemClock, writePrivateFile } from "../base/index.js";
import { timeLimit } from "../base/time/time-limit.js";
import { connect, loadKubeconfig } from "../client/index.js";

export interface KubeconfigOut {
  readonly path: string;
  readonly text: string;
}

/**
 * Called when everything else has succeeded. A file of ours is replaced, kubectl's changes included; any other file
 * stays, and the error says why.
 */
export async function writeKubeconfigOut(out: KubeconfigOut): Promise<void> {
  await refuseObstacle(out);
  try {
    await writePrivateFile(out.path, out.text);
  } catch (error) {
    throw new Error(`cannot write the kubeconfig (${messageOf(error)}): choose another file with --kubeconfig-out`, {
      cause: error,
    });
  }
}

/** Rejects if the file must not be replaced. Called before the start, so that the user learns of it early. */
export async function refuseObstacle({ path, text }: KubeconfigOut): Promise<void> {
  const obstacle = await obstacleAt(path, text);
  if (obstacle !== undefined) {
    throw new Error(`${path} ${obstacle}: it is left as it is; choose another file with --kubeconfig-out`);
  }
}

async function obstacleAt(path: string, text: string): Promise<string | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there === undefined || (there.isFile() && there.size === 0)) return undefined;
  if (!there.isFile()) return "exists and is no file";
  let servers: readonly string[];
  try {
    const { clusters } = await loadKubeconfig(path);
    const names = clusters.map(({ name }) => name).filter((name) => name !== "coxswain");
    if (names.length > 0) return `has other clusters in it (${names.join(", ")})`;
    servers = clusters.map(({ value }) => value.server ?? "");
  } catch {
    return "exists and is no kubeconfig";
  }
  const other = servers.find((server) => server !== serverIn(text));
  return other !== undefined && (await answers(path)) ? `leads to a cluster that is running at ${other}` : undefined;
}

/** The server's address in a kubeconfig. */
const serverIn = (text: string): string | undefined => /^ +server: (\S+)$/m.exec(text)?.[1];

const patienceMs = 3_000;

/** Whether the cluster of the kubeconfig is running: another server at its address cannot present its certificate. */
async function answers(path: string): Promise<boolean> {
  using soon = timeLimit(systemClock, patienceMs, "it does not answer");
  try {
    await using client = await connect({ kubeconfig: path, fieldManager: "coxswain", userAgent: "coxswain" });
    await client.discovery.version({ signal: soon.signal });
    return true;
  } catch (error) {
    // a Status is an answer too
    return error instanceof StatusError;
  }
}
