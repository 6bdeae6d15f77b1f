import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../src/apiserver/index.js";
import { without } from "../../../src/base/members.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import type { Json } from "../../ask.js";
import { eventually } from "../../eventually.js";
import { type Hook, startHook } from "../../webhook/hook.js";
import { normalized, ourSender, realSender, type Send } from "../differential/exchange.js";
import { Script } from "../differential/script.js";

const namespace = "connections";
const pods = `/api/v1/namespaces/${namespace}/pods`;
const registration = "/apis/admissionregistration.k8s.io/v1";

const configuration = (kind: "Validating" | "Mutating", { url, caBundle }: Hook): Json => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: "connections" },
  webhooks: [
    {
      name: "connections.example.com",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      clientConfig: { url, caBundle },
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": namespace } },
      rules: [
        {
          apiGroups: [""],
          apiVersions: ["v1"],
          operations: ["CREATE", "CONNECT", "DELETE"],
          resources: [
            "pods/eviction",
            "pods/binding",
            "bindings",
            "pods/exec",
            "pods/attach",
            "pods/portforward",
            "pods/proxy",
            "services/proxy",
            "pods",
          ],
        },
      ],
    },
  ],
});

const eviction = (name: string): object => ({
  apiVersion: "policy/v1",
  kind: "Eviction",
  metadata: { name, namespace },
});
const binding = (name: string): object => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata: { name, namespace },
  target: { apiVersion: "v1", kind: "Node", name: "somewhere" },
});

const script = (): Script =>
  new Script()
    .post(`${pods}/refused/eviction`, eviction("refused"))
    .post(`${pods}/refused/eviction?dryRun=All`, eviction("refused"))
    .post(`${pods}/other/eviction`, eviction("refused"))
    .post(`${pods}/refused/binding`, binding("refused"))
    .post(`/api/v1/namespaces/${namespace}/bindings`, binding("refused"))
    .get(`${pods}/refused/exec?command=ls&command=-l&stdout=true&tty=1&container=web`)
    .post(`${pods}/refused/exec?command=ls`, undefined)
    .get(`${pods}/refused/attach?stdin=true`)
    .get(`${pods}/refused/portforward?ports=80&ports=81`)
    .get(`${pods}/refused/portforward`)
    .get(`${pods}/refused/proxy`)
    .get(`${pods}/refused/proxy/a/b?c=d`)
    .get(`/api/v1/namespaces/${namespace}/services/refused/proxy/a`)
    .get(`${pods}/allowed/exec?command=ls`)
    .post(`${pods}/allowed/binding`, binding("allowed"))
    .post(`${pods}/allowed/eviction`, eviction("allowed"))
    .get(`${pods}/allowed`);

const pod = (name: string): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: [{ name: "web", image: "nginx" }], terminationGracePeriodSeconds: 0 },
});

const withoutUser = (request: Json): Json => without(request, "userInfo");

async function play(send: Send, hook: Hook): Promise<readonly Json[]> {
  const made = (path: string, body: object) => send({ name: "", method: "POST", path, body });
  await made("/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  for (const name of ["refused", "allowed"]) await made(pods, pod(name));
  for (const kind of ["Validating", "Mutating"] as const)
    await made(`${registration}/${kind.toLowerCase()}webhookconfigurations`, configuration(kind, hook));
  await eventually("both webhooks are asked", async () => {
    hook.asked.length = 0;
    await send({ name: "", method: "POST", path: `${pods}?dryRun=All`, body: pod("probe") });
    return hook.asked.length === 2;
  });
  const answers: Json[] = [];
  for (const step of script().steps) {
    hook.asked.length = 0;
    const { status, body } = await send(step);
    answers.push(normalized({ step: step.name, status, body, asked: hook.asked.map(withoutUser) }));
  }
  return answers;
}

describe.skipIf(!hasRealCluster())(
  "evictions, bindings and connections, as a real server tells webhooks of them",
  () => {
    let server: ApiServer;
    let real: Send & Disposable;
    let hooks: readonly Hook[];

    beforeAll(async () => {
      server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
      real = realSender(await realCluster());
      const start = (): Promise<Hook> =>
        startHook(({ name }) => ({ allowed: name !== "refused", status: { message: "not now" } }));
      hooks = [await start(), await start()];
    }, 120_000);

    afterAll(async () => {
      for (const kind of ["validating", "mutating"])
        await real({ name: "", method: "DELETE", path: `${registration}/${kind}webhookconfigurations/connections` });
      real[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
      for (const hook of hooks) await hook[Symbol.asyncDispose]();
    });

    test("the reviews and the answers are the same", async () => {
      const theirs = await play(real, hooks[0] as Hook);
      const ours = await play(ourSender(server), hooks[1] as Hook);
      expect(ours).toEqual(theirs);
    }, 120_000);
  },
);
