/** What a cluster in memory leaves to the next one that is started for the same kubeconfig, so that its clients go on. Used by `up`. */
import { dirname, join, resolve } from "node:path";
import { createPrivateFile, makePrivateFolder, systemClock } from "../base/index.js";

export interface Inheritance {
  readonly identityDir: string;
  readonly firstRevision: number;
}

/**
 * Its keys lie in `.coxswain` beside the kubeconfig, which holds no less of a secret; Git is told to leave them out. Revisions begin
 * with the time in milliseconds: no cluster writes as often as that, so whoever watched the one before is told to list anew.
 */
export async function besideKubeconfig(flags: { readonly kubeconfigOut: string }): Promise<Inheritance> {
  const identityDir = join(dirname(resolve(flags.kubeconfigOut)), ".coxswain");
  await makePrivateFolder(identityDir);
  await createPrivateFile(join(identityDir, ".gitignore"), "*\n");
  return { identityDir, firstRevision: systemClock.now() };
}
