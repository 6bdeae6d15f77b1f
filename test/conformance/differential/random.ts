/** Random lives of objects of all kinds in all media types, from a seed: the same for both servers. */
import { writeYaml } from "../../../src/api/yaml/index.js";
import type { Random } from "../../../src/base/index.js";
import type { Step } from "./exchange.js";
import { samples } from "./scripts/objects.js";

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

/** A real server learns of these at some moment, and then judges pods by them. */
const effective: ReadonlySet<string> = new Set(["limitranges", "resourcequotas"]);

/** Kinds in a namespace, with one sample each. */
const sampleKinds: readonly Kind[] = samples
  .filter(({ clusterWide, plural }) => clusterWide !== true && !effective.has(plural))
  .map(({ version, plural, object }) => ({
    path: `${version === "v1" ? "/api/v1" : `/apis/${version}`}/namespaces/diff-random/${plural}`,
    object: (name, random) => ({ ...object, metadata: metadata(name, random) }),
    patch: (random) => ({ metadata: { annotations: { n: String(random.int(3)) } } }),
  }));

const json = "application/json";
const accepted = [
  json,
  json,
  json,
  "application/yaml",
  "application/vnd.kubernetes.protobuf,application/json",
  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json",
];
const lists = [
  json,
  json,
  "application/yaml",
  "application/json;as=Table;v=v1;g=meta.k8s.io",
  "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
];

/** A body as JSON or, now and then, as YAML. */
function written(body: object, random: Random): Pick<Step, "body" | "type"> {
  return random.int(4) === 0 ? { body: writeYaml(body), type: "application/yaml" } : { body };
}

function randomPatch(kind: Kind, name: string, random: Random): Omit<RandomStep, "name"> {
  const path = `${kind.path}/${name}`;
  const accept = pick(random, accepted);
  const patch = { method: "PATCH", path, accept };
  switch (random.int(5)) {
    case 0:
      return { ...patch, type: "application/strategic-merge-patch+json", body: kind.patch(random) };
    case 1: {
      const op = pick(random, ["add", "replace", "remove"]);
      return { ...patch, type: "application/json-patch+json", body: [{ op, path: "/metadata/labels", value: {} }] };
    }
    case 2: {
      const force = pick(random, ["", "&force=true"]);
      const body = kind.object(name, random);
      return { ...patch, path: `${path}?fieldManager=m${force}`, type: "application/apply-patch+yaml", body };
    }
    default:
      return { ...patch, type: "application/merge-patch+json", body: kind.patch(random) };
  }
}

export function randomSteps(random: Random, count: number): readonly RandomStep[] {
  return Array.from({ length: count }, (_, i) => {
    const kind = pick(random, random.int(2) === 0 ? kinds : sampleKinds);
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
      return {
        method: "POST",
        path: kind.path,
        accept: pick(random, accepted),
        ...written(kind.object(name, random), random),
      };
    case 2:
      return { method: "PUT", path: one, body: kind.object(name, random), withCurrentVersion: random.int(2) === 0 };
    case 3:
      return randomPatch(kind, name, random);
    case 4:
      return { method: "PATCH", path: one, type: merge, body: { metadata: { finalizers: pick(random, finalizers) } } };
    case 5:
      return { method: "GET", path: one, accept: pick(random, accepted) };
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
            accept: pick(random, lists),
            path: `${kind.path}?labelSelector=${encodeURIComponent(pick(random, ["app=x", "!app", "tier"]))}`,
          };
  }
}
