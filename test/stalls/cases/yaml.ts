/** Bodies in YAML. For the stall guard. */
import { type Case, many, maps, post, type Sent } from "../requests.js";

const inYaml = (text: string): Sent =>
  post(maps, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stall}\n${text}`, "application/yaml");

export const yaml: readonly Case[] = [
  { name: "YAML keys", request: (n) => inYaml(`data:\n${many(n, (i) => `  k${i}: v\n`).join("")}`) },
  { name: "YAML keys in braces", request: (n) => inYaml(`data: {${many(n, (i) => `k${i}: v`).join(", ")}}\n`) },
  { name: "YAML key that comes again and again", request: (n) => inYaml("x: 1\n".repeat(n)) },
  { name: "YAML dashes", request: (n) => inYaml(`x: \n${"- ".repeat(n)}`) },
  { name: "YAML brackets", request: (n) => inYaml(`x: ${"[".repeat(n)}`) },
  { name: "YAML pairs", request: (n) => inYaml(`x: [${"a: b,".repeat(n)}]`) },
  { name: "YAML anchors", request: (n) => inYaml(`x:\n${many(n, (i) => `- &a${i} x\n`).join("")}`) },
  { name: "YAML aliases", request: (n) => inYaml(`x: &x y\nz:\n${"- *x\n".repeat(n)}`) },
  {
    name: "YAML merges",
    atMost: 5_000_000,
    request: (n) =>
      inYaml(`x: &x {${many(n, (i) => `k${i}: v`).join(", ")}}\n${many(n, (i) => `y${i}: {<<: *x}\n`).join("")}`),
  },
  { name: "YAML documents", request: (n) => inYaml("--- a\n".repeat(n)) },
  { name: "YAML scalar of many lines", request: (n) => inYaml(`data:\n  x: a${"\n    b".repeat(n)}\n`) },
  { name: "YAML quotation of many lines", request: (n) => inYaml(`data:\n  x: "a${"\n    b".repeat(n)}"\n`) },
  { name: "YAML block of many lines", request: (n) => inYaml(`data:\n  x: |\n${"    b\n".repeat(n)}`) },
  { name: "YAML number of many digits", request: (n) => inYaml(`x: ${"9".repeat(n)}\n`) },
  { name: "YAML tags", request: (n) => inYaml(`x:\n${"- !!str x\n".repeat(n)}`) },
  {
    name: "YAML directives",
    request: (n) => post(maps, `${many(n, (i) => `%TAG !h${i}! tag:x\n`).join("")}--- a\n`, "application/yaml"),
  },
];
