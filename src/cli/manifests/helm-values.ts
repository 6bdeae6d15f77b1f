/** The values of a chart, and the marks that stand for them in objects until the objects are text. */
import { writeYaml } from "../../api/yaml/index.js";
import { resources } from "./workload.js";

const mark = (kind: string, name: string): string => `coxswain-${kind}-${name}`;

export const marks = {
  /** The name of a namespace, so that it passes where a real one does. */
  namespace: "coxswain-release-namespace",
  text: (value: string): string => mark("text", value),
  yaml: (value: string): string => mark("yaml", value),
  items: (value: string): string => mark("items", value),
} as const;

/** The text as a template: its own braces are kept, its marks are expressions. */
export function templated(text: string): string {
  const line = (given: string): string => {
    const indent = /^ */.exec(given)?.[0] ?? "";
    const yaml = /^(.*): coxswain-yaml-(\w+)$/.exec(given);
    if (yaml !== null) return `${yaml[1]}: {{- toYaml .Values.${yaml[2]} | nindent ${indent.length + 2} }}`;
    const items = /^ *- coxswain-items-(\w+)$/.exec(given);
    if (items !== null)
      return `${indent}{{- with .Values.${items[1]} }}\n${indent}{{- toYaml . | nindent ${indent.length} }}\n${indent}{{- end }}`;
    return given
      .replaceAll(/coxswain-text-(\w+)/g, "{{ .Values.$1 }}")
      .replaceAll(marks.namespace, "{{ .Release.Namespace }}");
  };
  return text.replaceAll("{{", '{{ "{{" }}').split("\n").map(line).join("\n");
}

interface Decided {
  readonly image: string;
  readonly replicas: number;
  readonly isSharded: boolean;
}

export function valuesOf({ image, replicas, isSharded }: Decided): string {
  const commented: readonly (readonly [string, object])[] = [
    ["The image of the operator.", { image }],
    [isSharded ? "They share the objects." : "With more than one, the others stand by.", { replicas }],
    ["Further arguments of the program.", { args: [] }],
    ["Of the operator's container.", { resources }],
    [
      "Of the operator's pods.",
      { podAnnotations: {}, imagePullSecrets: [], nodeSelector: {}, tolerations: [], affinity: {} },
    ],
    ["For a cloud's workload identity.", { serviceAccountAnnotations: {} }],
    ["Definitions stay when the chart is uninstalled.", { crds: { install: true } }],
    ["Needs the Prometheus operator.", { serviceMonitor: { enabled: false } }],
  ];
  return commented.map(([comment, value]) => `# ${comment}\n${writeYaml(value)}`).join("");
}
