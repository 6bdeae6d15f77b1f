/** Checks that the versions of a kind convert without loss: takes a kind, makes objects from its schemas, and throws at the first that changes. */
import {
  apiVersionOf,
  changedPaths,
  type ConvertibleType,
  convertObject,
  deepFreeze,
  isConvertible,
  type KubeObject,
  type ResourceType,
} from "../../api/index.js";
import { checkOptions, messageOf, seededRandom, systemRandom } from "../../base/index.js";
import { generatedObject } from "./from-schema.js";

export interface RoundTripOptions {
  /** The seed of the objects; a failure prints it. Default: another one each time. */
  readonly seed?: number | string;
  /** The number of objects of each version; 200 by default. */
  readonly objects?: number;
  /** Further texts for fields with a pattern that plain words do not fit. */
  readonly texts?: readonly string[];
  /** Only objects that pass are converted: for rules that a schema does not tell. */
  readonly valid?: (object: KubeObject) => boolean;
}

const rules = { seed: {}, objects: { min: 1, whole: true }, texts: "list", valid: "function" } as const;

/**
 * Converts objects of each version to each other version and back; they must come back as they were. An annotation
 * can carry the content for which a version has no field.
 */
export function checkRoundTrip(kind: ResourceType, options: RoundTripOptions = {}): void {
  const of = `checkRoundTrip ${kind.kind}`;
  checkOptions({ ...options, seed: undefined }, { of, rules });
  if (!isConvertible(kind)) throw new TypeError(`${of}: it has one version; withVersions makes a kind of several`);
  const { seed = systemRandom.int(2 ** 31), objects = 200, texts = [], valid = () => true } = options;
  const types = [kind, ...kind.versions.map(({ type }) => type)];
  for (const from of types) {
    const random = seededRandom(`${seed}/${from.version}`);
    for (let n = 0; n < objects; n++) {
      const object = deepFreeze(generatedObject(from, random.fork(String(n)), texts)) as KubeObject;
      if (!valid(object)) continue;
      for (const to of types)
        if (to !== from) tryBoth(kind, object, { to: apiVersionOf(to), of: `${of} (seed ${seed})` });
    }
  }
}

function tryBoth(
  kind: ConvertibleType,
  object: KubeObject,
  { to, of }: { readonly to: string; readonly of: string },
): void {
  let there: KubeObject | undefined;
  let back: KubeObject;
  try {
    there = convertObject(kind, object, to);
    back = convertObject(kind, there, object.apiVersion);
  } catch (error) {
    const where = there === undefined ? `to ${to}` : `back from ${to}`;
    throw new Error(`${of}: converting ${where} failed: ${messageOf(error)}\n${printed({ object, there })}`, {
      cause: error,
    });
  }
  const lost = changedPaths(plain(object), plain(back));
  if (lost.length === 0) return;
  throw new Error(
    `${of}: ${object.apiVersion} → ${to} → ${object.apiVersion} changes ${lost.join(", ")}\n${printed({ object, there, back })}`,
  );
}

/** As JSON, in which absent and undefined are the same. */
const plain = (object: KubeObject): unknown => JSON.parse(JSON.stringify(object));

const printed = (steps: Readonly<Record<string, KubeObject | undefined>>): string =>
  Object.entries(steps)
    .filter(([, object]) => object !== undefined)
    .map(([name, object]) => `  ${name}: ${JSON.stringify(object)}`)
    .join("\n");
