/** Reads objects for the page through the process's client: kinds, tables, the history of one object, events and the map. */
import {
  apiVersionOf,
  Event as EventType,
  type KubeObject,
  Node,
  type OwnerReference,
  Pod,
  resourceKey,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { messageOf } from "../../base/index.js";
import { buildRequest, type Client, type DiscoveredResource } from "../../client/index.js";
import { causesOf } from "../../controller/index.js";
import type { PageSources } from "../sources.js";
import type { ClusterMap, EventLine, KindLine, ObjectLink, TableAnswer, WhyAnswer } from "../wire.js";
import { chainAnswer, revisionsOf } from "./chain.js";
import { eventLine } from "./events.js";
import { ownerTree, type FamilyMember, linkOf } from "./family.js";
import { mapOf } from "./map.js";
import { joined, Past, type ReadAt } from "./past.js";
import { withoutSecrets } from "./redact.js";

const mostRows = 1_000;
const mostEvents = 200;
const mostRuns = 150;

export interface TableQuery {
  readonly resource: string;
  /** "" for all. */
  readonly namespace: string;
  /** A revision of the past, which the server must still remember; "" for now. */
  readonly at: string;
}

export interface WhyQuery {
  /** `apps/v1/deployments`, or a name as kubectl takes it; or "" if the kind is given. */
  readonly resource: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** A revision of the past at which the object is shown; "" for now. */
  readonly at: string;
}

interface ServerTable {
  readonly metadata?: { readonly resourceVersion?: string; readonly remainingItemCount?: number };
  readonly columnDefinitions?: readonly {
    readonly name: string;
    readonly priority?: number;
    readonly description?: string;
  }[];
  readonly rows?: readonly {
    readonly cells: TableAnswer["rows"][number]["cells"];
    readonly object?: { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
  }[];
}

/** Reads objects for the page with the process's own client: a refusal of the server becomes the answer's error. */
export class ObjectReader {
  readonly #sources: PageSources;
  readonly #past = new Past();

  constructor(sources: PageSources) {
    this.#sources = sources;
  }

  async kinds(signal: AbortSignal): Promise<readonly KindLine[]> {
    const { resources } = await this.#client.discovery.all({ signal });
    return resources
      .filter(({ verbs, plural }) => verbs.includes("list") && !plural.includes("/"))
      .map((type): KindLine => {
        const { kind, group, scope } = type;
        const custom = group.includes(".") && !group.endsWith(".k8s.io");
        return { resource: resourceKey(type), kind, group, namespaced: scope === "Namespaced", custom };
      });
  }

  /** The objects of a kind with the columns that the server prints. */
  async table({ resource, namespace, at }: TableQuery, signal: AbortSignal): Promise<TableAnswer> {
    const type = await this.#type(resource, signal);
    const path = buildRequest({
      verb: "list",
      type,
      ...(namespace !== "" && type.scope === "Namespaced" && { namespace }),
      query: { limit: mostRows, ...exactly(at) },
    }).request.path;
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const table = JSON.parse(await this.#client.getText(path, { accept, signal })) as ServerTable;
    const { columnDefinitions = [], rows = [], metadata = {} } = table;
    return {
      columns: columnDefinitions.map(({ name, priority = 0, description = "" }) => {
        return { name, wide: priority > 0, about: description };
      }),
      rows: rows.map(({ cells, object }) => {
        return { namespace: object?.metadata?.namespace ?? "", name: object?.metadata?.name ?? "", cells };
      }),
      revision: metadata.resourceVersion ?? "",
      more: metadata.remainingItemCount ?? 0,
    };
  }

  /** From the caches if this process has them, which costs the server nothing. */
  async map({ at }: { readonly at: string }, signal: AbortSignal): Promise<ClusterMap> {
    const [nodes, pods] = at === "" ? [this.#cached<Node>(Node), this.#cached<Pod>(Pod)] : [];
    if (nodes !== undefined && pods !== undefined) {
      return { ...mapOf(nodes.items, pods.items), revision: `${nodes.revision}/${pods.revision}` };
    }
    const client = this.#client;
    const options = { signal, ...exactly(at) };
    const [nodeList, podList] = await Promise.all([
      client.resource(Node).list(options),
      client.resource(Pod).list(options),
    ]);
    return { ...mapOf(nodeList.items, podList.items), revision: podList.metadata.resourceVersion ?? "" };
  }

  /** The newest events first. */
  async events(
    { namespace, uid }: { readonly namespace: string; readonly uid?: string },
    signal: AbortSignal,
  ): Promise<readonly EventLine[]> {
    const scope = namespace === "" ? {} : { namespace };
    const fieldSelector = uid === undefined ? undefined : `involvedObject.uid=${uid}`;
    const options = { signal, ...(uid === undefined && { limit: mostRows }), ...defined({ fieldSelector }) };
    const { items } = await this.#client.resource(EventType, scope).list(options);
    const known = await this.#client.discovery.all({ signal });
    const typeOf = (apiVersion: string, kind: string): DiscoveredResource | undefined =>
      known.resources.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);
    return items
      .map((event) => eventLine(event, typeOf))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, mostEvents);
  }

  /** Everything that this process and the server know about the history of one object. */
  async why({ resource, kind, namespace, name, at }: WhyQuery, signal: AbortSignal): Promise<WhyAnswer> {
    const type = await this.#type(resource === "" ? kind : resource, signal);
    const inNamespace = type.scope === "Namespaced" ? namespace || "default" : "";
    const link: ObjectLink = { kind: type.kind, resource: resourceKey(type), namespace: inNamespace, name, uid: "" };
    const key = inNamespace === "" ? name : `${inNamespace}/${name}`;
    const chain = this.#chain(type.kind, key);
    const told = revisionsOf(chain, link);
    const readAt: ReadAt = (revision) => this.#getAt(type, link, { at: revision, signal });
    let object: KubeObject;
    try {
      object = await (at === "" ? this.#get(type, inNamespace, name, signal) : found(readAt(at), link));
    } catch (error) {
      if (signal.aborted) throw error;
      return { object: link, problem: messageOf(error), revisions: told, events: [], chain };
    }
    const refused = (error: unknown): { readonly events: []; readonly eventsProblem: string } => {
      if (signal.aborted) throw error;
      return { events: [], eventsProblem: messageOf(error) };
    };
    const [events, family, past] = await Promise.all([
      this.events({ namespace: inNamespace, uid: object.metadata.uid ?? "" }, signal).then(
        (all) => ({ events: all }),
        refused,
      ),
      ownerTree({ object, type }, this.#sources, (owner, of) => this.#owner(owner, of, signal)),
      this.#past.before(object, readAt),
    ]);
    signal.throwIfAborted();
    const manifest = withoutSecrets(object as unknown as Readonly<Record<string, unknown>>);
    const revisions = joined(at === "" ? told : [], past.revisions);
    return {
      object: linkOf(object, type),
      manifest,
      family,
      ...events,
      revisions,
      ...defined({ revisionsProblem: past.problem }),
      chain,
    };
  }

  get #client(): Client {
    const client = this.#sources.client();
    if (client === undefined) throw new Error("this process has no client with which objects could be read yet");
    return client;
  }

  #chain(kind: string, key: string): WhyAnswer["chain"] {
    const entries = this.#sources.journal()?.entries() ?? [];
    const ofKind = [...this.#sources.loops()].map((loop) => loop.figures()).filter((one) => one.kind === kind);
    const controllers = new Set(ofKind.map(({ name }) => name));
    return chainAnswer(causesOf(entries, { kind, key, controllers, limit: mostRuns }));
  }

  async #type(reference: string, signal: AbortSignal): Promise<DiscoveredResource> {
    const { discovery } = this.#client;
    const { resources } = await discovery.all({ signal });
    return resources.find((type) => resourceKey(type) === reference) ?? discovery.find(reference, { signal });
  }

  #get(type: ResourceType, namespace: string, name: string, signal: AbortSignal): Promise<KubeObject> {
    return this.#client.resource(type, namespace === "" ? {} : { namespace }).get(name, { signal });
  }

  /** The object as it was at a revision of the cluster. */
  async #getAt(
    type: ResourceType,
    { namespace, name }: ObjectLink,
    { at, signal }: { readonly at: string; readonly signal: AbortSignal },
  ): Promise<KubeObject | undefined> {
    // lists at revision 0 show the newest state
    if (at === "0") return undefined;
    const options = { signal, fieldSelector: `metadata.name=${name}`, ...exactly(at) };
    const { items } = await this.#client.resource(type, namespace === "" ? {} : { namespace }).list(options);
    return items[0];
  }

  async #owner(
    { apiVersion, kind, name, uid }: OwnerReference,
    namespace: string,
    signal: AbortSignal,
  ): Promise<FamilyMember | undefined> {
    try {
      const type = await this.#client.discovery.findKind({ apiVersion, kind }, { signal });
      const object = await this.#get(type, type.scope === "Namespaced" ? namespace : "", name, signal);
      return object.metadata.uid === uid ? { object, type } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The objects of an informer that holds all of a kind. */
  #cached<T extends KubeObject>(type: ResourceType<T>): { readonly items: T[]; readonly revision: string } | undefined {
    const wanted = resourceKey(type);
    for (const { cluster, informer } of this.#sources.informers()) {
      if (cluster !== "" || informer.name !== wanted || !informer.hasSynced) continue;
      return { items: informer.indexer.list() as unknown as T[], revision: informer.lastStoreSyncResourceVersion };
    }
    return undefined;
  }
}

/** The object, or an error if there was none. */
async function found(reading: Promise<KubeObject | undefined>, { kind, name }: ObjectLink): Promise<KubeObject> {
  const object = await reading;
  if (object === undefined) throw new Error(`there was no ${kind} ${name} at that moment`);
  return object;
}

const exactly = (at: string): Pick<NonNullable<Parameters<typeof buildRequest>[0]["query"]>, string> =>
  at === "" ? {} : { resourceVersion: at, resourceVersionMatch: "Exact" };
