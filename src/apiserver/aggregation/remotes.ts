/** Follows the stored APIServices; knows the ones for which another server answers, and the way to that server. */
import { Agent } from "node:https";
import type { Logger, Random } from "../../base/index.js";
import type { KeyAndCertificate } from "../../base/x509/certificate.js";
import type { Backend } from "../outbound/forward.js";
import { addressesOf } from "../outbound/service-address.js";
import type { Store, StoreWatch } from "../storage/contract.js";
import { collection, placeOf, type RemoteService, remoteServiceOf } from "./remote-service.js";

export interface RemotesOptions {
  readonly store: Store;
  readonly random: Random;
  readonly log: Logger;
  /** The certificate by which this server shows other servers that it speaks for its users. */
  certificate(): KeyAndCertificate;
  /** Called after an APIService has become remote, has changed, or is remote no more. */
  changed(name: string, before: RemoteService | undefined, now: RemoteService | undefined): void;
}

interface Known {
  readonly remote: RemoteService;
  readonly place: string;
  readonly trust: Backend["trust"];
  readonly reads: Agent;
}

/** A connection without a request for this long is ended. */
const idleMs = 30_000;

/** Invariant: `#known` has the remote APIServices of the store's settled state, each with an agent that is destroyed with it. */
export class Remotes implements Disposable {
  readonly #options: RemotesOptions;
  readonly #known = new Map<string, Known>();
  #watch: StoreWatch | undefined;

  constructor(options: RemotesOptions) {
    this.#options = options;
  }

  /** `names`: the APIServices to look at first; all of them if it is undefined. */
  start(names?: Iterable<string>): void {
    const { store, log } = this.#options;
    const { revision } = store;
    const found =
      names === undefined
        ? store.list({ collection, prefix: "", from: "" }).items
        : [...names].flatMap((name) => store.get(collection, name) ?? []);
    const there = new Set(found.map(({ key }) => key));
    for (const name of this.#known.keys()) if (!there.has(name)) this.#set(name, undefined);
    for (const { key, object } of found) this.#set(key, remoteServiceOf(object));
    this.#follow(revision, log);
  }

  #follow(after: number, log: Logger): void {
    const { store } = this.#options;
    this.#watch = store.watch(
      { collection, prefix: "", after },
      (events) => {
        for (const { key, current } of events) this.#set(key, current && remoteServiceOf(current.object));
      },
      (error) => {
        log.warn("APIServices are read anew", { error });
        this.start();
      },
    );
  }

  get names(): Iterable<string> {
    return this.#known.keys();
  }

  get size(): number {
    return this.#known.size;
  }

  get(name: string): RemoteService | undefined {
    return this.#known.get(name)?.remote;
  }

  /** The remote APIServices that this service stands behind. */
  *servedBy(namespace: string, service: string): Generator<string> {
    for (const [name, { remote }] of this.#known) {
      if (remote.service.namespace === namespace && remote.service.name === service) yield name;
    }
  }

  /** A way to one of the service's endpoints. Throws if there is none. */
  backend(name: string): Backend {
    const known = this.#known.get(name);
    if (known === undefined) throw new Error(`there is no remote APIService ${JSON.stringify(name)}`);
    const addresses = addressesOf(this.#options.store, known.remote.service);
    const address = addresses[this.#options.random.int(addresses.length)] as (typeof addresses)[number];
    return { address, trust: known.trust, reads: known.reads };
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
    for (const { reads } of this.#known.values()) reads.destroy();
    this.#known.clear();
  }

  #set(name: string, remote: RemoteService | undefined): void {
    const before = this.#known.get(name);
    if (remote === undefined) {
      if (before === undefined) return;
      this.#known.delete(name);
      before.reads.destroy();
    } else {
      const place = placeOf(remote);
      if (before?.place === place) this.#known.set(name, { ...before, remote });
      else {
        before?.reads.destroy();
        const reads = new Agent({ keepAlive: true, timeout: idleMs });
        this.#known.set(name, { remote, place, trust: this.#trust(remote), reads });
      }
    }
    this.#options.changed(name, before?.remote, remote);
  }

  /** As Go does, trusts a serving certificate that is itself in the bundle. */
  #trust({ service, caBundle, insecure }: RemoteService): Backend["trust"] {
    const { key, certificate } = this.#options.certificate();
    const own = { key, cert: certificate, servername: `${service.name}.${service.namespace}.svc` };
    if (insecure) return { ...own, rejectUnauthorized: false };
    return caBundle === "" ? own : { ...own, ca: Buffer.from(caBundle, "base64"), allowPartialTrustChain: true };
  }
}
