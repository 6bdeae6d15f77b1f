/** Sends the same generated objects of one kind to a real server and to ours, as dry runs; gives the answers that differ. To the generated tests. */
import { exactJson, parseExactJson } from "../../../../src/api/values/exact-json.js";
import { type ObjectType, builtInTypeOf } from "../../../../src/api/schema/index.js";
import { type Random, systemClock } from "../../../../src/base/index.js";
import type { Answer, Send, Step } from "../../differential/exchange.js";
import { type Cases, changedObject } from "../differential.js";
import { comparable, narrowed } from "../whole-answers.js";
import { isKnown, isKnownFailure } from "./known.js";
import { isPatchMode, type PatchMode, patchModes, patchStep } from "./patches.js";
import { bodyOf, type Variation, varied, variationsOf } from "./variations.js";

type Json = Record<string, unknown>;

type Mode = "create" | "update" | PatchMode;

/** "" is the object itself. */
type Subresource = "" | "status" | "scale";

export interface Trial extends Variation {
  readonly mode: Mode;
  readonly subresource: Subresource;
  /** What is varied; for updates what was stored is. */
  readonly seed: Json;
}

export interface Sides {
  readonly real: Send;
  readonly ours: Send;
  readonly namespace: string;
  /** How long caches are waited for; by default longer than any takes. */
  readonly patienceMs?: number;
}

/** All trials of a kind: each field of its base, and of what each of its cases adds; of its status and scale, too. */
export function trialsOf(cases: Cases, namespace: string): readonly Trial[] {
  const base = baseOf(cases, namespace);
  const type = typeNamed(cases.apiVersion, cases.kind);
  const main: Pick<Trial, "subresource"> = { subresource: "" };
  const ofBase = [...variationsOf(type, base)];
  const trials: Trial[] = ofBase.map((variation) => ({ ...variation, ...main, mode: "create", seed: base }));
  for (const change of Object.values(cases.create ?? {})) {
    const seed = changedObject(base, change);
    for (const variation of variationsOf(type, seed)) {
      if (differsAt(seed, base, variation)) trials.push({ ...variation, ...main, mode: "create", seed });
    }
  }
  for (const variation of ofBase) trials.push({ ...variation, ...main, mode: "update", seed: base });
  for (const trial of subresourceTrials(cases, namespace)) trials.push({ ...trial, mode: "update" });
  return trials;
}

/** Each field of a kind's base, status and scale, set and taken away by a patch of each media type. */
export function patchTrialsOf(cases: Cases, namespace: string): readonly Trial[] {
  const seed = baseOf(cases, namespace);
  const ofBase = [...variationsOf(typeNamed(cases.apiVersion, cases.kind), seed)];
  const all: readonly Omit<Trial, "mode">[] = [
    ...ofBase.map((variation) => ({ ...variation, subresource: "" as const, seed })),
    ...subresourceTrials(cases, namespace),
  ];
  return all.flatMap((trial) => patchModes.map((mode) => ({ ...trial, mode })));
}

const scalable = ["deployments", "replicasets", "statefulsets", "replicationcontrollers"];

/** Each field of a status, from nothing and from each of the kind's statuses; each field of a scale. */
function* subresourceTrials(cases: Cases, namespace: string): Generator<Omit<Trial, "mode">> {
  const base = baseOf(cases, namespace);
  const status = typeNamed(cases.apiVersion, cases.kind).properties.get("status")?.shape;
  if (status?.kind === "object") {
    for (const change of [{}, ...Object.values(cases.status ?? {})]) {
      const seed = changedObject(base, change);
      for (const variation of variationsOf(status.type, seed["status"], ["status"])) {
        if (seed["status"] === undefined || differsAt(seed, base, variation)) {
          yield { ...variation, subresource: "status", seed };
        }
      }
    }
  }
  if (!scalable.includes(cases.plural)) return;
  const { name } = base["metadata"] as { name: string };
  const seed = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name, namespace }, spec: { replicas: 1 } };
  for (const variation of variationsOf(typeNamed(seed.apiVersion, seed.kind), seed)) {
    yield { ...variation, subresource: "scale", seed };
  }
}

function typeNamed(apiVersion: string, kind: string): ObjectType {
  const type = builtInTypeOf(apiVersion, kind);
  if (type === undefined) throw new Error(`no type for ${apiVersion} ${kind}`);
  return type;
}

/** Only what a case brings is varied again. */
function differsAt(seed: Json, base: Json, { steps }: Variation): boolean {
  const at = (object: unknown): unknown =>
    steps.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], object);
  return at(seed) !== undefined && JSON.stringify(at(seed)) !== JSON.stringify(at(base));
}

export function sampled<T>(items: readonly T[], count: number, random: Random): readonly T[] {
  if (items.length <= count) return items;
  const rest = [...items];
  return Array.from({ length: count }, () => rest.splice(random.int(rest.length), 1)[0] as T);
}

function baseOf({ apiVersion, kind, base, clusterWide }: Cases, namespace: string): Json {
  const object = JSON.parse(JSON.stringify(base).replaceAll("kinds-conformance", namespace)) as Json;
  const metadata = { name: `generated-${kind.toLowerCase()}`, ...(clusterWide === true ? {} : { namespace }) };
  return { apiVersion, kind, ...object, metadata: { ...metadata, ...(object["metadata"] as object) } };
}

/** What a cache has not learned by then is a difference, which is reported. */
const settlingMs = 45_000;
/** After so many differences of a kind it is not the caches. */
const mostSettled = 5;
const inFlight = 4;

/** By trial, what differs. */
export async function differencesOf(
  sides: Sides,
  cases: Cases,
  trials: readonly Trial[],
): Promise<Readonly<Record<string, unknown>>> {
  const { apiVersion, plural } = cases;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection =
    cases.clusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${sides.namespace}/${plural}`;
  const base = baseOf(cases, sides.namespace);
  const one = `${collection}/${(base["metadata"] as { name: string }).name}`;
  const pair = new Pair([sides.real, sides.ours], { collection, one });
  const found: Json = {};
  const run = async (mode: Mode, subresource: Subresource): Promise<void> => {
    const isDue = (trial: Trial): boolean => trial.mode === mode && trial.subresource === subresource;
    const queue = trials.filter((trial) => isDue(trial) && !isKnown(cases, trial)).values();
    const worker = async (): Promise<void> => {
      for (const trial of queue) {
        const patience = Object.keys(found).length < mostSettled ? (sides.patienceMs ?? settlingMs) : 0;
        const difference = await pair.difference(trial, patience);
        if (difference !== undefined) found[nameOf(trial)] = difference;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  };
  await run("create", "");
  if (trials.every(({ mode }) => mode === "create")) return found;
  await pair.make(base);
  for (const mode of ["update", ...patchModes] as const) {
    for (const subresource of ["", "status", "scale"] as const) await run(mode, subresource);
  }
  await pair.remove();
  return found;
}

const nameOf = ({ mode, subresource, steps, value }: Trial): string =>
  `${mode} ${subresource}${subresource && " "}${steps.join(".")} = ${(JSON.stringify(value) ?? "absent").slice(0, 100)}`;

interface Places {
  readonly collection: string;
  readonly one: string;
}

/** The two servers, and what each has stored. */
export class Pair {
  readonly #senders: readonly Send[];
  readonly #places: Places;
  /** By path, what each server has there, in the order of the senders. */
  readonly #stored = new Map<string, Promise<readonly Json[]>>();

  constructor(senders: readonly Send[], places: Places) {
    this.#senders = senders;
    this.#places = places;
  }

  async make(base: Json): Promise<void> {
    const answers = await this.#both({ method: "POST", path: this.#places.collection, body: base });
    if (answers.some(({ status }) => status !== 201)) throw new Error(`cannot create: ${JSON.stringify(answers)}`);
  }

  async remove(): Promise<void> {
    const atOnce = { gracePeriodSeconds: 0, propagationPolicy: "Background" };
    await this.#both({ method: "DELETE", path: this.#places.one, body: atOnce });
  }

  /** Asks both until they answer alike: a real server's caches and controllers lag behind its writes. */
  async difference(trial: Trial, patienceMs: number): Promise<unknown> {
    const deadline = systemClock.monotonic() + patienceMs;
    const { signal } = new AbortController();
    for (let again = false; ; again = true) {
      if (again) this.#stored.clear();
      const answers = await Promise.all(
        this.#senders.map(async (send, side) => send(await this.#step(trial, side))),
      );
      // a request that makes the real server break off has no answer to compare with
      if (answers[0]?.status === 0) return undefined;
      if (answers[0]?.status === 500 && isKnownFailure(messageOf(answers[0]))) return undefined;
      const [theirs, mine] = answers.map((answer) => normal(answer, trial)) as [Json, Json];
      if (exactJson(theirs) === exactJson(mine)) return undefined;
      if (again && systemClock.monotonic() >= deadline) return narrowed(theirs, mine);
      await systemClock.sleep(10, signal);
    }
  }

  async #step(trial: Trial, side: number): Promise<Step> {
    const { collection, one } = this.#places;
    if (trial.mode === "create") {
      const body = bodyOf(varied(trial.seed, trial));
      return { name: "create", method: "POST", path: `${collection}?dryRun=All`, body };
    }
    const path = trial.subresource === "" ? one : `${one}/${trial.subresource}`;
    if (isPatchMode(trial.mode)) return patchStep(path, trial.seed, { ...trial, mode: trial.mode });
    const { metadata, ...stored } = (await this.#storedAt(path))[side] as Json & { metadata: Json };
    const { managedFields: _, ...kept } = metadata;
    const sent = trial.subresource === "status" ? { ...stored, ...statusOf(trial.seed) } : stored;
    return {
      name: trial.mode,
      method: "PUT",
      path: `${path}?dryRun=All`,
      body: bodyOf(varied({ ...sent, metadata: kept }, trial)),
    };
  }

  #storedAt(path: string): Promise<readonly Json[]> {
    let stored = this.#stored.get(path);
    if (stored === undefined) {
      stored = this.#both({ method: "GET", path }).then((answers) => answers.map(({ body }) => body as Json));
      this.#stored.set(path, stored);
    }
    return stored;
  }

  #both(step: Omit<Step, "name">): Promise<readonly Answer[]> {
    return Promise.all(this.#senders.map((send) => send({ ...step, name: step.method })));
  }
}

const messageOf = ({ body }: Answer): string => (body as { message?: string } | undefined)?.message ?? "";

const statusOf = ({ status }: Json): Json => (status === undefined ? {} : { status });

/** Kinds whose status a real server's own controllers write at some moment. */
const reported: readonly unknown[] = ["APIService", "CustomResourceDefinition", "FlowSchema", "ServiceCIDR"];

interface Comparable {
  readonly body?: {
    kind?: string;
    message?: unknown;
    status?: unknown;
    metadata?: { managedFields?: unknown };
    details?: { causes?: { message: string }[] };
  };
}

/** Go's names for types say no more than the name of the field; which of its converters refuses a strategic patch says nothing at all. */
const withoutGoTypes = (message: string, mode: Mode): string =>
  mode === "strategic"
    ? message.replace(/(<result>: )(cannot|unrecognized|json: cannot) .*$/, "$1wrong type")
    : message.replace(/ of type \S+$/, " of type …");

/** Without what others write, the names of Go's types, and the beginning of the body. */
function normal(answer: Answer, { mode, seed }: Trial): Json {
  const result: Comparable = comparable(answer);
  const { body } = result;
  if (typeof body?.message === "string") {
    body.message = withoutGoTypes(body.message, mode).replace(/ \(\{.*\)$/s, "");
  }
  for (const cause of body?.details?.causes ?? []) cause.message = withoutGoTypes(cause.message, mode);
  if (body !== undefined && mode !== "create" && body.kind === seed["kind"] && reported.includes(seed["kind"])) {
    delete body.status;
  }
  // a real server gives the rules of a user in any order
  if (body?.kind === "SelfSubjectRulesReview") delete body.status;
  const fields = body?.metadata?.managedFields;
  if (Array.isArray(fields) && body?.metadata !== undefined) {
    const own = fields.filter(({ manager }: { manager?: string }) => manager === "differential");
    body.metadata.managedFields = own;
  }
  // the bracket that closes a list of causes goes with what changed, or does not
  return parseExactJson(exactJson(result).replaceAll("<difference>]", "<difference>")) as Json;
}
