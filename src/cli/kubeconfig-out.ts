/** Writes the administrator's kubeconfig where a flag says, and never over somebody's other clusters. From `up` and `apiserver`. */
import { stat } from "node:fs/promises";
import { writeKubeconfig } from "../apiserver/index.js";
import { loadKubeconfig } from "../client/index.js";

/** A file of ours is replaced, with whatever kubectl has changed in it; any other is left as it is, and the error says why. */
export async function writeKubeconfigOut(path: string, text: string): Promise<void> {
  const obstacle = await obstacleAt(path);
  if (obstacle !== undefined) {
    throw new Error(`${path} ${obstacle}: it is left as it is; choose another file with --kubeconfig-out`);
  }
  try {
    await writeKubeconfig(path, text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`cannot write the kubeconfig (${why}): choose another file with --kubeconfig-out`, {
      cause: error,
    });
  }
}

/** What stands in the way of writing to the path, if anything does. */
async function obstacleAt(path: string): Promise<string | undefined> {
  const there = await stat(path).catch(() => undefined);
  if (there === undefined || (there.isFile() && there.size === 0)) return undefined;
  if (!there.isFile()) return "exists and is no file";
  try {
    const { clusters } = await loadKubeconfig(path);
    const names = clusters.map(({ name }) => name).filter((name) => name !== "coxswain");
    return names.length === 0 ? undefined : `has other clusters in it (${names.join(", ")})`;
  } catch {
    return "exists and is no kubeconfig";
  }
}
