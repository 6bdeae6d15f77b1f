import { expect, test } from "vitest";
import {
  builtInVersions,
  describeField,
  describeType,
  type ObjectType,
  patchSchemaOfKind,
  typedForm,
  typeNamed,
  typeNames,
  builtInTypeOf,
} from "./index.js";

test("a kind's fields have their JSON names, protobuf numbers and requirements", () => {
  const spec = builtInTypeOf("v1", "Pod")?.properties.get("spec")?.shape;
  if (spec?.kind !== "object") throw new Error("no spec");
  expect(spec.type.schemaName).toBe("io.k8s.api.core.v1.PodSpec");
  const containers = spec.type.properties.get("containers");
  expect(containers).toMatchObject({ number: 2, required: true, listType: "map", listMapKeys: ["name"] });
  expect(containers).toMatchObject({ patchStrategy: "merge", patchMergeKey: "name", pointer: false });
  expect(spec.type.properties.get("volumes")?.patchStrategy).toBe("merge,retainKeys");
  expect(spec.type.properties.get("restartPolicy")?.shape).toEqual({
    kind: "string",
    enum: ["Always", "Never", "OnFailure"],
  });
});

test("inline structs give their fields to the parent in JSON and stay one message in protobuf", () => {
  const volume = typeNamed("core/v1.Volume");
  expect(volume?.properties.get("emptyDir")?.shape.kind).toBe("object");
  expect(volume?.fields.map(({ name, number, inline }) => [name, number, inline])).toEqual([
    ["name", 1, false],
    ["", 2, true],
  ]);
});

test("every reference leads to a type, and every type can be read", () => {
  let fields = 0;
  for (const name of typeNames()) {
    const type = typeNamed(name);
    if (type === undefined) throw new Error(name);
    for (const { shape } of type.properties.values()) {
      let inner = shape;
      while (inner?.kind === "list" || inner?.kind === "map") inner = inner.items;
      if (inner === undefined || (inner.kind === "object" && inner.type === undefined)) throw new Error(name);
      fields++;
    }
  }
  expect(fields).toBeGreaterThan(3_000);
});

test("options and Status are known in every group, foreign kinds in none", () => {
  expect(builtInTypeOf("apps/v1", "DeleteOptions")?.name).toBe("DeleteOptions");
  expect(builtInTypeOf("v1", "Status")?.name).toBe("Status");
  expect(builtInTypeOf("v1", "PodSpec")).toBeUndefined();
  expect(builtInTypeOf("example.com/v1", "Pod")).toBeUndefined();
});

test("strategic merge finds merge keys through lists and inline structs", () => {
  const pod = patchSchemaOfKind({ group: "", version: "v1", kind: "Pod" });
  const container = pod?.field("spec")?.type?.field("containers");
  expect(container).toMatchObject({ patchStrategy: "merge", mergeKey: "name", list: true });
  expect(container?.type?.field("ports")).toMatchObject({ mergeKey: "containerPort", list: true });
  expect(pod?.field("spec")?.type?.field("volumes")?.type?.field("configMap")?.type?.field("items")?.list).toBe(true);
  expect(pod?.field("nonsense")).toBeUndefined();
});

test("words are found for a field, for conditions and for what all objects have", () => {
  expect(describeType("core/v1.Pod")).toMatch(/^Containers that run together/);
  expect(describeField("apps/v1.DeploymentSpec", "replicas")).toBe("How many pods are wanted.");
  expect(describeField("apps/v1.DeploymentCondition", "reason")).toMatch(/programs/);
  expect(describeField("example/v1.Anything", "spec")).toBe("The wanted state.");
  expect(describeField("core/v1.ConfigMapVolumeSource", "items")).toBeUndefined();
  expect(describeField("core/v1.ConfigMapVolumeSource", "nonsense")).toBeUndefined();
});

test("discovery has the preferred version first and knows where a kind is stored", () => {
  const versions = builtInVersions();
  const autoscaling = versions.filter(({ group }) => group === "autoscaling");
  expect(autoscaling.map(({ version }) => version)).toEqual(["v2", "v1"]);
  const events = versions.find(({ group }) => group === "events.k8s.io")?.resources[0];
  expect([events?.kind, events?.storageVersion]).toEqual(["Event", "v1"]);
  const pods = versions[0]?.resources.find(({ plural }) => plural === "pods");
  expect(pods?.subresources.find(({ name }) => name === "eviction")).toEqual({
    name: "eviction",
    kind: { group: "policy", version: "v1", kind: "Eviction" },
    verbs: ["create"],
  });
});

test("an empty list is kept only where it is refused for being there", () => {
  const type = builtInTypeOf("v1", "Pod") as ObjectType;
  const container = { name: "a", ports: [], resources: { claims: [], limits: {} } };
  const spec = { containers: [container], ephemeralContainers: [container], resources: { claims: [], limits: {} } };
  expect(typedForm(type, { spec })).toMatchObject({
    spec: {
      containers: [{ name: "a", resources: {} }],
      ephemeralContainers: [{ name: "a", ports: [], resources: { claims: [], limits: {} } }],
      resources: { claims: [] },
    },
  });
  expect(JSON.stringify(typedForm(type, { spec: { containers: [container] } }))).not.toContain("[]");
});
