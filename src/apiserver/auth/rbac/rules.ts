/** Decides whether a rule of a role allows a request. Pure. */
import type { PolicyRule } from "../../../api/index.js";
import type { RequestInfo } from "../../contracts/request.js";

/** Whether the list of a rule names the wanted item, or `*`. */
export const covers = (items: readonly string[] | undefined, wanted: string): boolean =>
  (items ?? []).some((item) => item === "*" || item === wanted);

export function allows(rule: PolicyRule, request: RequestInfo): boolean {
  if (!covers(rule.verbs, request.verb)) return false;
  if (request.type === "other") return (rule.nonResourceURLs ?? []).some((path) => coversPath(path, request.path));
  const { group, resource, subresource, name } = request;
  return (
    covers(rule.apiGroups, group) &&
    coversResource(rule.resources ?? [], subresource === "" ? resource : `${resource}/${subresource}`) &&
    ((rule.resourceNames ?? []).length === 0 || (rule.resourceNames ?? []).includes(name))
  );
}

/** `pods/log` is covered by itself, by `*` and by `*` before `/log`, but not by `pods`. */
function coversResource(resources: readonly string[], wanted: string): boolean {
  if (covers(resources, wanted)) return true;
  const any = ofAnyResource(wanted);
  return any !== undefined && resources.includes(any);
}

/** For `pods/log`, a `*` before `/log`: that subresource of all resources. Undefined for a resource without a subresource. */
export function ofAnyResource(resource: string): string | undefined {
  const slash = resource.indexOf("/");
  return slash === -1 ? undefined : `*${resource.slice(slash)}`;
}

export const coversPath = (path: string, wanted: string): boolean =>
  path === wanted || (path.endsWith("*") && wanted.startsWith(withoutStars(path)));

function withoutStars(path: string): string {
  let end = path.length;
  while (path[end - 1] === "*") end--;
  return path.slice(0, end);
}
