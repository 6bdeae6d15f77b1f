/** Nominations: pods that wait for a node from which others are being removed for them. */
import type { PodInfo } from "./pod-info.js";

/** Invariant: a pod, by uid, has at most one nomination, and `#byNode` holds the same ones. */
export class Promises {
  readonly #nodes = new Map<string, string>();
  readonly #byNode = new Map<string, Map<string, PodInfo>>();

  set(info: PodInfo, node: string): void {
    this.remove(info.uid);
    this.#nodes.set(info.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, pods.set(info.uid, info));
  }

  /** The nominated node of a pod. */
  of(uid: string): string | undefined {
    return this.#nodes.get(uid);
  }

  remove(uid: string): boolean {
    const node = this.#nodes.get(uid);
    if (node === undefined) return false;
    this.#nodes.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
    return true;
  }

  readonly on = (node: string): readonly PodInfo[] => {
    // hundreds of nodes are asked for each pod, and hardly ever is there a nomination
    const pods = this.#byNode.size === 0 ? undefined : this.#byNode.get(node);
    return pods === undefined ? none : [...pods.values()];
  };
}

const none: readonly PodInfo[] = [];
