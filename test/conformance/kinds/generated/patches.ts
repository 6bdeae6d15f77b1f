/** Takes a variation of an object; gives the patch of each media type that makes it. To the trials. */
import type { Step } from "../../differential/exchange.js";
import { bodyOf, type Steps, type Variation, varied } from "./variations.js";

type Json = Record<string, unknown>;

const mediaTypes = {
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

export type PatchMode = keyof typeof mediaTypes;

export const patchModes = Object.keys(mediaTypes) as readonly PatchMode[];

export const isPatchMode = (mode: string): mode is PatchMode => Object.hasOwn(mediaTypes, mode);

/** One variation as a patch of the object at `path`, which was made from `seed`. */
export function patchStep(path: string, seed: Json, variation: Variation & { readonly mode: PatchMode }): Step {
  const { mode } = variation;
  const query = mode === "apply" ? "?dryRun=All&fieldManager=differential&force=true" : "?dryRun=All";
  const body = bodyOf(patchBody(seed, variation));
  return { name: mode, method: "PATCH", path: `${path}${query}`, type: mediaTypes[mode], body };
}

function patchBody(seed: Json, variation: Variation & { readonly mode: PatchMode }): unknown {
  const { mode, steps, value } = variation;
  if (mode === "apply") return varied(seed, variation);
  if (mode === "json" && steps[0] === "status") {
    // in a status hardly anything is there to which a field could be added
    return [{ op: "add", path: "/status", value: varied(seed, variation)["status"] ?? {} }];
  }
  if (mode === "json") {
    const path = steps.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
    return value === undefined ? [{ op: "remove", path }] : [{ op: "add", path, value }];
  }
  return nested(seed, variation);
}

/** As a merge: `null` takes a field away, and of a list the whole is given. */
function nested(seed: Json, variation: Variation): unknown {
  const { steps, value } = variation;
  const list = steps.findIndex((step) => typeof step === "number");
  const leading = list === -1 ? steps : steps.slice(0, list);
  const given = list === -1 ? (value ?? null) : at(varied(seed, variation), leading);
  return leading.reduceRight<unknown>((inner, step) => ({ [step]: inner }), given);
}

const at = (object: unknown, steps: Steps): unknown =>
  steps.reduce<unknown>((value, step) => (value as Record<string | number, unknown> | undefined)?.[step], object);
