/** The volumes that pods use on simulated nodes: which have to be attached first, and which a node reports as in use. */
import { CSIDriver, type Node, PersistentVolume, PersistentVolumeClaim, type Pod } from "../api/index.js";
import type { Client } from "../client/index.js";
import { attachableName, isAttached } from "../placement/attachments.js";
import { claimsOfPod } from "../placement/volume-claims.js";

interface UseOptions {
  readonly signal: AbortSignal;
  onUse(): void;
}

/** Invariant: a pod is in `#users` of its node from the moment its volumes are known until it is released. */
export class NodeVolumes {
  readonly #client: Client;
  /** The volumes of each pod, by node and by the pod's uid; pods without volumes are remembered, too. */
  readonly #users = new Map<string, Map<string, readonly string[]>>();
  /** Whether the volumes of a driver have to be attached, which never changes. */
  readonly #drivers = new Map<string, boolean>();

  constructor(client: Client) {
    this.#client = client;
  }

  /**
   * Whether all volumes of the pod are attached to its node. `onUse` is called when the node has to report more volumes
   * as in use. A claim that is not bound yet is waited for, too.
   */
  async areReady(pod: Pod, node: Node, options: UseOptions): Promise<boolean> {
    const { signal, onUse } = options;
    const { uid = "" } = pod.metadata;
    const { name } = node.metadata;
    if (claimsOfPod(pod).length === 0) return true;
    let volumes = this.#users.get(name)?.get(uid);
    if (volumes === undefined) {
      volumes = await this.#volumesOf(pod, signal);
      const users = this.#users.get(name) ?? new Map<string, readonly string[]>();
      this.#users.set(name, users.set(uid, volumes));
      if (volumes.length > 0) onUse();
    }
    return volumes.every((volume) => isAttached(node, volume));
  }

  /** Gives true if the node may use fewer volumes from now on. */
  release(node: string, uid: string): boolean {
    const users = this.#users.get(node);
    const volumes = users?.get(uid) ?? [];
    users?.delete(uid);
    if (users?.size === 0) this.#users.delete(node);
    return volumes.length > 0;
  }

  /** The volumes that a node reports, by name. */
  inUse(node: string): readonly string[] {
    return [...new Set([...(this.#users.get(node)?.values() ?? [])].flat())].toSorted();
  }

  /** Asks the server, as kubelets do: pods with claims are few beside the others. */
  async #volumesOf(pod: Pod, signal: AbortSignal): Promise<readonly string[]> {
    const { namespace = "" } = pod.metadata;
    const found: string[] = [];
    for (const { name } of claimsOfPod(pod)) {
      const claim = await this.#client.resource(PersistentVolumeClaim, { namespace }).getOrUndefined(name, { signal });
      const { volumeName } = claim?.spec ?? {};
      if (!volumeName) continue;
      const volume = await this.#client.resource(PersistentVolume).getOrUndefined(volumeName, { signal });
      const attachable = volume && attachableName(volume);
      const driver = volume?.spec?.csi?.driver ?? "";
      if (attachable !== undefined && (await this.#isAttached(driver, signal))) found.push(attachable);
    }
    return found;
  }

  /** A driver that nobody has registered attaches nothing: its pods do not wait. */
  async #isAttached(driver: string, signal: AbortSignal): Promise<boolean> {
    const known = this.#drivers.get(driver);
    if (known !== undefined) return known;
    const registered = await this.#client.resource(CSIDriver).getOrUndefined(driver, { signal });
    if (registered === undefined) return false;
    const required = registered.spec.attachRequired !== false;
    this.#drivers.set(driver, required);
    return required;
  }
}
