/** Keeps the registry in step with the definitions in the store: accepts names, serves versions, clears up after deletions. */
import { objectsIn } from "../storage/contract.js";
import {
  type CustomResourceDefinition,
  deepEqual,
  formatTime,
  isNotFound,
  type KubeObject,
  unless,
} from "../../api/index.js";
import { inOneGo, type Logger, uninterrupted } from "../../base/index.js";
import { createFieldManager, customType, type CustomKind } from "../apply/index.js";
import { apiserverUser } from "../contracts/user.js";
import type { Endpoint } from "../contracts/endpoint.js";
import { compareVersions, type Registry } from "../registry/registry.js";
import type { Machinery, RequestScope } from "../contracts/scope.js";
import { deleteObject } from "../registry/write/delete.js";
import { modifyObject } from "../registry/write/modify.js";
import { updateObject } from "../registry/write/update.js";
import { isTrue, withCondition } from "./conditions.js";
import { ConvertedWork } from "./conversion/work.js";
import { collectionOf, customEndpoint } from "./custom-endpoint.js";
import { cleanupFinalizer } from "./definition-strategy.js";
import type { StructuralSchema } from "./schema/json-schema.js";
import { schemaOf } from "./schema/of-version.js";
import { webhookConverter } from "./conversion/webhook.js";
import type { WebhookCaller } from "../webhook/call.js";
import { type AcceptedNames, namesInUse, nameConflict } from "./names.js";

export const definitions = "apiextensions.k8s.io/customresourcedefinitions";

interface ServedDefinition {
  readonly definition: CustomResourceDefinition;
  readonly endpoints: readonly Endpoint[];
  /** The endpoint of the stored version, which may be unserved. */
  readonly stored: Endpoint | undefined;
}

export interface CustomKindsOptions {
  readonly machinery: Machinery;
  readonly registry: Registry;
  readonly webhooks: WebhookCaller;
  readonly log: Logger;
  /** Aborts when the server stops; no round waits for the store any longer. */
  readonly stopping: AbortSignal;
  /** The kinds of the server that this one is a fork of; the registry serves them already. */
  readonly forkOf?: CustomKinds | undefined;
}

/**
 * Invariants:
 * 1. The served versions are exactly those of definitions whose names are accepted, or that are established.
 * 2. Endpoints are made anew only when their definition's spec, names or deletion changed.
 * 3. One round runs at a time; a change during it causes one more round.
 */
export class CustomKinds implements Disposable {
  readonly #options: CustomKindsOptions;
  readonly #scope: RequestScope;
  readonly #served: Map<string, ServedDefinition>;
  readonly #clearing = new Set<string>();
  #watching: Disposable | undefined;
  #running: Promise<void> | undefined;
  #again = false;

  constructor(options: CustomKindsOptions) {
    this.#options = options;
    const { machinery, stopping, forkOf } = options;
    this.#served = new Map(forkOf === undefined ? [] : [...forkOf.#served].filter(([, kind]) => isShareable(kind)));
    const about = { user: apiserverUser, dryRun: false, manager: "kube-apiserver", warn: () => {} };
    this.#scope = { machinery, signal: stopping, slice: uninterrupted, ...about };
  }

  /** Follows the store from now on; resolves when its present definitions are served. */
  start(): Promise<void> {
    const { store } = this.#options.machinery;
    this.#watching = store.watch(
      { collection: definitions, prefix: "", after: store.revision },
      () => void this.sync(),
    );
    return this.sync();
  }

  /** Serves the store's present definitions; resolves when their statuses are written too. */
  sync(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#rounds();
    return this.#running;
  }

  /** The schema that a served version publishes. */
  schema(group: string, version: string, plural: string): StructuralSchema | undefined {
    const definition = this.#served.get(`${plural}.${group}`)?.definition;
    const found = definition?.spec.versions.find((one) => one.name === version);
    return found && schemaOf(found);
  }

  [Symbol.dispose](): void {
    this.#watching?.[Symbol.dispose]();
  }

  async #rounds(): Promise<void> {
    const { log } = this.#options;
    try {
      while (this.#again) {
        this.#again = false;
        await this.#accept();
        this.#serve();
        for (const definition of this.#definitions()) if (isGoing(definition)) this.#clearUp(definition);
      }
    } catch (error) {
      log.error("definitions could not be followed", { error });
    } finally {
      this.#running = undefined;
    }
  }

  #definitions(): readonly CustomResourceDefinition[] {
    return objectsIn(this.#options.machinery.store, definitions);
  }

  /** Accepts names in the order of creation: of two definitions that claim one name, the older one gets it. */
  async #accept(): Promise<void> {
    const { registry, machinery } = this.#options;
    const endpoint = registry.endpoint("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    const stored = this.#definitions();
    if (endpoint === undefined || stored.length === 0) return;
    const taken = namesInUse(registry);
    for (const definition of stored.toSorted(byAge)) {
      const now = formatTime(machinery.clock.now());
      if (deepEqual(judge(definition, taken, now), definition)) continue;
      const { name } = definition.metadata;
      const owner = { manager: "kube-apiserver", apiVersion: definition.apiVersion, subresource: "status", time: now };
      const change = (current: KubeObject): KubeObject => {
        const latest = current as CustomResourceDefinition;
        return inOneGo(endpoint.fieldManager.update(latest, judge(latest, taken.without(latest), now), owner));
      };
      await modifyObject(endpoint, { namespace: "", name }, this.#scope, change).catch(unless(isNotFound));
    }
  }

  #serve(): void {
    let changed = false;
    const present = new Set<string>();
    for (const definition of this.#definitions()) {
      if (!isTrue(definition, "Established") && !isTrue(definition, "NamesAccepted")) continue;
      const { name } = definition.metadata;
      present.add(name);
      const before = this.#served.get(name);
      if (before !== undefined && sameService(before.definition, definition)) continue;
      this.#served.set(name, { definition, ...this.#endpoints(definition) });
      changed = true;
    }
    for (const name of this.#served.keys()) {
      if (present.has(name)) continue;
      this.#served.delete(name);
      changed = true;
    }
    if (!changed) return;
    this.#options.registry.setCustom([...this.#served.values()].flatMap(({ endpoints }) => endpoints));
  }

  #endpoints(definition: CustomResourceDefinition): Omit<ServedDefinition, "definition"> {
    const { versions } = definition.spec;
    const types = typesOf(definition);
    const work = new ConvertedWork();
    const fieldManager = createFieldManager({
      customKind: (apiVersion, kind) => types.get(`${apiVersion} ${kind}`),
      convert: (object, apiVersion) => work.inVersion(object, apiVersion),
    });
    const { machinery, webhooks } = this.#options;
    const parts = { fieldManager, convert: webhookConverter(definition, { ...machinery, webhooks }), work };
    const storage = versions.find((version) => version.storage);
    return {
      endpoints: versions
        .filter((version) => version.served)
        .toSorted((a, b) => compareVersions(a.name, b.name))
        .map((version) => customEndpoint(definition, version, parts)),
      stored: storage && customEndpoint(definition, storage, parts),
    };
  }

  #clearUp(definition: CustomResourceDefinition): void {
    const { name } = definition.metadata;
    if (this.#clearing.has(name)) return;
    this.#clearing.add(name);
    const { registry, log, stopping } = this.#options;
    // in the stored version, so that the deletion does not wait for a conversion webhook that is gone
    const endpoint = this.#served.get(name)?.stored;
    void finishDeletion(definition, { endpoint, registry, scope: this.#scope })
      .catch((error: unknown) => {
        if (!stopping.aborted) log.error("a custom kind could not be cleared up", { name, error });
      })
      .finally(() => this.#clearing.delete(name));
  }
}

const byAge = (a: CustomResourceDefinition, b: CustomResourceDefinition): number => {
  const established = Number(isTrue(b, "Established")) - Number(isTrue(a, "Established"));
  if (established !== 0) return established;
  return (a.metadata.creationTimestamp ?? "") < (b.metadata.creationTimestamp ?? "") ? -1 : 1;
};

const isGoing = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(cleanupFinalizer);

const sameService = (a: CustomResourceDefinition, b: CustomResourceDefinition): boolean =>
  a.metadata.uid === b.metadata.uid &&
  a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
  deepEqual(a.spec, b.spec) &&
  deepEqual(a.status?.acceptedNames, b.status?.acceptedNames);

/** A webhook that converts is called through the server's own machinery; everything else depends on the definition alone. */
const isShareable = ({ definition }: ServedDefinition): boolean => definition.spec.conversion?.strategy !== "Webhook";

/** The types of the kind in all its versions, by `apiVersion Kind`. */
function typesOf({ spec, status }: CustomResourceDefinition): ReadonlyMap<string, CustomKind> {
  const kind = status?.acceptedNames?.kind || spec.names.kind;
  return new Map(
    spec.versions.map((version) => {
      const schema = version.schema?.openAPIV3Schema as Parameters<typeof customType>[0];
      const hasStatus = version.subresources?.status !== undefined;
      return [`${spec.group}/${version.name} ${kind}`, { type: customType(schema), hasStatus }];
    }),
  );
}

/** The definition with the names that it may have, and conditions that report them. Adds its names to `taken`. */
function judge(definition: CustomResourceDefinition, taken: AcceptedNames, now: string): CustomResourceDefinition {
  const conflict = nameConflict(definition, taken);
  const accepted = conflict === undefined;
  const named = accepted
    ? ({
        ...definition,
        status: { ...definition.status, acceptedNames: definition.spec.names },
      } as CustomResourceDefinition)
    : definition;
  if (accepted) taken.add(definition);
  const withNames = withCondition(named, {
    type: "NamesAccepted",
    status: accepted ? "True" : "False",
    reason: conflict?.reason ?? "NoConflicts",
    message: conflict?.message ?? "no conflicts found",
    lastTransitionTime: now,
  });
  if (isTrue(definition, "Established")) return withNames;
  return withCondition(withNames, {
    type: "Established",
    status: accepted ? "True" : "False",
    reason: accepted ? "InitialNamesAccepted" : "NotAccepted",
    message: accepted ? "the initial names have been accepted" : "not all names are accepted",
    lastTransitionTime: now,
  });
}

interface Clearing {
  readonly endpoint: Endpoint | undefined;
  readonly registry: Registry;
  readonly scope: RequestScope;
}

/** Deletes the instances first. Instances with finalizers keep the definition until they are gone. */
async function finishDeletion(
  definition: CustomResourceDefinition,
  { endpoint, registry, scope }: Clearing,
): Promise<void> {
  const { store, clock } = scope.machinery;
  const collection = collectionOf(definition);
  if (endpoint !== undefined) {
    for (const { metadata } of objectsIn(store, collection)) {
      const { name, namespace = "" } = metadata;
      await deleteObject({ endpoint, namespace, name, options: {}, scope }).catch(unless(isNotFound));
    }
  }
  while (store.count(collection) > 0) await clock.sleep(100, scope.signal);
  const own = registry.endpoint("apiextensions.k8s.io", "v1", "customresourcedefinitions");
  if (own === undefined) return;
  const { name } = definition.metadata;
  await updateObject({
    endpoint: own,
    namespace: "",
    name,
    subresource: "",
    scope,
    missing: "refuse",
    unconditional: true,
    managed: true,
    change: (live) => {
      const { metadata } = live as CustomResourceDefinition;
      const finalizers = (metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
      const { resourceVersion: _, ...rest } = metadata;
      return { ...(live as CustomResourceDefinition), metadata: { ...rest, finalizers } };
    },
  }).catch(unless(isNotFound));
}
