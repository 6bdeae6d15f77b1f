/** The forms of an installation: takes objects in groups, gives texts by their paths. Pure. */
import type { KubeObject } from "../../api/index.js";
import { writeYaml } from "../../api/yaml/index.js";
import { marks, templated, valuesOf } from "./helm-values.js";
import type { ManifestGroups } from "./objects.js";

/** The first line of every file that is made; a file without it is not overwritten. */
export const madeBy = "# Made by coxswain manifests.";

export type Files = ReadonlyMap<string, string>;

export interface Chart {
  readonly name: string;
  readonly version: string;
  readonly image: string;
  readonly replicas: number;
  /** True if all replicas work. */
  readonly isSharded: boolean;
}

const documents = (objects: Iterable<KubeObject>): string => Array.from(objects, writeYaml).join("---\n");

const isClusterWide = ({ kind }: KubeObject): boolean =>
  /^(?:ClusterRole|ClusterRoleBinding|CustomResourceDefinition|Namespace|.*WebhookConfiguration)$/.test(kind);

/** All objects as one text, for `kubectl apply -f -`. */
export function plainYaml(groups: ManifestGroups): string {
  return `${madeBy}\n${documents([...groups.values()].flat())}`;
}

/** A folder for `kubectl apply -k` and for overlays. */
export function kustomization(groups: ManifestGroups, { image }: Pick<Chart, "image">): Files {
  const [, name = image, tag = "latest"] = /^(.*?)(?::([^:/]+))?$/.exec(image) ?? [];
  const index = {
    apiVersion: "kustomize.config.k8s.io/v1beta1",
    kind: "Kustomization",
    resources: Array.from(groups.keys(), (group) => `${group}.yaml`),
    ...(image.includes("@") ? {} : { images: [{ name, newTag: tag }] }),
  };
  const files = Array.from(groups, ([group, objects]): readonly [string, string] => [
    `${group}.yaml`,
    `${madeBy}\n${documents(objects)}`,
  ]);
  return new Map([["kustomization.yaml", `${madeBy}\n${writeYaml(index)}`], ...files]);
}

/**
 * A chart. The objects were made for the namespace `marks.namespace`; it and the other marks become expressions. Braces in
 * the objects' own texts are kept from the template engine.
 */
export function helmChart(groups: ManifestGroups, chart: Chart): Files {
  const { name, version } = chart;
  const head = {
    apiVersion: "v2",
    name,
    version,
    appVersion: version,
    description: `Installs ${name}.`,
    type: "application",
  };
  const files = new Map([
    ["Chart.yaml", `${madeBy}\n${writeYaml(head)}`],
    ["values.yaml", `${madeBy}\n${valuesOf(chart)}`],
  ]);
  for (const [group, objects] of groups) {
    if (group === "namespace") continue;
    const kept = group === "crds" ? objects.map(withKeepPolicy) : objects;
    const text = templated(documents(kept.map((object) => (isClusterWide(object) ? object : inRelease(object)))));
    const condition = conditions.get(group);
    const body = condition === undefined ? text : `{{- if .Values.${condition} }}\n${text}{{- end }}\n`;
    files.set(`templates/${group}.yaml`, `${madeBy}\n${body}`);
  }
  return files;
}

const conditions: ReadonlyMap<string, string> = new Map([
  ["crds", "crds.install"],
  ["monitoring", "serviceMonitor.enabled"],
]);

/** Without its definition, a kind loses all of its objects: uninstalling the chart must not do that. */
function withKeepPolicy(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata.annotations, "helm.sh/resource-policy": "keep" };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The parts of the workload that values decide. */
function inRelease(object: KubeObject): KubeObject {
  const { metadata } = object;
  if (object.kind === "ServiceAccount")
    return { ...object, metadata: { ...metadata, annotations: marks.yaml("serviceAccountAnnotations") as never } };
  if (object.kind !== "Deployment") return object;
  const { spec } = object as unknown as { readonly spec: DeploymentParts };
  const { template } = spec;
  const [container] = template.spec.containers;
  const containers = [
    {
      ...container,
      image: marks.text("image"),
      args: [...(container?.args ?? []), marks.items("args")],
      resources: marks.yaml("resources"),
    },
  ];
  const pod = {
    ...template.spec,
    containers,
    ...Object.fromEntries(
      ["imagePullSecrets", "nodeSelector", "tolerations", "affinity"].map((part) => [part, marks.yaml(part)]),
    ),
  };
  const podMetadata = { ...template.metadata, annotations: marks.yaml("podAnnotations") };
  const filled = { ...spec, replicas: marks.text("replicas"), template: { metadata: podMetadata, spec: pod } };
  return { ...object, spec: filled } as KubeObject;
}

interface DeploymentParts {
  readonly template: {
    readonly metadata: object;
    readonly spec: { readonly containers: readonly { readonly args?: readonly string[] }[] };
  };
}
