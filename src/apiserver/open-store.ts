/** Takes the options about a server's objects; opens the store that keeps them, in a folder or in memory. */
import type { Clock, Logger } from "../base/index.js";
import { fitsIn } from "./codec/stored-size.js";
import type { Store, Stored } from "./storage/contract.js";
import { openDiskStore } from "./storage/disk/open.js";
import { MvccStore } from "./storage/mvcc-store.js";
import { Versions } from "./storage/versions.js";

interface Kept {
  readonly dataDir?: string;
  readonly firstRevision?: number;
  readonly freeze?: boolean;
}

export function openStore(
  { dataDir, firstRevision = 0, freeze = false }: Kept,
  { clock, log, objectBytes }: { clock: Clock; log: Logger; objectBytes: number },
): Store | Promise<Store> {
  const options = { clock, freeze, fits: (stored: Stored): boolean => fitsIn(stored, objectBytes) };
  if (dataDir !== undefined) return openDiskStore({ directory: dataDir, log, ...options });
  return new MvccStore({ ...options, state: new Versions({ revision: firstRevision, freeze }) });
}
