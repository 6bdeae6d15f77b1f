/** Processes one volume: keeps its phase, and releases it when its claim is gone or bound to another volume. */
import { PersistentVolume, PersistentVolumeClaim, type PersistentVolumeStatus } from "../../api/index.js";
import type { WorkClient } from "../../client/index.js";
import { boundByController } from "../../placement/volume-claims.js";
import { ensureStatus } from "../kit/status.js";
import { provisionedBy } from "./plan.js";

export interface VolumeSurroundings {
  readonly client: WorkClient;
  claim(key: string): PersistentVolumeClaim | undefined;
  /** Enqueues a claim that should be bound to this volume and is not yet. */
  wakeClaim(key: string): void;
}

type Phase = NonNullable<PersistentVolumeStatus["phase"]>;

export async function syncVolume(volume: PersistentVolume, around: VolumeSurroundings): Promise<void> {
  const ref = volume.spec?.claimRef;
  const setPhase = async (phase: Phase): Promise<void> =>
    void (await ensureStatus(around.client, PersistentVolume, volume, { ...volume.status, phase }));
  if (!ref?.uid) return setPhase("Available");
  const { namespace = "", name = "", uid } = ref;
  const key = `${namespace}/${name}`;
  const cached = around.claim(key);
  // the cache may be behind, and a released volume is never bound again: so the server is asked
  const claim =
    cached?.metadata.uid === uid
      ? cached
      : await around.client.resource(PersistentVolumeClaim, { namespace }).getOrUndefined(name);
  const owner = claim?.metadata.uid === uid ? claim : undefined;
  const { volumeName } = owner?.spec ?? {};
  if (owner !== undefined && !volumeName) return around.wakeClaim(key);
  if (volumeName === volume.metadata.name) return setPhase("Bound");
  // its claim is gone, or has another volume
  if (owner !== undefined && !wasMadeForIt(volume)) return letGo(volume, around.client);
  if (volume.status?.phase !== "Failed") await setPhase("Released");
}

/** True for a volume that was made for its claim: it is deleted when the claim no longer needs it. */
const wasMadeForIt = ({ metadata, spec }: PersistentVolume): boolean =>
  metadata.annotations?.[provisionedBy] !== undefined && spec?.persistentVolumeReclaimPolicy === "Delete";

/** A volume that the binder bound becomes available again; one that a user reserved stays reserved. */
async function letGo(volume: PersistentVolume, client: WorkClient): Promise<void> {
  const { [boundByController]: mark, ...annotations } = volume.metadata.annotations ?? {};
  const { claimRef, ...spec } = volume.spec ?? {};
  const { uid: _uid, resourceVersion: _version, ...byName } = claimRef ?? {};
  const metadata = { ...volume.metadata, annotations };
  const next = mark === undefined ? { ...volume, spec: { ...spec, claimRef: byName } } : { ...volume, metadata, spec };
  await client.resource(PersistentVolume).update(next);
}
