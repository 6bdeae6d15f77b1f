/** A small change to a Deployment: compares our patches, which share unchanged parts, with patches that copy the object first. */
import { applyJsonPatch, applyMergePatch, applyStrategicMergePatch, type PatchSchema } from "../src/api/index.js";
import { patchSchemaOfKind } from "../src/api/schema/index.js";
import { deployment } from "./samples.js";
import { measure, type Run } from "./harness.js";

type Tree = Record<string, unknown>;

/** The obvious alternative: a deep copy, changed in place. */
function copyThenMerge(target: unknown, patch: unknown): unknown {
  const merge = (into: unknown, from: unknown): unknown => {
    if (typeof from !== "object" || from === null || Array.isArray(from)) return from;
    const object = (typeof into === "object" && into !== null && !Array.isArray(into) ? into : {}) as Tree;
    for (const [key, value] of Object.entries(from)) {
      if (value === null) delete object[key];
      else object[key] = merge(object[key], value);
    }
    return object;
  };
  return merge(structuredClone(target), patch);
}

const change = { metadata: { annotations: { note: "2" } }, spec: { replicas: 5, paused: null } };
const strategic = { spec: { template: { spec: { containers: [{ name: "c3", image: "i:2" }] } } } };
const operations = [
  { op: "replace", path: "/spec/replicas", value: 5 },
  { op: "add", path: "/metadata/annotations/note", value: "2" },
] as const;

export const run: Run = () => {
  const object = deployment();
  const schema = patchSchemaOfKind({ group: "apps", version: "v1", kind: "Deployment" }) as PatchSchema;
  const times = measure({
    merge: () => repeat(() => applyMergePatch(object, change)),
    copied: () => repeat(() => copyThenMerge(object, change)),
    json: () => repeat(() => applyJsonPatch(object, operations)),
    strategic: () => repeat(() => applyStrategicMergePatch(object, strategic, schema)),
  });
  return {
    figures: {
      "merge patch (ns/patch)": times.merge,
      "copy, then merge (ns/patch)": times.copied,
      "JSON patch (ns/patch)": times.json,
      "strategic merge patch (ns/patch)": times.strategic,
    },
    ratios: { "merge patch: faster than copying": times.copied / times.merge },
  };
};

function repeat(work: () => unknown): number {
  for (let i = 0; i < 100; i++) work();
  return 100;
}
