import { atOnce } from "./apply-at-once.js";
import { inOneGo } from "../../src/base/index.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  applyMergePatch,
  type KubeObject,
  type ManagedFieldsEntry,
  StatusError,
  type StructuralSchema,
} from "../../src/api/index.js";
import { createFieldManager, customType } from "../../src/apiserver/apply/index.js";
import { normalize } from "../../src/apiserver/registry/built-in.js";
import { hasRealCluster, realCluster } from "../../src/testing/shared-envtest.js";
import { type ApiAnswer, type ApiRequest, apiRequester, untilServed } from "./api-request.js";
import { widgetDefinition } from "./apply-definitions.js";
import { type History, histories, type Step, type Subject, subjects } from "./apply-steps.js";

const full = process.env["COXSWAIN_FULL"] === "1";

const widget = {
  type: customType(widgetDefinition.spec.versions[0].schema.openAPIV3Schema as StructuralSchema),
  hasStatus: true,
};
const fieldManager = atOnce(
  createFieldManager({
    customKind: (apiVersion) => (apiVersion === "apply.example.com/v1" ? widget : undefined),
  }),
);

describe.skipIf(!hasRealCluster())(
  "owners, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let request: ApiRequest & Disposable;
    let names = 0;
    beforeAll(async () => {
      request = apiRequester(await realCluster());
      await request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
      await untilServed(request, "/apis/apply.example.com/v1/namespaces/default/widgets");
    });
    afterAll(() => request[Symbol.dispose]());

    for (const subject of subjects) {
      test(`${subject.kind}: every write leaves the owners, and every refusal the causes, that the server gives (property)`, async () => {
        await fc.assert(
          fc.asyncProperty(histories(subject), async (history) => {
            await replay(request, subject, history, `h${process.pid}-${names++}`);
          }),
          { numRuns: full ? 300 : 10 },
        );
      });
    }
  },
);

async function replay(
  request: ApiRequest,
  subject: Subject,
  { creation, steps }: History,
  name: string,
): Promise<void> {
  const { apiVersion, kind, path } = subject;
  const whole = applyMergePatch(
    { apiVersion, kind, metadata: { name, namespace: "default" }, ...subject.seed },
    creation.body,
  ) as unknown as KubeObject;
  const created =
    creation.type === "create"
      ? await request("POST", `${path}?fieldManager=${creation.manager}`, whole)
      : await request("PATCH", `${path}/${name}?fieldManager=${creation.manager}`, whole, {
          contentType: "application/apply-patch+yaml",
        });
  const asked = { manager: creation.manager, apiVersion, subresource: "", time: "2020-01-01T00:00:00Z" };
  if (created.status !== 201) return;
  const ours =
    creation.type === "create"
      ? fieldManager.update(undefined, asSent(created.body, undefined), asked)
      : fieldManager.apply(undefined, whole, { ...asked, force: false });
  expectSame(ours, created, "creation");
  let live: KubeObject = created.body;
  for (const [index, step] of steps.entries()) {
    const answer = await send(request, subject, live, step);
    checkStep(live, step, answer, `step ${index}`);
    if (answer.status === 200) live = answer.body as KubeObject;
  }
}

function send(request: ApiRequest, { path }: Subject, live: KubeObject, step: Step): Promise<ApiAnswer> {
  const one = `${path}/${live.metadata.name}${step.status ? "/status" : ""}?fieldManager=${step.manager}`;
  switch (step.type) {
    case "apply":
      return request("PATCH", `${one}&force=${step.force}`, appliedBy(live, step.body), {
        contentType: "application/apply-patch+yaml",
      });
    case "update":
      return request("PUT", one, applyMergePatch(live, step.body));
    case "reset":
      return request("PUT", one, applyMergePatch(live, { metadata: { managedFields: [{}] } }));
    case "scale":
      return request(
        "PATCH",
        one,
        { spec: { replicas: step.replicas } },
        { contentType: "application/merge-patch+json" },
      );
    case "strategic-patch":
      return request("PATCH", one, step.body, { contentType: "application/strategic-merge-patch+json" });
    default:
      return request("PATCH", one, step.body, { contentType: "application/merge-patch+json" });
  }
}

function appliedBy({ apiVersion, kind, metadata: { name, namespace } }: KubeObject, body: object): KubeObject {
  const { metadata = {}, ...rest } = body as { metadata?: object };
  return {
    apiVersion,
    kind,
    metadata: { ...metadata, name, ...(namespace === undefined ? {} : { namespace }) },
    ...rest,
  };
}

function checkStep(live: KubeObject, step: Step, answer: ApiAnswer, where: string): void {
  const subresource = step.status ? "status" : "";
  const asked = { manager: step.manager, apiVersion: live.apiVersion, subresource, time: "2020-01-01T00:00:00Z" };
  if (step.type !== "apply") {
    if (answer.status !== 200) return;
    expectSame(fieldManager.update(live, asSent(answer.body, live, step), asked), answer, where);
    return;
  }
  let ours: KubeObject;
  try {
    ours = fieldManager.apply(live, appliedBy(live, step.body), { ...asked, force: step.force });
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    expect([answer.status, causesOf(answer.body)], where).toEqual([error.code, causesOf(error.status)]);
    expect(answer.body.message, where).toBe(error.message);
    return;
  }
  if (answer.status === 409) expect(answer.body.message, where).toBe("no conflict");
  if (answer.status === 200) expectSame(ours, answer, where);
}

function causesOf(status: { details?: { causes?: readonly { message?: string; field?: string }[] } }): unknown {
  return status.details?.causes?.map(({ message, field }) => `${field}: ${message}`).toSorted();
}

/** The object as the server had it after decoding and defaults: without the fields that it sets later. */
function asSent(answer: KubeObject, live: KubeObject | undefined, step?: Step): KubeObject {
  const { managedFields: _, ...metadata } = answer.metadata;
  let object: KubeObject = {
    ...answer,
    metadata: step?.type === "reset" ? { ...metadata, managedFields: [{}] } : metadata,
  };
  if (live === undefined) {
    const late = ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "priority", "preemptionPolicy"];
    const patch = { spec: Object.fromEntries(late.map((field) => [field, null])) };
    if (object.kind === "Service" || object.kind === "Pod") object = applyMergePatch(object, patch);
  }
  return object;
}

function expectSame(ours: KubeObject, { body }: ApiAnswer, where: string): void {
  expect(ownersOf(ours), where).toEqual(ownersOf(body));
  if (body.kind === "ConfigMap") expect(contentOf(inOneGo(normalize(ours)).object), where).toEqual(contentOf(body));
}

function contentOf(object: KubeObject): unknown {
  const { metadata, ...rest } = object;
  const { labels, annotations, finalizers } = metadata;
  return { ...rest, labels, annotations, finalizers };
}

/** Times differ, and so does the order that they make; whether an entry has one does not. */
function ownersOf({ metadata: { managedFields = [] } }: KubeObject): unknown {
  return managedFields
    .map(({ manager, operation, apiVersion, subresource, time, fieldsV1 }: ManagedFieldsEntry) =>
      [
        manager,
        operation,
        apiVersion,
        subresource,
        time !== undefined,
        JSON.stringify(apiVersion === "apply.example.com/v1" ? sortedKeys(fieldsV1) : fieldsV1),
      ].join(" "),
    )
    .toSorted();
}

/** Custom objects are written with all keys sorted as text, whatever their meaning. */
function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}
