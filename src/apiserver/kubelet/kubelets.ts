/** Finds the kubelets of nodes and speaks to them: gives the place of each, and the certificate to show there. */
import { Agent } from "node:https";
import { newFailure, newNotFound, type Node } from "../../api/index.js";
import type { KeyAndCertificate } from "../../base/x509/certificate.js";
import type { Backend } from "../outbound/forward.js";
import { hostAndPort } from "../../base/net/go-words.js";
import type { Store } from "../storage/contract.js";

export interface KubeletOptions {
  /** The authority of the kubelets' certificates, in PEM; by default they are not checked, as on a real server. */
  readonly authority?: string;
  /**
   * Whether the `proxy` of nodes may lead to a kubelet on this machine's loopback address; false by default, as on a
   * real server, because other programs may listen there, too.
   */
  readonly onLoopback?: boolean;
}

export interface KubeletsOptions extends KubeletOptions {
  readonly store: Store;
  /** Shown to kubelets. */
  certificate(): KeyAndCertificate;
}

export interface KubeletPlace extends Backend {
  readonly port: number;
  /** `https://host:port`, for messages. */
  readonly url: string;
}

const defaultPort = 10_250;
/** The types of a node's addresses, the best first: kube-apiserver's default. */
const addressTypes = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
const idleMs = 30_000;

interface Connections {
  readonly reads: Agent;
  readonly trust: NonNullable<Backend["trust"]>;
}

export class Kubelets implements Disposable {
  readonly #options: KubeletsOptions;
  /** Made at the first use. */
  #kept: Connections | undefined;

  constructor(options: KubeletsOptions) {
    this.#options = options;
  }

  get onLoopback(): boolean {
    return this.#options.onLoopback ?? false;
  }

  /**
   * Throws a StatusError if the node is not there, or has no address. Like a real server, the error about a missing node
   * names the resource of the request: a pod's log says that there is no pod of the node's name.
   */
  of(nodeName: string, resource: "nodes" | "pods"): KubeletPlace {
    const node = this.#options.store.get("nodes", nodeName)?.object as Node | undefined;
    if (node === undefined) throw newNotFound({ group: "", resource }, nodeName);
    const host = addressOf(node);
    const port = node.status?.daemonEndpoints?.kubeletEndpoint?.Port || defaultPort;
    const { reads, trust } = this.#connections();
    return { address: { host, port }, port, trust, reads, url: `https://${hostAndPort(host, port)}` };
  }

  #connections(): Connections {
    if (this.#kept !== undefined) return this.#kept;
    const { authority } = this.#options;
    const { key, certificate } = this.#options.certificate();
    const checked = authority === undefined ? { rejectUnauthorized: false } : { ca: authority };
    const reads = new Agent({ keepAlive: true, timeout: idleMs });
    return (this.#kept = { reads, trust: { key, cert: certificate, ...checked } });
  }

  [Symbol.dispose](): void {
    this.#kept?.reads.destroy();
    this.#kept = undefined;
  }
}

function addressOf({ status }: Node): string {
  const addresses = status?.addresses ?? [];
  for (const type of addressTypes) {
    const found = addresses.find((address) => address.type === type);
    if (found !== undefined) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
  throw newFailure({ message: `no preferred addresses found; known addresses: [${known}]`, code: 500 });
}
