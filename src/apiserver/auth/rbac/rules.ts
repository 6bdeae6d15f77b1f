/** What a rule of a role allows, and whether some rules allow all that others do. Pure; to the authorizer and to those who grant roles. */
import type { PolicyRule } from "../../../api/index.js";
import type { RequestInfo } from "../../http/request-info.js";

const has = (items: readonly string[] | undefined, wanted: string): boolean =>
  (items ?? []).some((item) => item === "*" || item === wanted);

export function allows(rule: PolicyRule, request: RequestInfo): boolean {
  if (!has(rule.verbs, request.verb)) return false;
  if (request.type === "other") return (rule.nonResourceURLs ?? []).some((path) => coversPath(path, request.path));
  const { group, resource, subresource, name } = request;
  return (
    has(rule.apiGroups, group) &&
    coversResource(rule.resources ?? [], subresource === "" ? resource : `${resource}/${subresource}`) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(name))
  );
}

/** `pods/log` is covered by itself, by `*` and by `*` before `/log`, but not by `pods`. */
function coversResource(resources: readonly string[], wanted: string): boolean {
  if (has(resources, wanted)) return true;
  const slash = wanted.indexOf("/");
  return slash !== -1 && resources.includes(`*${wanted.slice(slash)}`);
}

const coversPath = (path: string, wanted: string): boolean =>
  path === wanted || (path.endsWith("*") && wanted.startsWith(path.replace(/\*+$/, "")));

/** Those single permissions that no rule of the owner's has. */
export function uncovered(owner: readonly PolicyRule[], granted: readonly PolicyRule[]): readonly PolicyRule[] {
  return granted.flatMap(singly).filter((one) => !owner.some((rule) => covers(rule, one)));
}

/** At most one verb, group, resource, name or path each. */
function singly(rule: PolicyRule): readonly PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ resourceNames: [name] }));
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((named) => ({ apiGroups: [group], resources: [resource], verbs: [verb], ...named })),
      ),
    ),
  );
  return [
    ...ofResources,
    ...nonResourceURLs.flatMap((path) => verbs.map((verb) => ({ nonResourceURLs: [path], verbs: [verb] }))),
  ];
}

function covers(rule: PolicyRule, one: PolicyRule): boolean {
  const all = (wanted: readonly string[] | undefined, test: (item: string) => boolean): boolean =>
    (wanted ?? []).every(test);
  const names = rule.resourceNames ?? [];
  return (
    all(one.verbs, (verb) => has(rule.verbs, verb)) &&
    all(one.apiGroups, (group) => has(rule.apiGroups, group)) &&
    all(one.resources, (resource) => coversResource(rule.resources ?? [], resource)) &&
    all(one.nonResourceURLs, (path) => (rule.nonResourceURLs ?? []).some((owned) => coversPath(owned, path))) &&
    (names.length === 0 || (one.resourceNames !== undefined && all(one.resourceNames, (name) => names.includes(name))))
  );
}
