import { describe, expect, test } from "vitest";
import { realAnswer } from "../../../test/real-answer.js";
import { hasRealCluster } from "../../testing/shared-envtest.js";
import { builtInGroups } from "../discovery/index.js";
import { openApiV3, openApiV3Path } from "./index.js";

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Without prose, and without what describes unions to nobody. */
function facts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(facts);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === "description" && typeof inner === "string") && key !== "x-kubernetes-unions",
  );
  const [first] = kept;
  // a reference with a description beside it is wrapped, one without is not
  if (kept.length === 1 && first?.[0] === "allOf") return facts((first[1] as unknown[])[0]);
  return Object.fromEntries(kept.map(([key, inner]) => [key, facts(inner)]));
}

const versions = builtInGroups().flatMap(({ group, versions: served }) => served.map((entry) => ({ group, ...entry })));

describe.skipIf(!hasRealCluster())("against a real kube-apiserver (skipped without KUBEBUILDER_ASSETS)", () => {
  test.each(versions)("the schemas of $group/$version are the same", async ({ group, version, resources }) => {
    const real = facts(await realAnswer(`/openapi/v3/${openApiV3Path(group, version)}`)) as Document;
    const ours = facts(JSON.parse(JSON.stringify(openApiV3({ group, version, resources })))) as Document;
    expect(ours.components.schemas).toEqual(real.components.schemas);
  });
});
