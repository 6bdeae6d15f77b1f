/** Random histories of writes by several managers, for comparing owners. */
import fc from "fast-check";

export type Step =
  | {
      readonly type: "apply";
      readonly manager: string;
      readonly force: boolean;
      readonly status: boolean;
      readonly body: object;
    }
  | {
      readonly type: "update" | "merge-patch" | "strategic-patch";
      readonly manager: string;
      readonly status: boolean;
      readonly body: object;
    }
  /** Forgets all owners. */
  | { readonly type: "reset"; readonly manager: string; readonly status: false; readonly body: object }
  /** Writes the replicas through the scale endpoint. */
  | {
      readonly type: "scale";
      readonly manager: string;
      readonly how: "update" | "merge-patch" | "apply";
      readonly force: boolean;
      readonly replicas: number;
      readonly status: false;
    };

/** The version of the kind that each step uses; all versions are the same but for their name. */
export interface Versioned {
  readonly version: string;
}

export interface Subject {
  readonly kind: string;
  readonly apiVersion: string;
  /** Of the collection. */
  readonly path: string;
  readonly custom?: boolean;
  /** Default: the one of apiVersion. */
  readonly versions?: readonly string[];
  readonly scales?: boolean;
  /** The object that the first writer creates. */
  readonly seed: object;
  /** Parts of objects, as managers apply and patch them. */
  readonly parts: fc.Arbitrary<object>;
  /** The same for the status endpoint. */
  readonly status?: fc.Arbitrary<object>;
}

export interface History {
  /** The first writer and its way of creating the object. */
  readonly creation: { readonly manager: string; readonly type: "apply" | "create"; readonly body: object };
  readonly steps: readonly (Step & Versioned)[];
}

const managers = fc.constantFrom("alice", "bob", "carol");

export function histories({ parts, status, custom, scales, apiVersion, versions }: Subject): fc.Arbitrary<History> {
  const main = parts.map((part) => ({ part, isStatus: false }));
  const body =
    status === undefined
      ? main
      : fc.oneof(
          { weight: 5, arbitrary: main },
          { weight: 1, arbitrary: status.map((part) => ({ part, isStatus: true })) },
        );
  const patch = custom === true ? "merge-patch" : "strategic-patch";
  const write: fc.Arbitrary<Step> = fc
    .tuple(
      fc.constantFrom("apply", "apply", "apply", "update", "merge-patch", patch),
      managers,
      fc.constantFrom(false, false, true),
      body,
    )
    .map(([type, manager, force, { part, isStatus }]) =>
      type === "apply"
        ? { type, manager, force, status: isStatus, body: part }
        : { type: type as "update", manager, status: isStatus, body: part },
    );
  const reset: fc.Arbitrary<Step> = fc.record({
    type: fc.constant("reset" as const),
    manager: managers,
    status: fc.constant(false as const),
    body: parts,
  });
  const scale: fc.Arbitrary<Step> = fc.record({
    type: fc.constant("scale" as const),
    manager: managers,
    // a real server cannot apply to the scale of a custom kind
    how: custom === true ? fc.constantFrom("update", "merge-patch") : fc.constantFrom("update", "merge-patch", "apply"),
    force: fc.boolean(),
    replicas: fc.constantFrom(1, 2, 3),
    status: fc.constant(false as const),
  });
  const step = fc.oneof(
    { weight: 12, arbitrary: write },
    { weight: 1, arbitrary: reset },
    { weight: scales === true ? 2 : 0, arbitrary: scale },
  );
  const version = fc.constantFrom(...(versions ?? [apiVersion.slice(apiVersion.indexOf("/") + 1)]));
  const versioned = fc.tuple(step, version).map(([one, spoken]) => ({ ...one, version: spoken }));
  return fc.record({
    creation: fc.record({ manager: managers, type: fc.constantFrom("apply", "create"), body: parts }),
    steps: fc.array(versioned, { minLength: 1, maxLength: 6 }),
  });
}

function some(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<object>;
}

/** Items of a list with the key `key`, in any order. */
function keyed(
  key: string,
  values: readonly unknown[],
  item: Record<string, fc.Arbitrary<unknown>>,
): fc.Arbitrary<unknown> {
  const one = fc
    .tuple(fc.constantFrom(...values), some(item))
    .map(([value, rest]) => ({ [key]: value, ...rest }) as Record<string, unknown>);
  return fc.uniqueArray(one, {
    maxLength: 3,
    selector: (entry) => JSON.stringify([entry[key], entry["protocol"] ?? "TCP"]),
  });
}

const text = fc.constantFrom("1", "2", "3");

const texts = (...names: string[]): fc.Arbitrary<object> => some(Object.fromEntries(names.map((name) => [name, text])));

const filled = (arbitrary: fc.Arbitrary<object>): fc.Arbitrary<object> =>
  arbitrary.filter((object) => Object.keys(object).length > 0);

// nothing empty: a real server stores the metadata of custom objects as they came, and writes them again without a
// reason
const meta = some({
  labels: filled(texts("x", "y")),
  annotations: filled(texts("note", "other")),
  finalizers: fc.subarray(["example.com/a", "example.com/b", "example.com/c"], { minLength: 1 }),
});

/** Parts for a status endpoint, which may or may not take metadata. */
function withMeta(fields: { readonly status: fc.Arbitrary<object> }): fc.Arbitrary<object> {
  return fc.record({ ...fields, metadata: meta }, { requiredKeys: ["status"] });
}

const container = {
  image: fc.constantFrom("i:1", "i:2"),
  command: fc.subarray(["go", "now"]),
  // duplicate variables are possible, though not by apply
  env: fc.oneof(
    { weight: 6, arbitrary: keyed("name", ["A", "B", "C"], { value: text }) },
    fc.array(fc.record({ name: fc.constantFrom("A", "B"), value: text }), { minLength: 2, maxLength: 4 }),
  ),
  ports: keyed("containerPort", [80, 81], { protocol: fc.constantFrom("TCP", "UDP"), name: fc.constantFrom("p", "q") }),
  volumeMounts: keyed("mountPath", ["/a", "/b"], { name: fc.constantFrom("v1", "v2") }),
  resources: some({ limits: some({ cpu: fc.constantFrom("1", "2"), memory: fc.constantFrom("1Gi") }) }),
};

const podSpec = some({
  containers: keyed("name", ["a", "b"], container),
  volumes: keyed("name", ["v1", "v2"], { emptyDir: fc.constantFrom({}, { medium: "Memory" }) }),
  tolerations: fc.constantFrom([], [{ key: "t", operator: "Exists" }]),
  nodeSelector: texts("disk", "zone"),
  imagePullSecrets: keyed("name", ["s1", "s2"], {}),
});

const labels = { app: "web" };

const podSeed = {
  containers: [
    { name: "a", image: "i:1" },
    { name: "b", image: "i:1" },
  ],
  volumes: [
    { name: "v1", emptyDir: {} },
    { name: "v2", emptyDir: {} },
  ],
  tolerations: [{ key: "t", operator: "Exists" }],
};

export const gizmo: Subject = {
  kind: "Gizmo",
  custom: true,
  scales: true,
  versions: ["v1", "v2"],
  apiVersion: "apply.example.com/v1",
  path: "/apis/apply.example.com/v1/namespaces/default/gizmos",
  seed: {},
  parts: some({
    metadata: meta,
    count: fc.constantFrom(1, 2),
    spec: some({
      count: fc.constantFrom(1, 2, 3),
      groups: keyed("name", ["a", "b"], {
        members: keyed("id", [1, 7], { note: text }),
        limits: some({ x: fc.shuffledSubarray(["1", "2"]), y: fc.constantFrom(["1"], []) }),
      }),
      template: some({
        apiVersion: fc.constant("v1"),
        kind: fc.constantFrom("ConfigMap", "Secret"),
        metadata: some({ name: fc.constantFrom("n", "m"), labels: filled(texts("p")) }),
        data: texts("q", "r"),
      }).map((template) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n" }, ...template })),
      mode: fc.constantFrom("on", null),
    }),
  }),
  status: withMeta({ status: some({ count: fc.constantFrom(1, 2), free: texts("a", "b") }) }),
};

export const subjects: readonly Subject[] = [
  {
    kind: "ConfigMap",
    apiVersion: "v1",
    path: "/api/v1/namespaces/default/configmaps",
    seed: {},
    parts: some({ metadata: meta, data: texts("a", "b", "c"), immutable: fc.constant(false) }),
  },
  {
    kind: "Widget",
    custom: true,
    apiVersion: "apply.example.com/v1",
    path: "/apis/apply.example.com/v1/namespaces/default/widgets",
    seed: {},
    parts: some({
      metadata: meta,
      spec: some({
        size: fc.constantFrom(1, 2),
        name: text,
        on: fc.boolean(),
        either: fc.constantFrom(1, "x"),
        tags: fc.shuffledSubarray(["a", "b", "c"]),
        numbers: fc.shuffledSubarray([1, 2, 10]),
        order: fc.shuffledSubarray(["a", "b"]),
        ports: keyed("port", [1, 2], { protocol: fc.constantFrom("TCP", "UDP"), name: text }),
        granular: texts("a", "b"),
        atomic: texts("a", "b"),
        struct: texts("a", "b"),
        whole: texts("a", "b"),
        free: some({ a: fc.constantFrom<unknown>(1, "x", { b: 1 }, { c: 2 }, [1], [{ d: 1 }]), e: texts("f", "g") }),
      }),
    }),
    status: withMeta({
      status: some({ phase: text, conditions: keyed("type", ["Ready", "Done"], { status: text }) }),
    }),
  },
  {
    kind: "Deployment",
    scales: true,
    apiVersion: "apps/v1",
    path: "/apis/apps/v1/namespaces/default/deployments",
    seed: { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSeed } } },
    parts: some({
      metadata: meta,
      spec: some({
        replicas: fc.constantFrom(1, 2, 3),
        paused: fc.boolean(),
        strategy: fc.constantFrom({ type: "Recreate" }, { rollingUpdate: { maxSurge: 1 } }, {}),
        template: some({ metadata: some({ annotations: texts("n") }), spec: podSpec }),
      }),
    }),
    status: withMeta({
      status: some({ replicas: fc.constantFrom(0, 1, 2), observedGeneration: fc.constantFrom(1, 2) }),
    }),
  },
  {
    kind: "Pod",
    apiVersion: "v1",
    path: "/api/v1/namespaces/default/pods",
    // given, so that the server's default does not matter
    seed: { spec: { ...podSeed, serviceAccountName: "default", automountServiceAccountToken: false } },
    parts: some({
      metadata: meta,
      spec: some({
        containers: keyed("name", ["a", "b"], { image: fc.constantFrom("i:1", "i:2") }),
        activeDeadlineSeconds: fc.constantFrom(10, 9),
      }),
    }),
    status: withMeta({
      status: some({ message: text, conditions: keyed("type", ["Ready"], { status: fc.constant("True") }) }),
    }),
  },
  {
    kind: "Service",
    apiVersion: "v1",
    path: "/api/v1/namespaces/default/services",
    seed: {
      spec: {
        ports: [
          { name: "p1", port: 1 },
          { name: "p2", port: 2 },
        ],
      },
    },
    parts: some({
      metadata: meta,
      spec: some({
        selector: texts("app", "tier"),
        ports: keyed("port", [1, 2], {
          protocol: fc.constantFrom("TCP", "UDP"),
          name: fc.constantFrom("p1", "p2"),
          targetPort: fc.constantFrom<unknown>(80, "http"),
        }),
        sessionAffinity: fc.constantFrom("None", "ClientIP"),
      }),
    }),
  },
];
