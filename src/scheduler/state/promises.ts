/** Pods that wait for a node that they were promised, because others are removed from it for them. From the scheduler; to the filters' tests. */
import type { PodInfo } from "./pod-info.js";

/** A pod, by uid, has at most one promise; `#byNode` has the same ones. */
export class Promises {
  readonly #nodes = new Map<string, string>();
  readonly #byNode = new Map<string, Map<string, PodInfo>>();

  set(info: PodInfo, node: string): void {
    this.remove(info.uid);
    this.#nodes.set(info.uid, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, pods.set(info.uid, info));
  }

  /** The node that was promised. */
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
    const pods = this.#byNode.get(node);
    return pods === undefined ? none : [...pods.values()];
  };
}

const none: readonly PodInfo[] = [];
