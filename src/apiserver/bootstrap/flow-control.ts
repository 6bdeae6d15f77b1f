/**
 * Keeps the flow schemas and priority levels of every Kubernetes server as they should be, and the status of each flow
 * schema true.
 */
import {
  deepEqual,
  type FlowSchema,
  type FlowSchemaCondition,
  formatTime,
  isConflict,
  isNotFound,
  type KubeObject,
  type PriorityLevelConfiguration,
  unless,
} from "../../api/index.js";
import { inOneGo, type Logger, type Timer } from "../../base/index.js";
import type { Endpoint } from "../contracts/endpoint.js";
import type { RequestScope } from "../contracts/scope.js";
import { flowCollections, flowObjectsIn } from "../flow/flow-control.js";
import { autoUpdate, mandatory, suggested } from "../flow/suggested.js";
import type { Registry } from "../registry/registry.js";
import { deleteObject } from "../registry/write/delete.js";
import { updateObject } from "../registry/write/update.js";
import { applyStatus, ensure, type SystemObject } from "./bootstrap.js";

const group = "flowcontrol.apiserver.k8s.io";
const producer = "api-priority-and-fairness-config-producer-v1";
const consumer = "api-priority-and-fairness-config-consumer-v1";

type FlowObject = PriorityLevelConfiguration | FlowSchema;

/** `now` is the transition time of the schemas' conditions. */
export function flowControl(now: string): readonly SystemObject[] {
  return [
    ...suggested.levels.map((object) => ({ object, manager: producer })),
    ...suggested.schemas.map((object) => ({
      object,
      manager: producer,
      status: { manager: consumer, value: { conditions: [{ ...found(levelOf(object)), lastTransitionTime: now }] } },
    })),
  ];
}

const levelOf = ({ spec }: FlowSchema): string => spec?.priorityLevelConfiguration.name ?? "";

const named = (level: string): string =>
  `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(level)}`;

const found = (level: string): FlowSchemaCondition => ({
  type: "Dangling",
  status: "False",
  reason: "Found",
  message: `${named(level)} and it exists`,
});

const missing = (level: string): FlowSchemaCondition => ({
  type: "Dangling",
  status: "True",
  reason: "NotFound",
  message: `${named(level)} but there is no such object`,
});

/** Changed objects are compared with their models after this time, as kube-apiserver compares them once a minute. */
const upkeepMs = 60_000;

export interface FlowUpkeepOptions {
  readonly registry: Registry;
  readonly scope: RequestScope;
  readonly log: Logger;
}

/**
 * Follows the stored objects: writes the conditions of flow schemas soon after a change and, once `maintain` was
 * called, gives mandatory and suggested objects their specification again within a minute.
 * Invariant: all writes are links of the chain `#work`, one at a time.
 */
export class FlowUpkeep implements AsyncDisposable {
  readonly #options: FlowUpkeepOptions;
  readonly #following: readonly Disposable[];
  #work: Promise<unknown> = Promise.resolve();
  #judgingDue = false;
  #maintains = false;
  #timer: Timer | undefined;

  constructor(options: FlowUpkeepOptions) {
    this.#options = options;
    const { store } = options.scope.machinery;
    const after = store.revision;
    this.#following = Object.values(flowCollections).map((collection) =>
      store.watch({ collection, prefix: "", after }, () => this.#changed()),
    );
  }

  /** From now on the specifications are kept, too. */
  maintain(): void {
    this.#maintains = true;
    this.#changed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const following of this.#following) following[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    await this.#work;
  }

  #changed(): void {
    if (this.#options.scope.signal.aborted) return;
    if (!this.#judgingDue) {
      this.#judgingDue = true;
      this.#do(() => this.#judge());
    }
    if (!this.#maintains) return;
    this.#timer ??= this.#options.scope.machinery.clock.timer(upkeepMs, () => {
      this.#timer = undefined;
      this.#do(() => this.#restore());
    });
  }

  #do(work: () => Promise<void>): void {
    const { log, scope } = this.#options;
    this.#work = this.#work.then(work).catch((error: unknown) => {
      if (!scope.signal.aborted) log.error("the objects of priority and fairness were not kept", { error });
    });
  }

  /** Writes the conditions that are not true. */
  async #judge(): Promise<void> {
    this.#judgingDue = false;
    const { registry, scope } = this.#options;
    const { store, clock } = scope.machinery;
    const { levels, schemas } = flowObjectsIn(store);
    const names = new Set([...levels, ...mandatory.levels].map(({ metadata }) => metadata.name));
    for (const schema of schemas) {
      const level = levelOf(schema);
      const wanted = names.has(level) ? found(level) : missing(level);
      const shown = schema.status?.conditions?.find(({ type }) => type === "Dangling");
      if (shown?.status === wanted.status && shown?.reason === wanted.reason && shown?.message === wanted.message) {
        continue;
      }
      const endpoint = registry.endpoint(group, "v1", "flowschemas") as Endpoint;
      const value = { conditions: [{ ...wanted, lastTransitionTime: formatTime(clock.now()) }] };
      const { name } = schema.metadata;
      await applyStatus(endpoint, scope, { name, apiVersion: schema.apiVersion, manager: consumer, value }).catch(
        unless(isNotFound),
      );
    }
  }

  /** Creates objects that are gone, and gives others their specification, unless an administrator keeps them. */
  async #restore(): Promise<void> {
    const { registry, scope } = this.#options;
    const { store, clock } = scope.machinery;
    for (const object of flowControl(formatTime(clock.now()))) await ensure(registry, scope, object);
    const { levels, schemas } = flowObjectsIn(store);
    for (const [plural, stored, models, fixed] of [
      ["prioritylevelconfigurations", levels, suggested.levels, mandatory.levels],
      ["flowschemas", schemas, suggested.schemas, mandatory.schemas],
    ] as const) {
      const endpoint = registry.endpoint(group, "v1", plural) as Endpoint;
      for (const object of stored as readonly FlowObject[]) {
        if (scope.signal.aborted) return;
        await this.#restoreOne(endpoint, object, { models, fixed });
      }
    }
  }

  async #restoreOne(
    endpoint: Endpoint,
    object: FlowObject,
    { models, fixed }: { readonly models: readonly FlowObject[]; readonly fixed: readonly FlowObject[] },
  ): Promise<void> {
    const { scope: about } = this.#options;
    const scope = { ...about, manager: producer };
    const { name } = object.metadata;
    const of = (all: readonly FlowObject[]): FlowObject | undefined => all.find((one) => one.metadata.name === name);
    const [model, isFixed] = [of(models), of(fixed) !== undefined];
    if (model === undefined) {
      if (object.metadata.annotations?.[autoUpdate] !== "true") return;
      const options = { preconditions: { uid: object.metadata.uid ?? "" } };
      await deleteObject({ endpoint, namespace: "", name, options, scope }).catch(unless(isNotFound, isConflict));
      return;
    }
    const change = (live: KubeObject): KubeObject =>
      inOneGo(endpoint.normalize(restored(live as FlowObject, model, isFixed))).object;
    if (deepEqual(change(object), object)) return;
    await updateObject({ endpoint, namespace: "", name, subresource: "", scope, missing: "refuse", change }).catch(
      unless(isNotFound),
    );
  }
}

/** The object as the server keeps it. Without the annotation, an object that was never changed is kept as well. */
function restored(object: FlowObject, model: FlowObject, isFixed: boolean): KubeObject {
  const { annotations = {}, generation = 1 } = object.metadata;
  const said = annotations[autoUpdate];
  const keeps = isFixed || said === "true" || (said !== "false" && generation === 1);
  const metadata = { ...object.metadata, annotations: { ...annotations, [autoUpdate]: String(keeps) } };
  return { ...object, metadata, ...(keeps ? { spec: specOf(object, model) } : {}) };
}

/** The figures of the exempt level are its administrator's. */
function specOf(object: FlowObject, model: FlowObject): FlowObject["spec"] {
  const isExempt = model.kind === "PriorityLevelConfiguration" && model.metadata.name === "exempt";
  if (!isExempt || object.kind !== model.kind) return model.spec;
  return { type: "Exempt", exempt: (object as PriorityLevelConfiguration).spec?.exempt ?? model.spec?.exempt ?? {} };
}
