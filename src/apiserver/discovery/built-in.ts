/** The built-in groups as discovery shows them, from the generated table. */
import { type BuiltInVersion, builtInVersions } from "../../api/schema/index.js";
import type { ServedGroup } from "../contracts/served.js";

/** Groups in the order of their priority, with the versions that are served by default, most preferred first. */
export function builtInGroups(): readonly ServedGroup[] {
  const byGroup = new Map<string, BuiltInVersion[]>();
  for (const version of builtInVersions()) {
    if (!version.servedByDefault) continue;
    byGroup.set(version.group, [...(byGroup.get(version.group) ?? []), version]);
  }
  return [...byGroup].map(([group, versions]) => ({
    group,
    versions: versions.map(({ version, resources }) => ({ version, resources })),
  }));
}

/** Whether any version of the group is served by default. */
export function isBuiltInGroup(name: string): boolean {
  return builtInVersions().some(({ group, servedByDefault }) => group === name && servedByDefault);
}
