import { expect, expectTypeOf, test } from "vitest";
import {
  AutoscalingV1HorizontalPodAutoscaler,
  type Container,
  Deployment,
  type Draft,
  EventsV1Event,
  HorizontalPodAutoscaler,
  type ObjectMeta,
  type ObjectOf,
  Pod,
  type PodSpec,
  type PodTemplateSpec,
  type ResourceType,
  type Scale,
  StatefulSet,
} from "./index.js";
import { typeNamed } from "./schema/table.js";

test("a kind is a value and a type of one name", () => {
  expect(Deployment).toEqual({
    group: "apps",
    version: "v1",
    kind: "Deployment",
    plural: "deployments",
    singular: "deployment",
    listKind: "DeploymentList",
    scope: "Namespaced",
    shortNames: ["deploy"],
    categories: ["all"],
    subresources: ["scale", "status"],
  });
  expectTypeOf<ObjectOf<typeof Deployment>>().toEqualTypeOf<Deployment>();
  expectTypeOf(Pod).toEqualTypeOf<ResourceType<Pod>>();
});

test("the preferred version has the plain name, others say their group and version", () => {
  expect(HorizontalPodAutoscaler.version).toBe("v2");
  expect(AutoscalingV1HorizontalPodAutoscaler.version).toBe("v1");
  expect(EventsV1Event.group).toBe("events.k8s.io");
});

test("optionality is that of the published schema", () => {
  const isRequired = (type: string, field: string): boolean | undefined =>
    typeNamed(`core/v1.${type}`)?.properties.get(field)?.required;
  expect([isRequired("Pod", "spec"), isRequired("PodSpec", "restartPolicy")]).toEqual([false, false]);
  expect([isRequired("PodSpec", "containers"), isRequired("Container", "name")]).toEqual([true, true]);
  expect(isRequired("Container", "image")).toBe(false);
  expectTypeOf<Pod["metadata"]>().toEqualTypeOf<ObjectMeta>();
  expectTypeOf<Pod["spec"]>().toEqualTypeOf<PodSpec | undefined>();
  expectTypeOf<PodSpec["containers"]>().toEqualTypeOf<readonly Container[]>();
  expectTypeOf<Container["name"]>().toEqualTypeOf<string>();
  expectTypeOf<Container["image"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<PodSpec["restartPolicy"]>().toEqualTypeOf<"Always" | "Never" | "OnFailure" | undefined>();
  expectTypeOf<Scale["kind"]>().toEqualTypeOf<"Scale">();
});

test("templates need no name, and templates of whole objects no kind", () => {
  const template: PodTemplateSpec = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web" }] } };
  const draft: Draft<StatefulSet> = {
    metadata: { name: "db" },
    spec: {
      selector: { matchLabels: { app: "web" } },
      serviceName: "db",
      template,
      volumeClaimTemplates: [
        {
          metadata: { name: "data" },
          spec: { resources: { requests: { storage: "1Gi" } }, accessModes: ["ReadWriteOnce"] },
        },
      ],
    },
  };
  expect(draft.spec?.volumeClaimTemplates).toHaveLength(1);
  expect(StatefulSet.plural).toBe("statefulsets");
});
