/** Sends the same generated objects of one kind to a real server and to ours, as dry runs; gives the answers that differ. To the generated tests. */
import { typeOf } from "../../../../src/api/schema/index.js";
import { type Random, systemClock } from "../../../../src/base/index.js";
import type { Answer, Send, Step } from "../../differential/exchange.js";
import { type Cases, changedObject } from "../differential.js";
import { comparable, narrowed } from "../whole-answers.js";
import { isKnown } from "./known.js";
import { isPatchMode, type PatchMode, patchModes, patchStep } from "./patches.js";
import { bodyOf, type Variation, varied, variationsOf } from "./variations.js";

type Json = Record<string, unknown>;

type Mode = "create" | "update" | "status" | PatchMode;

export interface Trial extends Variation {
  readonly mode: Mode;
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

/** All trials of a kind: each field of its base, and of what each of its cases adds. */
export function trialsOf(cases: Cases, namespace: string): readonly Trial[] {
  const base = baseOf(cases, namespace);
  const type = typeOf(cases.apiVersion, cases.kind);
  if (type === undefined) throw new Error(`no type for ${cases.apiVersion} ${cases.kind}`);
  const ofBase = [...variationsOf(type, base)];
  const trials: Trial[] = ofBase.map((variation) => ({ ...variation, mode: "create", seed: base }));
  for (const change of Object.values(cases.create ?? {})) {
    const seed = changedObject(base, change);
    for (const variation of variationsOf(type, seed)) {
      if (differsAt(seed, base, variation)) trials.push({ ...variation, mode: "create", seed });
    }
  }
  for (const variation of ofBase) trials.push({ ...variation, mode: "update", seed: base });
  const status = type.properties.get("status")?.shape;
  if (status?.kind === "object") {
    for (const variation of variationsOf(status.type, undefined, ["status"])) {
      trials.push({ ...variation, mode: "status", seed: base });
    }
  }
  return trials;
}

/** Each field of a kind's base, set and taken away by a patch of each media type. */
export function patchTrialsOf(cases: Cases, namespace: string): readonly Trial[] {
  const seed = baseOf(cases, namespace);
  const type = typeOf(cases.apiVersion, cases.kind);
  if (type === undefined) throw new Error(`no type for ${cases.apiVersion} ${cases.kind}`);
  return [...variationsOf(type, seed)].flatMap((variation) => patchModes.map((mode) => ({ ...variation, mode, seed })));
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
  const run = async (mode: Mode): Promise<void> => {
    const queue = trials.filter((trial) => trial.mode === mode && !isKnown(cases, trial)).values();
    const worker = async (): Promise<void> => {
      for (const trial of queue) {
        const patience = Object.keys(found).length < mostSettled ? (sides.patienceMs ?? settlingMs) : 0;
        const difference = await pair.difference(trial, patience);
        if (difference !== undefined) found[nameOf(trial)] = difference;
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  };
  await run("create");
  if (trials.every(({ mode }) => mode === "create")) return found;
  await pair.make(base);
  await run("update");
  await run("status");
  for (const mode of patchModes) await run(mode);
  await pair.remove();
  return found;
}

const nameOf = ({ mode, steps, value }: Trial): string =>
  `${mode} ${steps.join(".")} = ${(JSON.stringify(value) ?? "absent").slice(0, 100)}`;

interface Places {
  readonly collection: string;
  readonly one: string;
}

/** The two servers, and what each has stored. */
export class Pair {
  readonly #senders: readonly Send[];
  readonly #places: Places;
  /** In the order of the senders; only read once both have made it. */
  #stored: readonly Json[] = [];

  constructor(senders: readonly Send[], places: Places) {
    this.#senders = senders;
    this.#places = places;
  }

  async make(base: Json): Promise<void> {
    const answers = await this.#both({ method: "POST", path: this.#places.collection, body: base });
    if (answers.some(({ status }) => status !== 201)) throw new Error(`cannot create: ${JSON.stringify(answers)}`);
    this.#stored = answers.map(({ body }) => body as Json);
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
      if (again && trial.mode !== "create") {
        this.#stored = (await this.#both({ method: "GET", path: this.#places.one })).map(({ body }) => body as Json);
      }
      const answers = await Promise.all(this.#senders.map((send, side) => send(this.#step(trial, side))));
      // a request that makes the real server break off has no answer to compare with
      if (answers[0]?.status === 0) return undefined;
      if (isFailure(answers[0]) && isRefusal(answers[1])) return undefined;
      const [theirs, mine] = answers.map((answer) => normal(answer, trial)) as [Json, Json];
      if (JSON.stringify(theirs) === JSON.stringify(mine)) return undefined;
      if (again && systemClock.monotonic() >= deadline) return narrowed(theirs, mine);
      await systemClock.sleep(10, signal);
    }
  }

  #step(trial: Trial, side: number): Step {
    const { collection, one } = this.#places;
    if (trial.mode === "create") {
      const body = bodyOf(varied(trial.seed, trial));
      return { name: "create", method: "POST", path: `${collection}?dryRun=All`, body };
    }
    if (isPatchMode(trial.mode)) return patchStep(one, trial.seed, { ...trial, mode: trial.mode });
    const { metadata, ...stored } = this.#stored[side] as Json & { metadata: Json };
    const { managedFields: _, ...kept } = metadata;
    const path = `${one}${trial.mode === "status" ? "/status" : ""}?dryRun=All`;
    return { name: trial.mode, method: "PUT", path, body: bodyOf(varied({ ...stored, metadata: kept }, trial)) };
  }

  #both(step: Omit<Step, "name">): Promise<readonly Answer[]> {
    return Promise.all(this.#senders.map((send) => send({ ...step, name: step.method })));
  }
}

const isFailure = (answer: Answer | undefined): boolean => answer?.status === 500;

/** A fault of the client's is told as such, even where a real server fails at it. */
const isRefusal = ({ status }: Answer = { status: 0, contentType: "", warnings: [], body: undefined }): boolean =>
  status >= 400 && status < 500;

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
  const fields = body?.metadata?.managedFields;
  if (Array.isArray(fields) && body?.metadata !== undefined) {
    const own = fields.filter(({ manager }: { manager?: string }) => manager === "differential");
    body.metadata.managedFields = own;
  }
  // the bracket that closes a list of causes goes with what changed, or does not
  return JSON.parse(JSON.stringify(result).replaceAll("<difference>]", "<difference>")) as Json;
}
