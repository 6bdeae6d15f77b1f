/**
 * Compares the embedded API server with a real kube-apiserver as controllers in a cluster use it: a service account's
 * token and roles, beside the administrator's credentials, over HTTP/2 and HTTP/1.1, with Node's own clients. The rates
 * are those of a machine that the client shares; the CPU is the servers' own, etcd's included.
 */
import { Lifetime } from "../src/base/index.js";
import { envtestAssets } from "../src/testing/envtest.js";
import { http2On } from "./apiserver/http2.js";
import { type Access, configMap, type Http, httpOn, path, rate } from "./apiserver/load.js";
import { type Server, startOurs, startReal } from "./apiserver/servers.js";
import type { Run } from "./harness.js";

const protocols = { "HTTP/2": http2On, "HTTP/1.1": httpOn } as const;

export const run: Run = async ({ log }) => {
  const figures: Record<string, number> = {};
  const ratios: Record<string, number> = {};
  const assets = envtestAssets();
  if (assets === undefined) log("KUBEBUILDER_ASSETS is not set: only the embedded server is measured");
  await using servers = new Lifetime();
  const ours = servers.use(await startOurs());
  const real = assets === undefined ? undefined : servers.use(await startReal(assets));
  for (const [credentials, accessOf] of Object.entries({ administrator, "service account": serviceAccount })) {
    const access = [await accessOf(ours), real && (await accessOf(real))] as const;
    for (const [protocol, open] of Object.entries(protocols)) {
      const a = await costsOf(open(access[0]), ours);
      const b = real && access[1] && (await costsOf(open(access[1]), real));
      for (const [what, cost] of Object.entries(a)) {
        const label = `${credentials}, ${protocol}, ${what}`;
        figures[`ours ${label} (1/s)`] = cost.rate;
        figures[`ours ${label}, CPU (µs)`] = cost.cpuUs;
        const other = b?.[what as keyof typeof b];
        if (other === undefined) continue;
        figures[`real ${label} (1/s)`] = other.rate;
        figures[`real ${label}, CPU (µs)`] = other.cpuUs;
        ratios[label] = cost.rate / other.rate;
        ratios[`${label}, less CPU`] = other.cpuUs / cost.cpuUs;
      }
      log(`${credentials}, ${protocol}: measured`);
    }
  }
  return { figures, ratios };
};

const administrator = async (server: Server): Promise<Access> => server;

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

async function costsOf(http: Pick<Http, "send" | "close">, server: Server): Promise<Costs> {
  const prefix = `c${Math.round(performance.now())}`;
  const costOf = async (count: number, inFlight: number, once: (i: number) => Promise<unknown>): Promise<Cost> => {
    const before = server.cpuMs();
    const perSecond = await rate(count, inFlight, once);
    return { rate: perSecond, cpuUs: ((server.cpuMs() - before) * 1_000) / count };
  };
  const create = (count: number, inFlight: number): Promise<Cost> =>
    costOf(count, inFlight, (i) => http.send("POST", path, configMap(`${prefix}-${inFlight}-${i}`)));
  const get = (count: number, inFlight: number): Promise<Cost> =>
    costOf(count, inFlight, (i) => http.send("GET", `${path}/${prefix}-32-${i % 1000}`));
  try {
    // both sides are measured warm: Node compiles the path of a request in its first few thousand
    await create(3000, 8);
    await costOf(3000, 8, (i) => http.send("GET", `${path}/${prefix}-8-${i}`));
    return {
      create: await create(1500, 1),
      "create, 32 in flight": await create(3000, 32),
      get: await get(2000, 1),
      "get, 32 in flight": await get(6000, 32),
    };
  } finally {
    http.close();
  }
}
