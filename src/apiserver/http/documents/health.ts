/** The server's endpoints about itself: health, version, metrics, and the list of paths. */
import { type HttpResponse, MetricsRegistry } from "../../../base/index.js";
import { own } from "../../../base/members.js";
import { anonymous } from "../../contracts/user.js";
import { jsonAnswer, textAnswer } from "../answers/answer.js";
import { type DocumentRoute, notAllowed } from "../route.js";

/** Gives the fault, or undefined. */
type Check = () => string | undefined;

/** The checks of each path, in the order of a report. */
export type HealthOptions = Readonly<Record<HealthPath, Readonly<Record<string, Check>>>>;

const healthPaths = ["healthz", "livez", "readyz"] as const;
type HealthPath = (typeof healthPaths)[number];

const healthPath = /^\/(healthz|livez|readyz)(?:\/(.+))?$/;

/** The post-start hooks of kube-apiserver, by name: their work is done here before the first request is answered. */
export const startChecks = [
  "poststarthook/start-apiserver-admission-initializer",
  "poststarthook/generic-apiserver-start-informers",
  "poststarthook/priority-and-fairness-config-consumer",
  "poststarthook/priority-and-fairness-filter",
  "poststarthook/storage-object-count-tracker-hook",
  "poststarthook/start-apiextensions-informers",
  "poststarthook/start-apiextensions-controllers",
  "poststarthook/crd-informer-synced",
  "poststarthook/start-system-namespaces-controller",
  "poststarthook/peer-endpoint-reconciler-controller",
  "poststarthook/start-cluster-authentication-info-controller",
  "poststarthook/start-kube-apiserver-identity-lease-controller",
  "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
  "poststarthook/storage-readiness",
  "poststarthook/start-legacy-token-tracking-controller",
  "poststarthook/start-service-ip-repair-controllers",
  "poststarthook/rbac/bootstrap-roles",
  "poststarthook/scheduling/bootstrap-system-priority-classes",
  "poststarthook/priority-and-fairness-config-producer",
  "poststarthook/bootstrap-controller",
  "poststarthook/start-kubernetes-service-cidr-controller",
  "poststarthook/start-kube-aggregator-informers",
  "poststarthook/apiservice-status-local-available-controller",
  "poststarthook/apiservice-status-remote-available-controller",
  "poststarthook/apiservice-registration-controller",
  "poststarthook/apiservice-discovery-controller",
  "poststarthook/kube-apiserver-autoregistration",
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
  "poststarthook/apiservice-openapiv3-controller",
] as const;

export const isHealthPath = (path: string): boolean => healthPath.test(path);

/** `checks` is asked at each request for its path. */
export function healthRoute(checks: () => HealthOptions): DocumentRoute {
  return ({ path, query, user }) => {
    const match = healthPath.exec(path);
    if (match === null) return undefined;
    const [, kind, one] = match as unknown as [string, HealthPath, string | undefined];
    const all = checks()[kind];
    const excluded = new Set(query.getAll("exclude").flatMap((names) => names.split(",")));
    if (one !== undefined) {
      const check = own(all, one);
      return check === undefined
        ? textAnswer(404, "404 page not found\n")
        : healthAnswer(kind, { [one]: check }, { verbose: false, tells: false, excluded });
    }
    const verbose = query.has("verbose");
    return healthAnswer(kind, all, { verbose, tells: verbose && user !== anonymous, excluded });
  };
}

interface HealthForm {
  readonly verbose: boolean;
  /** Give the reason of a failure. It may name files, which strangers should not know. */
  readonly tells: boolean;
  readonly excluded: ReadonlySet<string>;
}

function healthAnswer(
  kind: string,
  checks: Readonly<Record<string, Check>>,
  { verbose, tells, excluded }: HealthForm,
): HttpResponse {
  let failed = false;
  const lines: string[] = [];
  for (const [name, check] of Object.entries(checks)) {
    const wrong = excluded.has(name) ? undefined : check();
    if (wrong !== undefined) failed = true;
    // the reason may say more than anonymous readers should know
    if (wrong !== undefined) lines.push(`[-]${name} failed: ${tells ? wrong : "reason withheld"}`);
    else lines.push(excluded.has(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`);
  }
  const report = `${lines.join("\n")}\n`;
  if (failed) return textAnswer(500, `${report}${kind} check failed\n`);
  return textAnswer(200, verbose ? `${report}${kind} check passed\n` : "ok");
}

export const kubernetesVersion = {
  major: "1",
  minor: "36",
  emulationMajor: "1",
  emulationMinor: "36",
  minCompatibilityMajor: "1",
  minCompatibilityMinor: "35",
  gitVersion: "v1.36.3+coxswain",
  gitCommit: "0000000000000000000000000000000000000000",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "go1.26.0",
  compiler: "gc",
  platform: "linux/amd64",
} as const;

export const versionRoute: DocumentRoute = ({ path, info }) => {
  if (path !== "/version" && path !== "/version/") return undefined;
  if (info.verb !== "get") throw notAllowed();
  return jsonAnswer(200, kubernetesVersion, true);
};

export function metricsRoute(metrics: MetricsRegistry): DocumentRoute {
  return ({ path }) => {
    if (path !== "/metrics") return undefined;
    return metricsAnswer(metrics);
  };
}

function metricsAnswer(metrics: MetricsRegistry): HttpResponse {
  const body = new TextEncoder().encode(metrics.expose({ format: "prometheus" }));
  return { status: 200, headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" }, body };
}

/** `/metrics/slis`: the result of each check as a number, for service level indicators. */
export function indicatorsRoute(checks: () => HealthOptions): DocumentRoute {
  return ({ path }) => {
    if (path !== "/metrics/slis") return undefined;
    const metrics = new MetricsRegistry();
    const gauge = metrics.gauge({
      name: "kubernetes_healthcheck",
      help: "The outcome of each check of health: 1 if it passes",
      labels: ["name", "type"],
    });
    const health = checks();
    for (const type of healthPaths)
      for (const [name, check] of Object.entries(health[type]))
        gauge.with({ name, type }).set(check() === undefined ? 1 : 0);
    return metricsAnswer(metrics);
  };
}

/** `/`: the list of paths. */
export function pathsRoute(checks: () => HealthOptions): DocumentRoute {
  return ({ path, registry }) => {
    if (path !== "/" && path !== "") return undefined;
    const health = checks();
    const paths = [
      "/.well-known/openid-configuration",
      "/api",
      "/apis",
      ...healthPaths.flatMap((kind) => [`/${kind}`, ...Object.keys(health[kind]).map((name) => `/${kind}/${name}`)]),
      "/metrics",
      "/metrics/slis",
      "/openapi/v2",
      "/openapi/v3",
      "/openid/v1/jwks",
      "/version",
    ];
    for (const { group, versions } of registry.groups()) {
      if (group !== "") paths.push(`/apis/${group}`);
      for (const { version } of versions) paths.push(group === "" ? `/api/${version}` : `/apis/${group}/${version}`);
    }
    return jsonAnswer(200, { paths: paths.toSorted() }, true);
  };
}
