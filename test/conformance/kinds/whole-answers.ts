/**
 * Sends the same cases through the whole embedded server: compares status, message, warnings, metadata, and the
 * additions of admission.
 */
import { changedPaths } from "../../../src/api/index.js";
import { type Answer, normalized, type Send } from "../differential/exchange.js";
import { changedObject, type Cases, type Change, withoutStructs } from "./differential.js";

type Json = Record<string, unknown>;

/** The pairs of answers that differ, by case, narrowed to the differences. */
export async function answersThatDiffer(
  real: Send,
  ours: Send,
  namespace: string,
  cases: Cases,
): Promise<Readonly<Record<string, unknown>>> {
  const { apiVersion, kind, plural } = cases;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = cases.clusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
  const base = { apiVersion, kind, ...changedObject(cases.base, {}) } as Json;
  base["metadata"] = { name: `whole-${cases.name ?? kind.toLowerCase()}`, ...(base["metadata"] as object) };
  const found: Json = {};
  const both = async (which: string, method: string, path: string, bodies: readonly [unknown, unknown]) => {
    const step = (body: unknown) => ({ name: which, method, path, body });
    const answers = await Promise.all([real(step(bodies[0])), ours(step(bodies[1]))]);
    const [theirs, mine] = answers.map(comparable) as [Json, Json];
    if (JSON.stringify(theirs) !== JSON.stringify(mine)) found[which] = narrowed(theirs, mine);
    return answers;
  };
  for (const [which, change] of Object.entries({ "as it is": {}, ...cases.create })) {
    const sent = changedObject(base, change);
    await both(`create: ${which}`, "POST", `${collection}?dryRun=All`, [sent, sent]);
  }
  if (cases.update === undefined && cases.status === undefined) return found;
  const made = await both("create", "POST", collection, [base, base]);
  const name = (base["metadata"] as { name: string }).name;
  const put = async (which: string, change: Change, subresource: string) => {
    const sent = made.map(({ body }) => {
      const { managedFields: _, ...metadata } = (body as { metadata: Json }).metadata;
      return changedObject({ ...(body as Json), metadata }, change);
    }) as [Json, Json];
    await both(which, "PUT", `${collection}/${name}${subresource}?dryRun=All`, sent);
  };
  for (const [which, change] of Object.entries({ "as it is": {}, ...cases.update })) {
    await put(`update: ${which}`, change, "");
  }
  for (const [which, change] of Object.entries(cases.status ?? {})) await put(`status: ${which}`, change, "/status");
  const atOnce = { gracePeriodSeconds: 0, propagationPolicy: "Background" };
  await both("delete", "DELETE", `${collection}/${name}`, [atOnce, atOnce]);
  return found;
}

/** Real servers iterate over maps in any order; the text after a line break is a difference as Go prints it. */
export function comparable(answer: Answer): Json {
  const { body, ...rest } = normalized(answer) as Json;
  if ((body as Json)["kind"] !== "Status") return { ...rest, body };
  const { message = "", details = {}, ...status } = body as { message?: string; details?: { causes?: Cause[] } };
  const causes = details.causes?.map(({ message: text = "", ...cause }) => ({
    ...cause,
    message: withoutStructs(text),
  }));
  const sorted = causes?.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const head = causes === undefined || causes.length < 2 ? withoutStructs(message) : message.split(": [")[0];
  return { ...rest, body: { ...status, message: head, details: { ...details, causes: sorted } } };
}

interface Cause {
  readonly field?: string;
  readonly reason?: string;
  readonly message?: string;
}

export function narrowed(theirs: Json, mine: Json): unknown {
  const at = (value: unknown, path: string): unknown => {
    let found = value;
    for (const [, index, name] of path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)) {
      found = (found as Json | undefined)?.[(index ?? name) as string];
    }
    return found;
  };
  return Object.fromEntries(
    changedPaths(theirs, mine).map((path) => [path, { real: at(theirs, path), ours: at(mine, path) }]),
  );
}
