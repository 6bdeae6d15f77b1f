import { describe, expect, test } from "vitest";
import { seededRandom } from "../../../src/base/index.js";
import { allCases } from "./cases/all-cases.js";
import { changedObject, ourCreate, formed, ourUpdate, type Cases } from "./differential.js";

type Json = Record<string, unknown>;

const odd: readonly unknown[] = [
  "",
  "A_b",
  "a/b",
  "x".repeat(300),
  "%",
  "1500m",
  0,
  -1,
  2 ** 31 - 1,
  [],
  {},
  null,
  true,
  [""],
  [{}],
];

/** The kind is known by now, and the store sees to names and uids. */
const isOurs = ([first, second]: readonly (string | number)[]): boolean =>
  first === "metadata"
    ? second !== undefined && second !== "name"
    : first !== undefined && first !== "apiVersion" && first !== "kind";

/** Every place of an object, as steps. */
function places(value: unknown, at: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [at];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...inner.flatMap(([step, item]) => places(item, [...at, step]))];
}

function withValue(object: Json, steps: readonly (string | number)[], value: unknown): Json {
  const copy = structuredClone(object);
  let at: Record<string | number, unknown> = copy;
  for (const step of steps.slice(0, -1)) at = at[step] as Record<string | number, unknown>;
  const last = steps.at(-1);
  if (last !== undefined) at[last] = value;
  return copy;
}

/** A mismatch of types is refused before any strategy sees the object. */
function isFormed(cases: Cases, sent: Json): boolean {
  try {
    formed(sent, cases);
    return true;
  } catch {
    return false;
  }
}

function whole(cases: Cases, change: object): Json {
  const { apiVersion, kind } = cases;
  const base = { apiVersion, kind, ...changedObject(cases.base, {}) } as Json;
  base["metadata"] = { name: "fuzz", namespace: "default", ...(base["metadata"] as object) };
  return changedObject(base, change as Readonly<Record<string, unknown>>);
}

describe("validation of whatever comes", () => {
  for (const cases of allCases) {
    test(`never breaks: ${cases.apiVersion} ${cases.kind}${cases.name === undefined ? "" : " (unwise)"}`, () => {
      const random = seededRandom(cases.kind);
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random.next() * items.length)] as T;
      const broken: string[] = [];
      const sound = whole(cases, {});
      for (const change of [{}, ...Object.values(cases.create ?? {})]) {
        const object = whole(cases, change);
        for (let round = 0; round < 10; round++) {
          const steps = pick(places(object).filter(isOurs));
          const value = pick(odd);
          const sent = withValue(object, steps, value);
          if (!isFormed(cases, sent)) continue;
          try {
            ourCreate(cases, sent);
            ourUpdate(cases, sent, sound as never);
          } catch (error) {
            broken.push(
              `${steps.join(".")} = ${JSON.stringify(value)}: ${(error as Error).stack?.split("\n").slice(0, 4).join(" ")}`,
            );
          }
        }
      }
      expect(broken).toEqual([]);
    });
  }
});
