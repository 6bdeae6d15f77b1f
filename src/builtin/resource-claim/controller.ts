/** The resource claim controller: makes claims of devices from templates, reserves them for pods, and frees them after. */
import {
  controllerOf,
  isDeleting,
  isNotFound,
  isOwnedBy,
  metaNamespaceKey,
  Pod,
  ResourceClaim,
  type ResourceClaimConsumerReference,
  ResourceClaimTemplate,
  unless,
} from "../../api/index.js";
import { messageOf } from "../../base/index.js";
import type { KeyLoop, KeyRun } from "../../controller/index.js";
import type { FactoryInformer } from "../../informer/index.js";
import type { BuiltInController, ControllerContext, Recorder } from "../kit/context.js";
import { objectLoop } from "../kit/loops.js";
import {
  claimNameOf,
  deviceClaimKeys,
  deviceFinalizer,
  indexByDeviceClaim,
  podKeysOfDeviceClaim,
} from "../../placement/device-claims.js";
import { claimFromTemplate, claimSteps, isDone, needsReservation, podClaimName } from "./plan.js";

const fieldManager = "ResourceClaimController";
const claimsOfPod = "resource-claims-of-pod";
const podsOfTemplate = "pods-of-claim-template";

type Client = KeyRun["client"];

/** Two loops share the caches: one over pods, one over claims. */
export class ResourceClaims implements BuiltInController {
  readonly loops: readonly KeyLoop[];
  readonly #recorder: Recorder;
  readonly #pods: FactoryInformer<Pod>;
  readonly #claims: FactoryInformer<ResourceClaim>;
  readonly #templates: FactoryInformer<ResourceClaimTemplate>;

  constructor(context: ControllerContext) {
    const { informers } = context;
    this.#recorder = context.recorderFor("resource_claim");
    this.#pods = informers.informer(Pod);
    this.#claims = informers.informer(ResourceClaim);
    this.#templates = informers.informer(ResourceClaimTemplate);
    this.#claims.addIndexers({ [claimsOfPod]: (claim) => ownerUid(claim) });
    this.#pods.addIndexers({
      [podsOfTemplate]: ({ metadata: { namespace }, spec }) =>
        (spec?.resourceClaims ?? []).flatMap(({ resourceClaimTemplateName: name }) =>
          name === undefined ? [] : [`${namespace}/${name}`],
        ),
    });
    indexByDeviceClaim(this.#pods);
    const awaits = [this.#claims, this.#pods];
    const pods = objectLoop(context, this.#pods, {
      name: "resource_claim_pods",
      workers: 10,
      awaits,
      sync: (pod, run) => this.#syncPod(pod, run),
    });
    const claims = objectLoop(context, this.#claims, {
      name: "resource_claim",
      workers: 10,
      awaits,
      sync: (claim, run) => this.#syncClaim(claim, run),
    });
    this.loops = [pods, claims];
    this.#wake(pods, claims);
  }

  #wake(pods: KeyLoop, claims: KeyLoop): void {
    pods.watch(this.#pods, ({ type, object }, wake) => {
      if (type === "deleted" || (object.spec?.resourceClaims ?? []).length === 0) return;
      if (!isDeleting(object) && !isDone(object)) wake(metaNamespaceKey(object));
    });
    pods.watch(this.#templates, ({ type, object }, wake) => {
      if (type !== "added") return;
      for (const key of this.#pods.indexer.indexKeys(podsOfTemplate, metaNamespaceKey(object))) wake(key);
    });
    pods.watch(this.#claims, ({ object }, wake) => {
      for (const key of podKeysOfDeviceClaim(this.#pods.indexer, metaNamespaceKey(object))) wake(key);
    });
    claims.follow(this.#claims);
    claims.watch(this.#pods, ({ type, object }, wake) => {
      // the scheduler makes claims for extended resources, and tells of them in the status alone
      const hasClaims = (object.spec?.resourceClaims ?? []).length > 0 || object.status?.extendedResourceClaimStatus;
      if (!hasClaims || (type !== "deleted" && !isDone(object))) return;
      for (const key of deviceClaimKeys(object)) wake(key);
      for (const key of this.#claims.indexer.indexKeys(claimsOfPod, object.metadata.uid ?? "")) wake(key);
    });
  }

  async #syncPod(pod: Pod, { key, client }: KeyRun): Promise<void> {
    // the end of a finished pod's claim wakes the pod, too: it must not get another one
    if (isDeleting(pod) || isDone(pod)) return;
    const made: { readonly name: string; readonly resourceClaimName: string }[] = [];
    for (const entry of pod.spec?.resourceClaims ?? []) {
      try {
        const resourceClaimName = await this.#ensure(pod, entry.name, client);
        if (resourceClaimName !== undefined) made.push({ name: entry.name, resourceClaimName });
      } catch (error) {
        const message = `PodResourceClaim ${entry.name}: ${messageOf(error)}`;
        this.#recorder.warning(pod, "FailedResourceClaimCreation", message);
        throw new Error(`pod ${key}, ${message}`, { cause: error });
      }
    }
    if (made.length > 0) {
      const { name, namespace = "" } = pod.metadata;
      const status = { resourceClaimStatuses: made };
      const applied = { metadata: { name, namespace }, status };
      await client.resource(Pod).status.apply(applied, { fieldManager, force: true });
    }
    if (pod.spec?.nodeName) await this.#reserve(pod, client);
  }

  /** The name of a claim that the pod's status has to learn; undefined if it knows its claim, or needs none. */
  async #ensure(pod: Pod, name: string, client: Client): Promise<string | undefined> {
    const entry = pod.spec?.resourceClaims?.find((one) => one.name === name);
    const { namespace = "", uid = "" } = pod.metadata;
    const templateName = entry?.resourceClaimTemplateName;
    if (entry === undefined || templateName === undefined) return undefined;
    const known = claimNameOf(pod, entry);
    if (known === null) return undefined;
    const claim = known === undefined ? undefined : this.#claims.indexer.get(`${namespace}/${known}`);
    if (claim !== undefined && isOwnedBy(claim, pod)) return undefined;
    const found = this.#claims.indexer
      .byIndex(claimsOfPod, uid)
      .find(({ metadata }) => metadata.annotations?.[podClaimName] === name);
    if (found !== undefined) return found.metadata.name;
    const template = this.#templates.indexer.get(`${namespace}/${templateName}`);
    if (template === undefined) {
      const missing = `resourceclaimtemplate.resource.k8s.io "${templateName}" not found`;
      throw new Error(`resource claim template "${templateName}": ${missing}`);
    }
    const created = await client
      .resource(ResourceClaim, { namespace })
      .create(claimFromTemplate(pod, name, template))
      .catch((error: unknown) => {
        throw new Error(`create ResourceClaim : ${messageOf(error)}`, { cause: error });
      });
    return created.metadata.name;
  }

  /** A pod that was given a node without a scheduler that reserves gets its claims reserved here. */
  async #reserve(pod: Pod, client: Client): Promise<void> {
    const { name, uid = "" } = pod.metadata;
    for (const key of deviceClaimKeys(pod)) {
      const claim = this.#claims.indexer.get(key);
      if (claim === undefined || !needsReservation(claim, pod)) continue;
      const reservedFor = [...(claim.status?.reservedFor ?? []), { resource: "pods", name, uid }];
      await client.resource(ResourceClaim).status.update({ ...claim, status: { ...claim.status, reservedFor } });
    }
  }

  async #syncClaim(claim: ResourceClaim, { client }: KeyRun): Promise<void> {
    const needed = new Set<ResourceClaimConsumerReference>();
    for (const consumer of claim.status?.reservedFor ?? []) {
      if (await this.#isNeeded(claim, consumer, client)) needed.add(consumer);
    }
    const owner = this.#pods.indexer.get(`${claim.metadata.namespace}/${controllerOf(claim)?.name ?? ""}`);
    const claims = client.resource(ResourceClaim);
    let current = claim;
    for (const step of claimSteps(claim, { isNeeded: (one) => needed.has(one), owner })) {
      if (step.type === "reserve") {
        const { reservedFor: _before, allocation, ...rest } = current.status ?? {};
        const kept = step.frees || allocation === undefined ? {} : { allocation };
        const left = step.consumers.length === 0 ? {} : { reservedFor: step.consumers };
        current = await claims.status.update({ ...current, status: { ...rest, ...kept, ...left } });
      } else if (step.type === "unprotect") {
        const finalizers = (current.metadata.finalizers ?? []).filter((one) => one !== deviceFinalizer);
        current = await claims.update({ ...current, metadata: { ...current.metadata, finalizers } });
      } else await claims.delete(claim.metadata).catch(unless(isNotFound));
    }
  }

  /** Consumers other than pods are not ours to judge. A pod that the cache lacks may be new: the server is asked. */
  async #isNeeded(claim: ResourceClaim, consumer: ResourceClaimConsumerReference, client: Client): Promise<boolean> {
    const { apiGroup = "", resource, name, uid } = consumer;
    if (apiGroup !== "" || resource !== "pods") return true;
    const { namespace = "" } = claim.metadata;
    const cached = this.#pods.indexer.get(`${namespace}/${name}`);
    if (cached !== undefined) return cached.metadata.uid === uid && !isDone(cached);
    const live = await client.resource(Pod, { namespace }).getOrUndefined(name);
    return live?.metadata.uid === uid;
  }
}

const ownerUid = (claim: ResourceClaim): string[] => {
  const owner = controllerOf(claim);
  return owner?.kind === "Pod" ? [owner.uid] : [];
};
