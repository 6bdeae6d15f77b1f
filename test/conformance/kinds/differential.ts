/** Judges the same object by a real server (dry run) and by our strategies; gives the differences. */
import {
  fieldPath,
  isDns1123Subdomain,
  type KubeObject,
  parseGroupVersion,
  StatusError,
} from "../../../src/api/index.js";
import { typedForm, builtInTypeOf } from "../../../src/api/schema/index.js";
import { definitionStrategy } from "../../../src/apiserver/crd/definition-strategy.js";
import { builtInStrategies } from "../../../src/apiserver/registry/kinds/index.js";
import { mainUpdater } from "../../../src/apiserver/registry/write/update.js";
import type { Strategy, StrategyContext } from "../../../src/apiserver/contracts/strategy.js";
import type { ApiRequest } from "../api-request.js";

/** Fields to set, by path (`spec.containers[0].image`); `undefined` takes a field away. */
export type Change = Readonly<Record<string, unknown>>;

export interface Cases {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly clusterWide?: boolean;
  /** For the second list of cases of a kind; by default the kind. */
  readonly name?: string;
  /** A valid object without its name. */
  readonly base: Readonly<Record<string, unknown>>;
  /** The changes for objects that are created, by a name for the case. */
  readonly create?: Readonly<Record<string, Change>>;
  /** The changes that are sent once the object exists as `base`. */
  readonly update?: Readonly<Record<string, Change>>;
  /** The statuses that are sent once the object exists as `base`; only whole answers are compared. */
  readonly status?: Readonly<Record<string, Change>>;
  /** Fields that admission or allocation sets on the real server, and that no strategy knows. */
  readonly ignore?: readonly string[];
}

type Json = Record<string, unknown>;

const context: StrategyContext = {
  now: 0,
  user: { username: "admin", uid: "admin-uid", groups: ["system:masters", "system:authenticated"] },
  group: "",
  newUid: () => "00000000-0000-4000-8000-000000000000",
  warn: () => undefined,
};

/** The answer of a side: the causes of its refusal, or the object. */
export type Verdict = { readonly causes: readonly string[] } | { readonly object: unknown };

export function changedObject(base: object, change: Change): Json {
  const object = structuredClone(base) as Json;
  for (const [path, value] of Object.entries(change)) setPath(object, path, value);
  return object;
}

/** A path is names and indices; a name with dots is written in brackets: `metadata.annotations[a.b/c]`. */
function setPath(object: Json, path: string, value: unknown): void {
  const steps = [...path.matchAll(/\[(\d+)\]|\[([^\]]+)\]|([^.[\]]+)/g)].map(([, index, key, name]) =>
    index === undefined ? ((key ?? name) as string) : Number(index),
  );
  let at: Record<string | number, unknown> = object;
  for (const [position, step] of steps.slice(0, -1).entries()) {
    at[step] ??= typeof steps[position + 1] === "number" ? [] : {};
    at = at[step] as Record<string | number, unknown>;
  }
  const last = steps.at(-1) as string | number;
  if (value === undefined) delete at[last];
  else at[last] = value;
}

function strategyOf(cases: Cases): Strategy {
  const { group } = parseGroupVersion(cases.apiVersion);
  const strategies = [...builtInStrategies, definitionStrategy as unknown as Strategy];
  const found = strategies.find((one) => one.group === group && one.kind === cases.kind);
  if (found === undefined) throw new Error(`no strategy for ${cases.apiVersion} ${cases.kind}`);
  return found;
}

export function formed(object: object, { apiVersion, kind }: Cases): KubeObject {
  const type = builtInTypeOf(apiVersion, kind);
  if (type === undefined) throw new Error(`no type for ${apiVersion} ${kind}`);
  return typedForm(type, object as Json) as unknown as KubeObject;
}

/** As the registry does it: typed form, defaults, preparation, validation. */
export function ourCreate(cases: Cases, sent: object): Verdict {
  const strategy = strategyOf(cases);
  const { status: _, ...statusless } = formed(sent, cases) as KubeObject & { status?: unknown };
  const kept = strategy.keepsStatusOnCreate === true ? formed(sent, cases) : (statusless as KubeObject);
  const input = { ...kept, metadata: { ...kept.metadata, uid: context.newUid() } };
  const defaulted = strategy.setDefaults?.(deepFrozen(input)) ?? input;
  const prepared = strategy.prepareForCreate?.(deepFrozen(defaulted), context) ?? defaulted;
  const { name } = prepared.metadata;
  const complaints = strategy.validateName?.(name, false) ?? isDns1123Subdomain(name);
  const named = complaints.map((complaint) => fieldPath("metadata", "name").invalid(name, complaint));
  const seen = strategy.forRules?.(deepFrozen(prepared)) ?? prepared;
  const causes = [...named, ...(strategy.validateCreate?.(seen, context) ?? [])];
  if (causes.length > 0) return { causes: printed(causes) };
  strategy.warningsOnCreate?.(seen);
  return { object: visible(formed(prepared, cases), cases) };
}

export function ourUpdate(cases: Cases, sent: object, old: KubeObject): Verdict {
  const strategy = strategyOf(cases);
  const stored = formed(old, cases) as KubeObject & { status?: unknown };
  const { status: _, ...rest } = formed(sent, cases) as KubeObject & { status?: unknown };
  const input = (stored.status === undefined ? rest : { ...rest, status: stored.status }) as KubeObject;
  const defaulted = strategy.setDefaults?.(deepFrozen(input)) ?? input;
  const prepared = strategy.prepareForUpdate?.(deepFrozen(defaulted), deepFrozen(stored), context) ?? defaulted;
  const { forRules = (object: KubeObject) => object } = strategy;
  const [seen, seenOld] = [forRules(deepFrozen(prepared)), forRules(deepFrozen(stored))];
  const causes = [...(mainUpdater(strategy).validateUpdate?.(seen, seenOld, context) ?? [])];
  if (causes.length > 0) return { causes: printed(causes) };
  strategy.warningsOnUpdate?.(seen, seenOld);
  return { object: visible(formed(prepared, cases), cases) };
}

function deepFrozen<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const inner of Object.values(value)) deepFrozen(inner);
    Object.freeze(value);
  }
  return value;
}

type Causes = NonNullable<NonNullable<StatusError["status"]["details"]>["causes"]>;

/** Sorted, because real servers walk maps in any order; after a line break they print Go structs. */
function printed(causes: Causes): readonly string[] {
  return causes.map(({ reason, field, message = "" }) => `${field} | ${reason} | ${withoutStructs(message)}`).sort();
}

/** A whole struct that did not change is shown as Go prints it, which nobody reads; uids differ. */
export function withoutStructs(message: string): string {
  return (message.split("\n")[0] as string)
    .replace(/Invalid value: \{.*\}: field is immutable$/, "Invalid value: {…}: field is immutable")
    .replace(/Invalid value: \[?\{"(?:name|ID|type)".*\}\]?: (must |only )/i, "Invalid value: {…}: $1")
    .replace(/ERROR: <input>:\d+:\d+: (Syntax error)?.*/, (all, syntax) => (syntax ? "ERROR: Syntax error" : all))
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>");
}

/** Metadata and status belong to others; the rest must be the same. */
function visible(object: KubeObject, cases: Cases): unknown {
  const copy = structuredClone(object) as unknown as Json;
  delete copy["metadata"];
  for (const path of ["status.conditions", ...(cases.ignore ?? [])]) removePath(copy, path.split("."));
  return sorted(copy);
}

/** A `*` stands for all items of a list. */
function removePath(at: unknown, [step, ...rest]: readonly string[]): void {
  if (!isRecord(at) || step === undefined) return;
  if (step === "*") for (const item of Object.values(at)) removePath(item, rest);
  else if (rest.length === 0) delete at[step];
  else removePath(at[step], rest);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => sorted(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function verdictOf({ status, body }: { readonly status: number; readonly body: Json }, cases: Cases): Verdict | string {
  if (status === 200 || status === 201) return { object: visible(body as unknown as KubeObject, cases) };
  const { message, details } = body as { message?: string; details?: { causes?: Causes } };
  if (status !== 422) return `${status} ${message}`;
  return { causes: printed(details?.causes ?? []) };
}

export interface Difference {
  readonly case: string;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Every case of which the two sides think differently. */
export async function differences(send: ApiRequest, namespace: string, cases: Cases): Promise<readonly Difference[]> {
  const { apiVersion, kind, plural } = cases;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = cases.clusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
  const name = `case-${cases.name ?? kind.toLowerCase()}`;
  const base = { apiVersion, kind, ...changedObject(cases.base, {}) } as Json;
  base["metadata"] = { name, ...(cases.clusterWide === true ? {} : { namespace }), ...(base["metadata"] as object) };
  const found: Difference[] = [];
  const compare = (which: string, theirs: Verdict | string, ours: Verdict): void => {
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) found.push({ case: which, ...narrowed(theirs, ours) });
  };
  for (const [which, change] of Object.entries({ "as it is": {}, ...cases.create })) {
    const sent = changedObject(base, change);
    const answer = await send("POST", `${collection}?dryRun=All`, sent);
    compare(`create: ${which}`, verdictOf(answer, cases), ourCreate(cases, sent));
  }
  if (cases.update === undefined) return found;
  const made = await send("POST", collection, base);
  if (made.status !== 201) throw new Error(`cannot create the base of ${kind}: ${JSON.stringify(made.body)}`);
  const old = made.body as KubeObject;
  for (const [which, change] of Object.entries({ "as it is": {}, ...cases.update })) {
    const { managedFields: _, ...metadata } = old.metadata;
    const sent = changedObject({ ...old, metadata }, change);
    const answer = await send("PUT", `${collection}/${(old.metadata as { name: string }).name}?dryRun=All`, sent);
    compare(`update: ${which}`, verdictOf(answer, cases), ourUpdate(cases, sent, old));
  }
  await send("DELETE", `${collection}/${old.metadata.name}`, {
    gracePeriodSeconds: 0,
    propagationPolicy: "Background",
  });
  return found;
}

/** Of two refusals only the causes that one side lacks, of two objects only the fields that differ. */
function narrowed(theirs: Verdict | string, ours: Verdict): { readonly theirs: unknown; readonly ours: unknown } {
  if (typeof theirs === "string") return { theirs, ours };
  if ("causes" in theirs && "causes" in ours) {
    const only = (side: readonly string[], other: readonly string[]): readonly string[] => {
      const lacking = side.filter((cause) => !other.includes(cause));
      return lacking.length === 0 && side.length > other.length ? side : lacking;
    };
    return { theirs: only(theirs.causes, ours.causes), ours: only(ours.causes, theirs.causes) };
  }
  if ("causes" in theirs || "causes" in ours) return { theirs, ours };
  return differing(theirs.object, ours.object);
}

function differing(theirs: unknown, ours: unknown): { readonly theirs: unknown; readonly ours: unknown } {
  if (!isRecord(theirs) || !isRecord(ours)) return { theirs, ours };
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(ours)])].filter(
    (key) => JSON.stringify(theirs[key]) !== JSON.stringify(ours[key]),
  );
  const pairs = keys.map((key) => [key, differing(theirs[key], ours[key])] as const);
  return {
    theirs: Object.fromEntries(pairs.map(([key, pair]) => [key, pair.theirs])),
    ours: Object.fromEntries(pairs.map(([key, pair]) => [key, pair.ours])),
  };
}

/** Lists too: by position. */
const isRecord = (value: unknown): value is Json => typeof value === "object" && value !== null;
