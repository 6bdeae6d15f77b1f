/** The settings of admission plug-ins beside a real kube-apiserver: the same files, the same writes, the same answers and questions. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Lifetime } from "../../../src/base/index.js";
import { envtestAssets } from "../../../src/testing/envtest.js";
import { patienceMs } from "../../eventually.js";
import { startHook } from "../../webhook/hook.js";
import { statedCount } from "../stated.js";
import { type BothServers, type Json, type SentRequest, startBoth } from "./both-servers.js";
import { hookConfig, startLoopback } from "./issuer.js";

const plugins = ["PodNodeSelector", "PodTolerationRestriction", "ImagePolicyWebhook"];

const usersFile = (users: Readonly<Record<string, string>>): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    users: Object.entries(users).map(([name, token]) => ({ name, user: { token } })),
  });

const configuration = (folder: string): string => `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  path: security.yaml
- name: PodNodeSelector
  configuration:
    podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: "env=test", picky: "env=test,disk=ssd" }
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
    kind: Configuration
    default: [{ key: general, operator: Exists, effect: NoSchedule }]
    whitelist: [{ operator: Exists, effect: NoSchedule }, { operator: Exists, effect: NoExecute, tolerationSeconds: 300 }]
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: pods
      matchScopes: [{ scopeName: PriorityClass, operator: In, values: [critical] }]
    - { resource: services, matchContains: [nodeports] }
    - { resource: persistentvolumeclaims, matchContains: [gold.storageclass, requests.s] }
- name: ImagePolicyWebhook
  configuration:
    imagePolicy: { kubeConfigFile: ${join(folder, "images")}, allowTTL: 50, denyTTL: 50, retryBackoff: 1 }
- name: ValidatingAdmissionWebhook
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    kubeConfigFile: ${join(folder, "validating")}
- name: MutatingAdmissionWebhook
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: WebhookAdmissionConfiguration
    kubeConfigFile: ${join(folder, "mutating")}
`;

const security = `
apiVersion: pod-security.admission.config.k8s.io/v1
kind: PodSecurityConfiguration
defaults: { enforce: baseline, audit: restricted, audit-version: latest, warn: restricted, warn-version: v1.24 }
exemptions: { usernames: [trusted], runtimeClasses: [lenient], namespaces: [exempt] }
`;

const core = "/api/v1";
const inNamespace = (namespace: string, plural: string): string => `${core}/namespaces/${namespace}/${plural}`;
const post = (path: string, body: object, headers = {}): SentRequest => ({ method: "POST", path, body, headers });
const merge = (path: string, body: object): SentRequest => ({
  method: "PATCH",
  path,
  body,
  headers: { "content-type": "application/merge-patch+json" },
});
const pod = (name: string, spec: object = {}, metadata: object = {}, namespace = "default"): SentRequest =>
  post(inNamespace(namespace, "pods"), {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "c", image: "good" }], ...spec },
  });
const withImages = (...images: readonly string[]): object => ({
  containers: images.map((image, i) => ({ name: `c${i}`, image })),
});
const namespace = (name: string, labels: object = {}, annotations: object = {}): SentRequest =>
  post(`${core}/namespaces`, { metadata: { name, labels, annotations } });
const level = (mode: string, value: string): object => ({ [`pod-security.kubernetes.io/${mode}`]: value });
const privileged = { hostNetwork: true };
const critical = { priorityClassName: "critical" };
const tolerating = (toleration: object): object => ({ tolerations: [toleration] });
const quota = (name: string, spec: object): SentRequest =>
  post(inNamespace("default", "resourcequotas"), { metadata: { name }, spec });
/** As the controller would. */
const counted = (name: string, hard: object, used: object): SentRequest =>
  merge(`${inNamespace("default", "resourcequotas")}/${name}/status`, { status: { hard, used } });
const claim = (name: string, storageClassName?: string): SentRequest =>
  post(inNamespace("default", "persistentvolumeclaims"), {
    metadata: { name },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName },
  });
const service = (name: string, type: string): SentRequest =>
  post(`${inNamespace("default", "services")}?dryRun=All`, {
    metadata: { name },
    spec: { type, ports: [{ port: 80 }] },
  });
const selecting = (nodeSelector: object): object => ({ nodeSelector });

const script: Readonly<Record<string, SentRequest>> = {
  "a class that is exempt": post("/apis/node.k8s.io/v1/runtimeclasses", {
    metadata: { name: "lenient" },
    handler: "h",
  }),
  "a priority": post("/apis/scheduling.k8s.io/v1/priorityclasses", { metadata: { name: "critical" }, value: 7 }),
  "a pod that is warned of": pod("plain"),
  "a pod that is refused": pod("privileged", privileged),
  "a pod of the exempt class": pod("lenient", { ...privileged, runtimeClassName: "lenient" }),
  "a pod of an exempt user": {
    ...pod("trusted", privileged),
    headers: { "impersonate-user": "trusted", "impersonate-group": "system:masters" },
  },
  "an exempt namespace with levels": namespace("exempt", level("enforce", "restricted")),
  "a pod in the exempt namespace": pod("privileged", privileged, {}, "exempt"),
  "other levels of the exempt namespace": merge(`${core}/namespaces/exempt`, {
    metadata: { labels: level("warn", "baseline") },
  }),
  "a tighter level of the exempt namespace": merge(`${core}/namespaces/exempt`, {
    metadata: { labels: level("enforce-version", "v1.30") },
  }),
  "an open namespace": namespace("open", level("enforce", "privileged")),
  "a pod in the open namespace": pod("privileged", privileged, {}, "open"),
  "a tighter level": merge(`${core}/namespaces/open`, { metadata: { labels: level("enforce", "restricted") } }),
  "a namespace with a version alone": namespace("old", level("enforce-version", "v1.20")),
  "a pod in it": pod("privileged", privileged, {}, "old"),
  "a namespace with a faulty level": namespace("faulty", level("enforce", "most")),
  "a template that is warned of": post("/apis/apps/v1/namespaces/default/deployments", {
    metadata: { name: "d" },
    spec: {
      selector: { matchLabels: { a: "b" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: { ...withImages("good"), ...privileged },
      },
    },
  }),
  "a pod with a node selector of its own": pod("own", selecting({ disk: "slow" })),
  "a pod with another value": pod("other", selecting({ env: "production" })),
  "a namespace with a selector": namespace("selected", {}, { "scheduler.alpha.kubernetes.io/node-selector": "a=b" }),
  "a pod in the namespace with a selector": pod("a", {}, {}, "selected"),
  "a namespace with permitted labels": namespace("picky"),
  "a pod with these labels": pod("fits", selecting({ disk: "ssd" }), {}, "picky"),
  "a pod with other labels": pod("fits-not", selecting({ disk: "ssd", zone: "a" }), {}, "picky"),
  "a permitted toleration": pod("tolerant", tolerating({ key: "x", operator: "Exists", effect: "NoSchedule" })),
  "a toleration that is not permitted": pod("hardy", tolerating({ key: "x", operator: "Exists", effect: "NoExecute" })),
  "a namespace without restrictions": namespace(
    "free",
    {},
    {
      "scheduler.alpha.kubernetes.io/defaultTolerations": "[]",
      "scheduler.alpha.kubernetes.io/tolerationsWhitelist": "[]",
    },
  ),
  "any toleration there": pod("hardy", tolerating({ key: "x", operator: "Exists" }), {}, "free"),
  "a pod whose priority no quota covers": pod("critical", critical),
  "a service whose ports no quota covers": service("s", "NodePort"),
  "a service without such ports": service("s", "ClusterIP"),
  "a claim that no quota covers": claim("c"),
  "a quota for the priority": quota("critical", {
    hard: { pods: "5" },
    scopeSelector: { matchExpressions: [{ scopeName: "PriorityClass", operator: "In", values: ["critical"] }] },
  }),
  "its count": counted("critical", { pods: "5" }, { pods: "0" }),
  "a pod whose priority is covered": pod("covered", critical),
  "a quota for storage": quota("storage", { hard: { "requests.storage": "5Gi" } }),
  "the count of storage": counted("storage", { "requests.storage": "5Gi" }, { "requests.storage": "0" }),
  "a claim that is covered": claim("c"),
  "a claim of a class that is not covered": claim("g", "gold"),
  "a bad image": pod("bad", withImages("good", "bad")),
  "a bad image again": pod("bad", withImages("good", "bad")),
  "a bad image without a reason": pod("worse", withImages("worse")),
  "a bad image of an init container": pod("init", { initContainers: [{ name: "i", image: "bad" }] }),
  "a pod that begs": pod("begs", withImages("begged"), {
    annotations: { "please.image-policy.k8s.io/let-me": "in", other: "x" },
    generateName: "ignored-",
  }),
  "a generated name": post(inNamespace("default", "pods"), {
    metadata: { generateName: "bad-" },
    spec: withImages("bad"),
  }),
  "an image that nobody judges": pod("lost", withImages("lost")),
  "a bad image in an update": merge(`${inNamespace("default", "pods")}/plain`, {
    spec: { containers: [{ name: "c", image: "bad" }] },
  }),
  "an ephemeral container": {
    ...merge(`${inNamespace("default", "pods")}/plain/ephemeralcontainers`, {
      spec: { ephemeralContainers: [{ name: "e", image: "bad" }] },
    }),
    headers: { "content-type": "application/strategic-merge-patch+json" },
  },
};

/** The server's answer about images. */
function judged({ containers = [], annotations = {} }: Json): Json {
  const images: readonly string[] = containers.map(({ image }: Json) => image);
  if (images.includes("bad")) return { allowed: false, reason: "an image is bad", auditAnnotations: { a: "b" } };
  const begs = Object.keys(annotations).length > 0;
  return { allowed: begs || !images.some((image) => image === "worse" || image === "begged") };
}

const hookOf = (kind: string, url: string, caBundle: string): SentRequest =>
  post(`/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`, {
    metadata: { name: "maps" },
    webhooks: [
      {
        name: "maps.example.com",
        clientConfig: { url, caBundle },
        rules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"], operations: ["CREATE"] }],
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
      },
    ],
  });

test("docs/compatibility.md states the number of cases", () => {
  expect(Object.keys(script).length).toBe(statedCount("writes under settings of plug-ins"));
});

test.skipIf(envtestAssets() === undefined)(
  "settings of admission plug-ins work as on a real server (skipped where KUBEBUILDER_ASSETS is not set)",
  async () => {
    await using lifetime = new Lifetime();
    const folder = await mkdtemp(join(tmpdir(), "coxswain-admission-"));
    lifetime.defer(() => rm(folder, { recursive: true }));
    const judge = lifetime.use(
      await startLoopback(({ body: { kind, apiVersion, spec } }) =>
        spec.containers?.[0]?.image === "lost"
          ? { status: 404, body: "not here" }
          : { body: { kind, apiVersion, status: judged(spec) } },
      ),
    );
    const hook = lifetime.use(await startHook(() => ({ allowed: true })));
    const { host } = new URL(hook.url);
    for (const who of ["real", "own"]) {
      const place = join(folder, who);
      await mkdir(place);
      await writeFile(join(place, "images"), hookConfig(`${judge.url}/${who}`, judge.ca));
      await writeFile(join(place, "validating"), usersFile({ [host]: "exact", "*": "any" }));
      await writeFile(join(place, "mutating"), usersFile({ [host.replace(/^\d+/, "*")]: "starred", "*": "any" }));
      await writeFile(join(place, "security.yaml"), security);
      await writeFile(join(place, "admission.yaml"), configuration(place));
    }
    const file = (who: string): string => join(folder, who, "admission.yaml");
    const both = lifetime.use(
      await startBoth({
        flags: [`--enable-admission-plugins=${plugins.join(",")}`, `--admission-control-config-file=${file("real")}`],
        own: {
          enabledAdmission: plugins,
          admissionConfiguration: { file: file("own") },
          serviceNetwork: { cidr: "10.0.0.0/16" },
        },
      }),
    );
    for (const [name, request] of Object.entries(script)) {
      const before = judge.requests.length;
      const [real, own] = [plain(await both.sendReal(request)), plain(await both.sendOwn(request))];
      expect.soft({ name, ...own }).toEqual({ name, ...real });
      const asked = (who: string): Json =>
        judge.requests
          .slice(before)
          .flatMap(({ path, body: { spec, kind, apiVersion } }) =>
            path.startsWith(`/${who}`) ? [{ path: path.replace(`/${who}`, ""), spec, kind, apiVersion }] : [],
          );
      expect.soft({ name, asked: asked("own") }).toEqual({ name, asked: asked("real") });
    }
    for (const kind of ["Mutating", "Validating"]) {
      const body = { metadata: { name: kind.toLowerCase() } };
      for (const send of [both.sendReal, both.sendOwn]) await send(hookOf(kind, hook.url, hook.caBundle));
      const made = post(inNamespace("default", "configmaps"), body);
      // a real server reads a new configuration a moment later
      await expect.poll(() => comesWith(both.sendReal, made, hook), { timeout: patienceMs }).toHaveLength(1);
      expect(await comesWith(both.sendOwn, made, hook)).toEqual([
        kind === "Mutating" ? "Bearer starred" : "Bearer exact",
      ]);
    }
    const said = hook.calls.map(({ headers }) => headers["authorization"]);
    expect(new Set(said)).toEqual(new Set(["Bearer starred", "Bearer exact"]));
  },
  5 * patienceMs,
);

/** The credentials with which the last of the webhooks is asked about this write. */
async function comesWith(
  send: BothServers["sendReal"],
  made: SentRequest,
  hook: Awaited<ReturnType<typeof startHook>>,
): Promise<readonly unknown[]> {
  const before = hook.calls.length;
  await send({ ...made, path: `${made.path}?dryRun=All` });
  return hook.calls
    .slice(before)
    .flatMap(({ headers }, at, all) => (at === all.length - 1 ? [headers["authorization"]] : []));
}

/** Without what differs from server to server. */
function plain({ status, body, warnings }: Awaited<ReturnType<BothServers["sendReal"]>>): Json {
  const varying = ["uid", "resourceVersion", "creationTimestamp", "time", "clusterIP", "clusterIPs"];
  const text = JSON.stringify(body, (key, value: Json) => (varying.includes(key) ? key : value));
  const same = text.replaceAll(/\bbad-\w{5}\b/g, "bad-…").replaceAll(/127\.0\.0\.1:\d+\/(?:real|own)/g, "SERVER");
  return { status, body: JSON.parse(same), warnings };
}
