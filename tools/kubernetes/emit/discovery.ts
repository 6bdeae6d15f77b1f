/** Writes the discovery table: groups, versions, resources and subresources, one line each. */
import { createHash } from "node:crypto";
import type { DiscoveredResource, DiscoveredVersion } from "../discovery.js";
import { banner } from "./types.js";

const verbLetters: Readonly<Record<string, string>> = {
  create: "c",
  delete: "d",
  deletecollection: "D",
  get: "g",
  list: "l",
  patch: "p",
  update: "u",
  watch: "w",
};

export function emitDiscovery(discovery: readonly DiscoveredVersion[]): string {
  const lines = discovery.flatMap(({ group, version, resources }) => [
    `=${group} ${version}`,
    ...resources.flatMap((resource) => [
      emitResource(resource, storageVersion(discovery, resource, { group, version })),
      ...resource.subresources.map((sub) => {
        const { group: kindGroup, version: kindVersion, kind } = sub.responseKind;
        const foreign = kindGroup === group && kindVersion === version ? "" : `,${kindGroup},${kindVersion}`;
        return `/${sub.name},${letters(sub.verbs)},${kind}${foreign}`;
      }),
    ]),
  ]);
  return `${banner}\n/** Its form is described in ../schema/discovery.ts. */\nexport const discoveryTable: string = \`\n${lines.join("\n")}\n\`;\n`;
}

function emitResource(resource: DiscoveredResource, stored: string): string {
  return [
    resource.plural,
    resource.kind,
    resource.singular === resource.kind.toLowerCase() ? "" : resource.singular,
    resource.namespaced ? "N" : "C",
    letters(resource.verbs),
    resource.shortNames.join(";"),
    resource.categories.join(";"),
    resource.storageVersionHash ?? "",
    stored,
  ]
    .join(",")
    .replace(/,+$/, "");
}

function letters(verbs: readonly string[]): string {
  return verbs.map((verb) => verbLetters[verb] ?? `(${verb})`).join("");
}

/** The group and version in which a kind is stored, found by its published hash; written only if it differs. */
function storageVersion(
  discovery: readonly DiscoveredVersion[],
  { kind, storageVersionHash }: DiscoveredResource,
  served: { readonly group: string; readonly version: string },
): string {
  if (storageVersionHash === undefined) return "";
  const hash = (group: string, version: string): string =>
    createHash("sha256").update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString("base64");
  const candidates = [
    served,
    ...discovery,
    ...["v1", "v1beta1", "v1beta2", "v1alpha1"].map((version) => ({ ...served, version })),
  ];
  const home = candidates.find(({ group, version }) => hash(group, version) === storageVersionHash);
  if (!home) throw new Error(`no version of ${served.group} ${kind} has the storage hash ${storageVersionHash}`);
  return home === served ? "" : `${home.group}/${home.version}`;
}
