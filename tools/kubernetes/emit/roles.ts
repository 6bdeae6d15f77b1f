/** Writes the roles and bindings that every server starts with, from the data of upstream's own tests. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { load } from "js-yaml";
import { banner } from "./types.js";
import type { ModuleFolders } from "../modules.js";

interface Item {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly rules?: readonly Rule[] | null;
  readonly aggregationRule?: {
    readonly clusterRoleSelectors: readonly { readonly matchLabels: Readonly<Record<string, string>> }[];
  };
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const files = [
  "cluster-roles.yaml",
  "controller-roles.yaml",
  "namespace-roles.yaml",
  "cluster-role-bindings.yaml",
  "controller-role-bindings.yaml",
  "namespace-role-bindings.yaml",
];

export async function emitRoles(folders: ModuleFolders): Promise<string> {
  const folder = join(folders.kubernetes, "plugin/pkg/auth/authorizer/rbac/bootstrappolicy/testdata");
  const lines: string[] = [];
  for (const file of files) {
    const { items } = load(await readFile(join(folder, file), "utf8")) as { readonly items: readonly Item[] };
    lines.push(...items.map(emitItem));
  }
  return `${banner}\n/** Its form is described in ../bootstrap-roles.ts. */\nexport const roleTable: string = String.raw\`\n${lines.join("\n")}\n\`;\n`;
}

function emitItem({ kind, metadata, rules, aggregationRule, roleRef, subjects }: Item): string {
  const aggregated = Object.keys(metadata.labels ?? {}).filter((label) => label.includes("/aggregate-to-"));
  const head = [
    kind,
    metadata.namespace ?? "",
    metadata.name,
    aggregated.map((label) => label.split("-to-")[1]).join(","),
  ];
  if (roleRef) {
    const whom = (subjects ?? []).map((subject) => [subject.kind, subject.namespace ?? "", subject.name].join(" "));
    return [...head, `${roleRef.kind} ${roleRef.name}`, ...whom].join("\t");
  }
  if (aggregationRule) {
    const labels = aggregationRule.clusterRoleSelectors.flatMap(({ matchLabels }) => Object.keys(matchLabels));
    return [...head, `< ${labels.map((label) => label.split("-to-")[1]).join(",")}`].join("\t");
  }
  return [...head, ...(rules ?? []).map(emitRule)].join("\t");
}

/** Groups, resources, verbs, names and URLs; the core group is written `-`. */
function emitRule({ apiGroups, resources, verbs, resourceNames, nonResourceURLs }: Rule): string {
  const groups = apiGroups?.map((group) => group || "-");
  const parts = [groups, resources, verbs, resourceNames, nonResourceURLs].map((part) => part?.join(",") ?? "");
  return parts.join(" ").trimEnd();
}
