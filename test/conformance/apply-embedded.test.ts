import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { applyMergePatch, type KubeObject, type ManagedFieldsEntry } from "../../src/api/index.js";
import { hasRealCluster } from "../../src/testing/shared-envtest.js";
import { type ApiAnswer, type ApiRequest, untilServed } from "./api-request.js";
import { gizmoDefinition, widgetDefinition } from "./apply-definitions.js";
import { gizmo, type History, histories, type Step, type Subject, subjects, type Versioned } from "./apply-steps.js";
import { bothServers, type BothServers } from "./embedded-request.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const chosen = [...subjects, gizmo];

describe.skipIf(!hasRealCluster())(
  "writes to the embedded server, beside a real kube-apiserver (skipped where KUBEBUILDER_ASSETS is not set)",
  () => {
    let both: BothServers;
    let names = 0;
    beforeAll(async () => {
      both = await bothServers();
      for (const request of [both.real, both.embedded]) {
        await request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", widgetDefinition);
        await request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", gizmoDefinition);
        await untilServed(request, "/apis/apply.example.com/v2/namespaces/default/gizmos");
        await untilServed(request, "/apis/apply.example.com/v1/namespaces/default/widgets");
      }
    });
    afterAll(() => both?.[Symbol.asyncDispose]());

    for (const subject of chosen) {
      test(`${subject.kind}: both give the same objects, owners and refusals (property)`, async () => {
        await fc.assert(
          fc.asyncProperty(histories(subject), async (history) => {
            const name = `e${process.pid}-${names++}`;
            const [theirs, ours] = await Promise.all([
              replay(both.real, subject, history, name),
              replay(both.embedded, subject, history, name),
            ]);
            expect(ours).toEqual(theirs);
          }),
          { numRuns: full ? 400 : 40 },
        );
      });
    }
  },
);

/** The answers to each step, without the parts that no two servers have in common. */
async function replay(
  request: ApiRequest,
  subject: Subject,
  { creation, steps }: History,
  name: string,
): Promise<unknown[]> {
  const { apiVersion, kind, path } = subject;
  const seed = { apiVersion, kind, metadata: { name, namespace: "default" }, ...subject.seed };
  const whole = applyMergePatch(seed, creation.body) as unknown as KubeObject;
  const created =
    creation.type === "create"
      ? await request("POST", `${path}?fieldManager=${creation.manager}`, whole)
      : await request("PATCH", `${path}/${name}?fieldManager=${creation.manager}`, whole, {
          contentType: "application/apply-patch+yaml",
        });
  const answers = [outcome(created)];
  if (created.status !== 201) return answers;
  let live: KubeObject = created.body;
  for (const step of steps) {
    const answer = await send(request, subject, live, step);
    answers.push({
      ...outcome(answer),
      written: answer.body?.metadata?.resourceVersion !== live.metadata.resourceVersion,
    });
    if (answer.status === 200) live = answer.body as KubeObject;
  }
  return answers;
}

async function send(
  request: ApiRequest,
  subject: Subject,
  stored: KubeObject,
  step: Step & Versioned,
): Promise<ApiAnswer> {
  const own = `${subject.path.replace("/v1/", `/${step.version}/`)}/${stored.metadata.name}`;
  const live = { ...stored, apiVersion: stored.apiVersion.replace(/v\d$/, step.version) };
  const one = `${own}${step.status ? "/status" : ""}?fieldManager=${step.manager}`;
  switch (step.type) {
    case "apply": {
      const contentType = "application/apply-patch+yaml";
      return request("PATCH", `${one}&force=${step.force}`, appliedBy(live, step.body), { contentType });
    }
    case "update":
      return request("PUT", one, applyMergePatch(live, step.body));
    case "reset":
      return request(
        "PUT",
        one,
        applyMergePatch(applyMergePatch(live, step.body), { metadata: { managedFields: [{}] } }),
      );
    case "scale": {
      const answer = await sendScale(request, `${own}/scale?fieldManager=${step.manager}`, live, step);
      return answer.status === 200 ? request("GET", own) : answer;
    }
    default:
      return request("PATCH", one, step.body, {
        contentType: `application/${step.type === "merge-patch" ? "" : "strategic-"}merge-patch+json`,
      });
  }
}

function sendScale(
  request: ApiRequest,
  url: string,
  live: KubeObject,
  step: Step & { readonly type: "scale" },
): Promise<ApiAnswer> {
  const { name, namespace } = live.metadata;
  const scale = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name, namespace },
    spec: { replicas: step.replicas },
  };
  if (step.how === "update") return request("PUT", url, scale);
  if (step.how === "merge-patch") {
    return request("PATCH", url, { spec: scale.spec }, { contentType: "application/merge-patch+json" });
  }
  return request("PATCH", `${url}&force=${step.force}`, scale, { contentType: "application/apply-patch+yaml" });
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

function outcome({ status, body }: ApiAnswer): { readonly status: number } & Record<string, unknown> {
  if (status === 409) return { status, message: body.message, causes: causesOf(body) };
  if (status >= 400) return { status };
  const { metadata, ...content } = body as KubeObject & { spec?: Record<string, unknown> };
  const { uid: _uid, creationTimestamp: _created, resourceVersion: _version, managedFields = [], ...meta } = metadata;
  // allocated addresses differ
  const { clusterIP: _ip, clusterIPs: _ips, ...spec } = content.spec ?? {};
  return { status, content: { ...content, spec }, meta, owners: managedFields.map(ownerOf).toSorted() };
}

function causesOf(status: { details?: { causes?: readonly { message?: string; field?: string }[] } }): unknown {
  return status.details?.causes?.map(({ message, field }) => `${field}: ${message}`).toSorted();
}

function ownerOf({ manager, operation, apiVersion, subresource, time, fieldsV1 }: ManagedFieldsEntry): string {
  return [manager, operation, apiVersion, subresource, time !== undefined, JSON.stringify(sortedKeys(fieldsV1))].join(
    " ",
  );
}

function sortedKeys(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedKeys(inner)]));
}
