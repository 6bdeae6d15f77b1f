/** Random lives of objects, from a seed: the same for both servers. */
import type { Random } from "../../../src/base/index.js";
import type { Step } from "./exchange.js";

/** A step whose body may name the present resourceVersion of its server. */
export interface RandomStep extends Step {
  readonly withCurrentVersion?: boolean;
}

const names = ["a", "b", "c"];
const finalizers = [
  [],
  ["example.com/x"],
  ["example.com/x", "example.com/y"],
  ["foregroundDeletion"],
  ["orphan", "example.com/x"],
  ["bad finalizer"],
];
const labels = [{}, { app: "x" }, { app: "y", tier: "1" }, { "bad key!": "v" }];
const policies = [undefined, "Background", "Foreground", "Orphan"];

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.int(values.length)] as T;
}

interface Kind {
  readonly path: string;
  object(name: string, random: Random): object;
  patch(random: Random): object;
}

const metadata = (name: string, random: Random): object => ({
  name,
  labels: pick(random, labels),
  ...(random.int(3) === 0 ? { finalizers: pick(random, finalizers) } : {}),
});

const kinds: readonly Kind[] = [
  {
    path: "/api/v1/namespaces/diff-random/configmaps",
    object: (name, random) => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: metadata(name, random),
      data: { n: String(random.int(3)) },
    }),
    patch: (random) => ({ data: { n: String(random.int(3)), ...(random.int(3) === 0 ? { gone: null } : {}) } }),
  },
  {
    path: "/api/v1/namespaces/diff-random/pods",
    object: (name, random) => ({
      apiVersion: "v1",
      kind: "Pod",
      metadata: metadata(name, random),
      spec: {
        containers: [{ name: "c", image: pick(random, ["i:1", "i:2"]) }],
        ...(random.int(2) === 0 ? { nodeName: "n" } : {}),
        ...(random.int(3) === 0 ? { terminationGracePeriodSeconds: random.int(3) } : {}),
      },
    }),
    patch: (random) => ({ metadata: { annotations: { n: String(random.int(3)) } } }),
  },
  {
    path: "/apis/apps/v1/namespaces/diff-random/deployments",
    object: (name, random) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: metadata(name, random),
      spec: {
        replicas: random.int(3),
        selector: { matchLabels: { app: "x" } },
        template: { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    }),
    patch: (random) => ({ spec: { replicas: random.int(3), paused: random.int(2) === 0 } }),
  },
];

export function randomSteps(random: Random, count: number): readonly RandomStep[] {
  return Array.from({ length: count }, (_, i) => {
    const kind = pick(random, kinds);
    const name = pick(random, names);
    const step = randomStep(kind, name, random);
    return { ...step, name: `${i} ${step.method} ${step.path} ${JSON.stringify(step.body ?? "").slice(0, 160)}` };
  });
}

function randomStep(kind: Kind, name: string, random: Random): Omit<RandomStep, "name"> {
  const one = `${kind.path}/${name}`;
  const merge = "application/merge-patch+json";
  switch (random.int(8)) {
    case 0:
    case 1:
      return { method: "POST", path: kind.path, body: kind.object(name, random) };
    case 2:
      return { method: "PUT", path: one, body: kind.object(name, random), withCurrentVersion: random.int(2) === 0 };
    case 3:
      return { method: "PATCH", path: one, type: merge, body: kind.patch(random) };
    case 4:
      return { method: "PATCH", path: one, type: merge, body: { metadata: { finalizers: pick(random, finalizers) } } };
    case 5:
      return { method: "GET", path: one };
    case 6: {
      const policy = pick(random, policies);
      const grace = random.int(3) === 0 ? { gracePeriodSeconds: random.int(3) } : {};
      return {
        method: "DELETE",
        path: one,
        body: { ...(policy === undefined ? {} : { propagationPolicy: policy }), ...grace },
      };
    }
    default:
      return random.int(4) === 0
        ? { method: "DELETE", path: `${kind.path}?labelSelector=app%3Dx` }
        : {
            method: "GET",
            path: `${kind.path}?labelSelector=${encodeURIComponent(pick(random, ["app=x", "!app", "tier"]))}`,
          };
  }
}
