/** Reads objects for the page through the process's client: kinds, tables, the history of one object, events and the map. */
import {
  apiVersionOf,
  compareRevisions,
  Event as EventType,
  type KubeObject,
  Node,
  type OwnerReference,
  Pod,
  resourceKey,
  type ResourceType,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { messageOf, systemClock, turnsOf } from "../../base/index.js";
import { buildRequest, type Client, type DiscoveredResource } from "../../client/index.js";
import { causesOf } from "../../controller/index.js";
import type { PageSources } from "../sources.js";
import type { ClusterMap, EventLine, KindLine, ObjectLink, Revision, TableAnswer, WhyAnswer } from "../wire.js";
import { chainAnswer, revisionsOf } from "./chain.js";
import { eventLine } from "./events.js";
import { cachedRelatives, type FamilyMember, linkOf, ownerTree, type ReadOwner, type Relatives } from "./family.js";
import { mapOf } from "./map.js";
import { exactly, membersAt } from "./members-at.js";
import type { Pace } from "./pace.js";
import { joined, Past, type ReadAt } from "./past.js";
import { withoutSecrets } from "./redact.js";
import { troublesOf } from "../health/troubles.js";
import { workloadsOf, workloadTypes } from "./workloads.js";

const mostRows = 1_000;
const rowsInPart = 200;
/** A process that does not cache nodes and pods asks the server for them. */
const mostListed = 2_000;
const mostEvents = 200;
const mostRuns = 150;
const discoverEveryMs = 5_000;

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
  /** A revision of the past at which everything is shown; "" for now. */
  readonly at: string;
  /** The time of that revision; Infinity for now. Reconciles that began later are left out. */
  readonly until: number;
}

interface ServerTable {
  readonly metadata?: {
    readonly resourceVersion?: string;
    readonly remainingItemCount?: number;
    readonly continue?: string;
  };
  readonly columnDefinitions?: readonly {
    readonly name: string;
    readonly priority?: number;
    readonly description?: string;
  }[];
  /** Null in some answers without objects. */
  readonly rows?:
    | readonly {
        readonly cells: TableAnswer["rows"][number]["cells"];
        readonly object?: { readonly metadata?: { readonly name?: string; readonly namespace?: string } };
      }[]
    | null;
}

/** Reads objects for the page with the process's own client: a refusal of the server becomes the answer's error. */
export class ObjectReader {
  readonly #sources: PageSources;
  readonly #past = new Past();
  #discoveredAt = -Infinity;

  constructor(sources: PageSources) {
    this.#sources = sources;
  }

  /** Kinds that were just defined are among them after a few seconds: the client keeps the list otherwise. */
  async kinds(signal: AbortSignal): Promise<readonly KindLine[]> {
    const now = (this.#sources.clock ?? systemClock).monotonic();
    if (now - this.#discoveredAt >= discoverEveryMs) {
      this.#discoveredAt = now;
      this.#client.discovery.invalidate();
    }
    const { resources } = await this.#client.discovery.all({ signal });
    return resources
      .filter(({ verbs, plural }) => verbs.includes("list") && !plural.includes("/"))
      .map((type): KindLine => {
        const { kind, group, scope } = type;
        const custom = group.includes(".") && !group.endsWith(".k8s.io");
        return { resource: resourceKey(type), kind, group, namespaced: scope === "Namespaced", custom };
      });
  }

  /** The objects of a kind with the columns that the server prints, some hundred at a time: a long text is parsed in one go. */
  async table({ resource, namespace, at }: TableQuery, signal: AbortSignal): Promise<TableAnswer> {
    const type = await this.#type(resource, signal);
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
    const { turns } = this.#pace(signal);
    const rows: TableAnswer["rows"][number][] = [];
    for (let next = ""; ; ) {
      const { path } = buildRequest({
        verb: "list",
        type,
        ...(namespace !== "" && type.scope === "Namespaced" && { namespace }),
        // the token of the next part knows the revision
        query: { limit: rowsInPart, ...(next === "" ? exactly(at) : { continue: next }) },
      }).request;
      const table = JSON.parse(await this.#client.getText(path, { accept, signal })) as ServerTable;
      const { columnDefinitions = [], rows: part, metadata = {} } = table;
      for (const { cells, object } of part ?? [])
        rows.push({ namespace: object?.metadata?.namespace ?? "", name: object?.metadata?.name ?? "", cells });
      next = metadata.continue ?? "";
      await turns.pause();
      if (next !== "" && rows.length < mostRows) continue;
      return {
        columns: columnDefinitions.map(({ name, priority = 0, description = "" }) => {
          return { name, wide: priority > 0, about: description };
        }),
        rows,
        revision: metadata.resourceVersion ?? "",
        more: metadata.remainingItemCount ?? 0,
      };
    }
  }

  /** From the caches if this process has them, which costs the server nothing. */
  async map({ at }: { readonly at: string }, signal: AbortSignal): Promise<ClusterMap> {
    const pace = this.#pace(signal);
    const workloads = await workloadsOf(await this.#workloads(at, signal), pace);
    const [nodes, pods] = at === "" ? [this.#cached<Node>(Node), this.#cached<Pod>(Pod)] : [];
    if (nodes !== undefined && pods !== undefined) {
      const map = await mapOf(nodes.items, pods.items, pace);
      return { ...map, ...workloads, podsMore: 0, revision: `${nodes.revision}/${pods.revision}` };
    }
    const client = this.#client;
    const options = { signal, limit: mostListed, ...exactly(at) };
    const [nodeList, podList] = await Promise.all([
      client.resource(Node).list(options),
      client.resource(Pod).list(options),
    ]);
    const { resourceVersion: revision = "", remainingItemCount: podsMore = 0 } = podList.metadata;
    return { ...(await mapOf(nodeList.items, podList.items, pace)), ...workloads, podsMore, revision };
  }

  #pace(signal: AbortSignal): Pace {
    return { turns: turnsOf(this.#sources.clock ?? systemClock), signal };
  }

  /** Kinds that must not be read are left out: the map is of use without them. */
  async #workloads(at: string, signal: AbortSignal): Promise<Iterable<FamilyMember>> {
    const read = async (type: ResourceType<KubeObject>): Promise<Relatives> => {
      const cached = at === "" ? this.#cached(type)?.items : undefined;
      const options = { signal, limit: mostRows, ...exactly(at) };
      return { type, objects: cached ?? (await this.#client.resource(type).list(options)).items };
    };
    const found = await Promise.allSettled(workloadTypes.map(read));
    signal.throwIfAborted();
    return membersOf(found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
  }

  /** The newest events first. */
  async events(
    { namespace, uid, at }: { readonly namespace: string; readonly uid?: string; readonly at: string },
    signal: AbortSignal,
  ): Promise<readonly EventLine[]> {
    const scope = namespace === "" ? {} : { namespace };
    const fieldSelector = uid === undefined ? undefined : `involvedObject.uid=${uid}`;
    const options = {
      signal,
      ...(uid === undefined && { limit: mostRows }),
      ...defined({ fieldSelector }),
      ...exactly(at),
    };
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
  async why({ resource, kind, namespace, name, at, until }: WhyQuery, signal: AbortSignal): Promise<WhyAnswer> {
    const type = await this.#type(resource === "" ? kind : resource, signal);
    const inNamespace = type.scope === "Namespaced" ? namespace || "default" : "";
    const link: ObjectLink = { kind: type.kind, resource: resourceKey(type), namespace: inNamespace, name, uid: "" };
    const key = inNamespace === "" ? name : `${inNamespace}/${name}`;
    const chain = this.#chain(type.kind, key, until);
    const told = revisionsOf(chain, link);
    const readAt: ReadAt = (revision) => this.#getAt(type, link, { at: revision, signal });
    let object: KubeObject;
    try {
      object = await (at === "" ? this.#get(type, inNamespace, name, signal) : found(readAt(at), link));
    } catch (error) {
      if (signal.aborted) throw error;
      return { object: link, problem: messageOf(error), troubles: [], revisions: told, events: [], chain };
    }
    const refused = (error: unknown): { readonly events: []; readonly eventsProblem: string } => {
      if (signal.aborted) throw error;
      return { events: [], eventsProblem: messageOf(error) };
    };
    const [events, family, past] = await Promise.all([
      this.events({ namespace: inNamespace, uid: object.metadata.uid ?? "", at }, signal).then(
        (all) => ({ events: all }),
        refused,
      ),
      this.#family({ object, type }, at, signal),
      this.#past.before(object, readAt),
    ]);
    signal.throwIfAborted();
    const manifest = withoutSecrets(object as unknown as Readonly<Record<string, unknown>>);
    const isKnownThen = ({ revision }: Revision): boolean => at === "" || compareRevisions(revision, at) <= 0;
    return {
      object: linkOf(object, type),
      manifest,
      troubles: troublesOf(object),
      ...family,
      ...events,
      revisions: joined(told.filter(isKnownThen), past.revisions),
      ...defined({ revisionsProblem: past.problem }),
      chain,
    };
  }

  async #family(
    member: FamilyMember,
    at: string,
    signal: AbortSignal,
  ): Promise<Pick<WhyAnswer, "family" | "familyProblem">> {
    const readOwner: ReadOwner = (owner, of) => this.#owner(owner, { namespace: of, at }, signal);
    const pace = this.#pace(signal);
    if (at === "") {
      const relatives = (namespace: string): Iterable<Relatives> => cachedRelatives(this.#sources, namespace);
      return { family: await ownerTree(member, { relatives, readOwner, pace }) };
    }
    const { namespace = "" } = member.object.metadata;
    const { relatives, incomplete } = await membersAt(this.#sources, this.#client, { namespace, at, signal });
    const kinds = incomplete.join(", ");
    const familyProblem = kinds === "" ? undefined : `Some objects of that moment could not be read: ${kinds}`;
    const family = await ownerTree(member, { relatives: () => relatives, readOwner, pace });
    return { family, ...defined({ familyProblem }) };
  }

  get #client(): Client {
    const client = this.#sources.client();
    if (client === undefined) throw new Error("this process has no client with which objects could be read yet");
    return client;
  }

  #chain(kind: string, key: string, until: number): WhyAnswer["chain"] {
    const entries = (this.#sources.journal()?.entries() ?? []).filter(({ startedAt }) => startedAt <= until);
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
    { namespace, at }: { readonly namespace: string; readonly at: string },
    signal: AbortSignal,
  ): Promise<FamilyMember | undefined> {
    try {
      const type = await this.#client.discovery.findKind({ apiVersion, kind }, { signal });
      const inNamespace = type.scope === "Namespaced" ? namespace : "";
      const link = { kind, resource: "", namespace: inNamespace, name, uid };
      const object = await (at === ""
        ? this.#get(type, inNamespace, name, signal)
        : this.#getAt(type, link, { at, signal }));
      return object?.metadata.uid === uid ? { object, type } : undefined;
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

function* membersOf(relatives: readonly Relatives[]): Iterable<FamilyMember> {
  for (const { type, objects } of relatives) for (const object of objects) yield { object, type };
}
