/**
 * Compares the embedded API server with a real kube-apiserver as controllers in a cluster use it: a service account's
 * token and roles, beside the administrator's credentials, by client-go with protobuf and JSON, and by Node's own
 * clients over HTTP/2 and HTTP/1.1. The rates are those of a machine that the client shares; the CPU is the servers'
 * own, etcd's included. --only selects clients.
 */
import { Lifetime } from "../src/base/index.js";
import { envtestAssets } from "../src/testing/envtest.js";
import { type Access, configMap, httpOn, path } from "./apiserver/load.js";
import { type Server, startOurs, startReal } from "./apiserver/servers.js";
import { callers, type OpenCaller } from "./credentials/callers.js";
import type { Run } from "./harness.js";

export const run: Run = async ({ log, only }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const assets = envtestAssets();
  if (assets === undefined) log("KUBEBUILDER_ASSETS is not set: only the embedded server is measured");
  await using servers = new Lifetime();
  const ours = servers.use(await startOurs());
  const real = assets === undefined ? undefined : servers.use(await startReal(assets));
  const chosen = [...callers(log)].filter(([name]) => only === undefined || only.some((part) => name.includes(part)));
  for (const [credentials, accessOf] of Object.entries({ administrator, "service account": serviceAccount })) {
    const access = [await accessOf(ours), real && (await accessOf(real))] as const;
    for (const [caller, open] of chosen) {
      const a = await costsOf(open, access[0], ours);
      const b = real && access[1] && (await costsOf(open, access[1], real));
      for (const [what, cost] of Object.entries(a)) {
        const label = `${credentials}, ${caller}, ${what}`;
        figures[`ours ${label} (1/s)`] = cost.rate;
        figures[`ours ${label}, CPU (µs)`] = cost.cpuUs;
        const other = b?.[what as keyof typeof b];
        if (other === undefined) continue;
        figures[`real ${label} (1/s)`] = other.rate;
        figures[`real ${label}, CPU (µs)`] = other.cpuUs;
        ratios[label] = cost.rate / other.rate;
        ratios[`${label}, less CPU`] = other.cpuUs / cost.cpuUs;
      }
      log(`${credentials}, ${caller}: measured`);
    }
  }
  return { figures, ratios };
};

async function administrator(server: Server): Promise<Access> {
  const http = httpOn(server);
  try {
    // the first thing that the Go program reads
    await http.send("POST", path, configMap("bench"));
    return server;
  } finally {
    http.close();
  }
}

/** A new account that may do everything with ConfigMaps, by a role of its own. */
async function serviceAccount(server: Server): Promise<Access> {
  const http = httpOn(server);
  try {
    const [name, roles] = ["bench", "/apis/rbac.authorization.k8s.io/v1"];
    const accounts = "/api/v1/namespaces/default/serviceaccounts";
    await http.send("POST", accounts, { metadata: { name } });
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["*"] }];
    await http.send("POST", `${roles}/clusterroles`, { metadata: { name }, rules });
    await http.send("POST", `${roles}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace: "default" }],
    });
    const answer = await http.send("POST", `${accounts}/${name}/token`, { spec: {} });
    const { token } = (JSON.parse(answer.toString()) as { status: { token: string } }).status;
    return { url: server.url, ca: server.ca, token };
  } finally {
    http.close();
  }
}

interface Cost {
  /** Requests a second. */
  readonly rate: number;
  /** The server's CPU for a request. */
  readonly cpuUs: number;
}

interface Costs {
  readonly create: Cost;
  readonly "create, 32 in flight": Cost;
  readonly get: Cost;
  readonly "get, 32 in flight": Cost;
}

async function costsOf(open: OpenCaller, access: Access, server: Server): Promise<Costs> {
  await using caller = await open(access);
  const prefix = `c${Math.round(performance.now())}`;
  const costOf = async (verb: "create" | "get", count: number, inFlight: number, names: number): Promise<Cost> => {
    const before = server.cpuMs();
    const perSecond = await caller[verb](`${prefix}-${names}`, count, inFlight);
    return { rate: perSecond, cpuUs: ((server.cpuMs() - before) * 1_000) / count };
  };
  // both sides are measured warm: Node compiles the path of a request in its first few thousand
  await costOf("create", 3000, 8, 8);
  await costOf("get", 3000, 8, 8);
  return {
    create: await costOf("create", 1500, 1, 1),
    "create, 32 in flight": await costOf("create", 3000, 32, 32),
    get: await costOf("get", 2000, 1, 32),
    "get, 32 in flight": await costOf("get", 6000, 32, 32),
  };
}
