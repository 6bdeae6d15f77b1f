/** Priority and fairness beside a real kube-apiserver: the seats of each level, the flow of each request, the conditions. */
import { expect, test } from "vitest";
import { startApiServer } from "../../../src/apiserver/index.js";
import { hasRealCluster } from "../../../src/testing/shared-envtest.js";
import { patienceMs } from "../../eventually.js";
import { askReal } from "../../real-answer.js";

type Ask = (
  path: string,
  more?: {
    readonly method?: string;
    readonly body?: object;
    readonly as?: string;
    readonly groups?: readonly string[];
  },
) => Promise<{ readonly status: number; readonly headers: Readonly<Record<string, unknown>>; readonly text: string }>;

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const name = "flow-of-both";

/** Limits without `current`, which depends on the demand so far. */
const limit = /^apiserver_flowcontrol_(nominal|lower|upper)_limit_seats\{.*$/gm;

/** Name, user and request, each of another flow. */
const requests: readonly (readonly [string, string, readonly string[], string])[] = [
  ["a user", "eve", [], "/api/v1/pods"],
  ["an account", "system:serviceaccount:default:a", ["system:serviceaccounts"], "/api/v1/pods"],
  ["an account of kube-system", "system:serviceaccount:kube-system:a", ["system:serviceaccounts"], "/api/v1/pods"],
  ["a probe", "eve", [], "/readyz"],
  [
    "a node and its lease",
    "system:node:n",
    ["system:nodes"],
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n",
  ],
  ["a node and a pod", "system:node:n", ["system:nodes"], "/api/v1/namespaces/default/pods/a"],
  ["the scheduler", "system:kube-scheduler", [], "/api/v1/namespaces/default/pods/a"],
  [
    "the scheduler and its lease",
    "system:kube-scheduler",
    [],
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/a",
  ],
  ["an administrator", "root", ["system:masters"], "/api/v1/namespaces/default/pods/a"],
  ["a log", "eve", [], "/api/v1/namespaces/default/pods/a/log"],
];

async function story(ask: Ask): Promise<unknown> {
  const names = new Map<unknown, string>();
  for (const plural of ["flowschemas", "prioritylevelconfigurations"]) {
    const { items } = JSON.parse((await ask(`${group}/${plural}`)).text) as {
      readonly items: readonly { readonly metadata: { readonly name: string; readonly uid: string } }[];
    };
    for (const { metadata } of items) names.set(metadata.uid, metadata.name);
  }
  const flows: unknown[] = [];
  for (const [what, as, groups, path] of requests) {
    const { headers } = await ask(path, { as, groups: [...groups, "system:authenticated"] });
    const uids = [headers["x-kubernetes-pf-flowschema-uid"], headers["x-kubernetes-pf-prioritylevel-uid"]];
    flows.push([what, ...uids.map((uid) => names.get(uid) ?? uid)]);
  }
  // a real server goes on showing the seats of levels that other tests made and deleted
  const levels = [...names.values()].map((level) => `priority_level="${level}"`);
  const limits = ((await ask("/metrics")).text.match(limit) ?? [])
    .filter((line) => levels.some((level) => line.includes(level)))
    .toSorted();
  const spec = {
    priorityLevelConfiguration: { name },
    rules: [
      {
        subjects: [{ kind: "User", user: { name } }],
        nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/x"] }],
      },
    ],
  };
  const made = await ask(`${group}/flowschemas`, { method: "POST", body: { metadata: { name }, spec } });
  expect(made.status).toBe(201);
  const dangling = async (): Promise<readonly unknown[]> => {
    const { status } = JSON.parse((await ask(`${group}/flowschemas/${name}`)).text) as {
      readonly status?: { readonly conditions?: readonly Readonly<Record<string, unknown>>[] };
    };
    return (status?.conditions ?? []).map(({ lastTransitionTime: _time, ...rest }) => rest);
  };
  await expect.poll(dangling, { timeout: patienceMs }).toHaveLength(1);
  const conditions = await dangling();
  await ask(`${group}/flowschemas/${name}`, { method: "DELETE" });
  return { flows, limits, conditions };
}

test.skipIf(!hasRealCluster())(
  "levels have the same seats, requests the same flows and schemas the same conditions (skipped without KUBEBUILDER_ASSETS)",
  async () => {
    await using server = await startApiServer({ systemObjects: "at once" });
    const headersOf = (as: string | undefined, groups: readonly string[]): Record<string, string> =>
      as === undefined
        ? {}
        : { "impersonate-user": as, ...(groups.length > 0 && { "impersonate-group": groups[0] ?? "" }) };
    const ours: Ask = async (path, { method = "GET", body, as, groups = [] } = {}) => {
      const send =
        as === undefined ? server.transport() : server.transport({ username: as, groups: groups.slice(0, 1) });
      const request = { method, path, headers: { "content-type": "application/json" } };
      const { signal } = new AbortController();
      const bytes = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
      const { status, headers, body: answer } = await send({ ...request, ...bytes }, signal);
      return { status, headers, text: Buffer.from(answer as Uint8Array).toString() };
    };
    const real: Ask = async (path, { method = "GET", body, as, groups = [] } = {}) => {
      const headers = { "content-type": "application/json", ...headersOf(as, groups) };
      const {
        status,
        headers: got,
        bytes,
      } = await askReal({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status, headers: got, text: bytes.toString() };
    };
    expect(await story(ours)).toEqual(await story(real));
  },
  patienceMs * 3,
);
