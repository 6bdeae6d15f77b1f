/** The identity that a cluster in memory leaves to the next one with the same kubeconfig, so that its clients keep working. */
import { stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { createPrivateFile, makePrivateFolder, systemClock } from "../base/index.js";

export interface Inheritance {
  readonly identityDir: string;
  readonly firstRevision: number;
}

/**
 * The keys lie in `.coxswain` beside the kubeconfig, which is as secret as they are; a .gitignore excludes them.
 * Revisions begin with the time in milliseconds: no cluster writes as often as that, so clients that watched the
 * previous cluster are told to list anew.
 */
export async function besideKubeconfig(flags: { readonly kubeconfigOut: string }): Promise<Inheritance> {
  const folder = dirname(resolve(flags.kubeconfigOut));
  if (!(await stat(folder).catch(() => undefined))?.isDirectory())
    throw new Error(`there is no folder ${folder} for the kubeconfig: choose another file with --kubeconfig-out`);
  const identityDir = join(folder, ".coxswain");
  await makePrivateFolder(identityDir);
  await createPrivateFile(join(identityDir, ".gitignore"), "*\n");
  return { identityDir, firstRevision: systemClock.now() };
}
