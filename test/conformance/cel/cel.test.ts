import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiServer, startApiServer } from "../../../src/apiserver/index.js";
import { FakeClock } from "../../../src/base/index.js";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import { type ApiAnswer, type ApiRequest, apiRequester, untilServed } from "../api-request.js";
import { embeddedRequester } from "../embedded-request.js";
import { definitionCases } from "./definition-cases.js";
import { objectCases, subject, subjectSchema } from "./object-cases.js";
import { policyCases } from "./policy-cases.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const definition = (plural: string, kind: string, value: object): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.cel.example.com` },
  spec: {
    group: "cel.example.com",
    scope: "Namespaced",
    names: { plural, singular: plural.slice(0, -1), kind, listKind: `${kind}List` },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { value } } } },
        },
      },
    ],
  },
});

const ruled = (schema: object, rules: readonly (string | object)[]): object =>
  rules.length === 0
    ? schema
    : { ...schema, "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule)) };

/** The type of `self` has a number in its name that a real server takes from its clock. */
const plain = (text: string): string => text.replace(/selfType\d*/g, "selfType");

/** Status and causes; which of several comes first is nobody's promise. */
function verdict({ status, body }: ApiAnswer): object {
  const causes = ((body?.details?.causes ?? []) as readonly { field: string; reason: string; message: string }[]).map(
    ({ field, reason, message }) => plain(`${reason} ${field}: ${message}`),
  );
  return { status, causes: causes.toSorted() };
}

describe.skipIf(!hasRealCluster())("CEL beside a real server (skipped where KUBEBUILDER_ASSETS is not set)", () => {
  let server: ApiServer;
  let ours: ApiRequest;
  let real: ApiRequest & Disposable;
  beforeAll(async () => {
    server = await startApiServer({ clock: new FakeClock() });
    ours = embeddedRequester(server);
    real = apiRequester(await realCluster());
  });
  afterAll(async () => {
    real[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
  });

  test(`${definitionCases.length} definitions are accepted or refused for the same reasons`, async () => {
    const differing: Record<string, object> = {};
    for (const [i, { schema, rules }] of definitionCases.entries()) {
      const body = definition("rules", "Rule", ruled(schema, rules));
      const [mine, theirs] = await Promise.all(
        [ours, real].map(async (ask) => verdict(await ask("POST", `${definitions}?dryRun=All`, body))),
      );
      if (JSON.stringify(mine) !== JSON.stringify(theirs))
        differing[`${i} ${JSON.stringify(rules)} of ${JSON.stringify(schema)}`.slice(0, 300)] = { mine, theirs };
    }
    expect(differing).toEqual({});
  });

  test(`${policyCases.length} policies and conditions are accepted or refused for the same reasons`, async () => {
    const differing: Record<string, object> = {};
    for (const [i, { name, path, body }] of policyCases.entries()) {
      const [mine, theirs] = await Promise.all([ours, real].map(async (ask) => verdict(await ask("POST", path, body))));
      if (JSON.stringify(mine) !== JSON.stringify(theirs)) differing[`${i} ${name}`] = { mine, theirs };
    }
    expect(differing).toEqual({});
  });

  test(`${objectCases.length} rules hold, or fail in the same words`, async () => {
    const properties = Object.fromEntries(objectCases.map((rule, i) => [`r${i}`, ruled(subjectSchema, [rule])]));
    const body = definition("subjects", "Subject", { type: "object", properties });
    const path = "/apis/cel.example.com/v1/namespaces/default/subjects";
    const object = {
      apiVersion: "cel.example.com/v1",
      kind: "Subject",
      metadata: { name: "a" },
      spec: { value: Object.fromEntries(objectCases.map((_, i) => [`r${i}`, subject])) },
    };
    const verdicts = [];
    for (const ask of [ours, real]) {
      expect(verdict(await ask("POST", definitions, body))).toEqual({ status: 201, causes: [] });
      await untilServed(ask, path);
      verdicts.push(verdict(await ask("POST", path, object)));
      await ask("DELETE", `${definitions}/subjects.cel.example.com`);
    }
    expect(verdicts[0]).toEqual(verdicts[1]);
  });
});
