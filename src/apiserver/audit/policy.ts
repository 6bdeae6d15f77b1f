/** Takes the text of an audit policy (audit.k8s.io/v1); gives the level and the stages at which a request is recorded. */
import { isDns1123Subdomain } from "../../api/index.js";
import { type Read, readConfiguration, type Section, ConfigurationError } from "../configuration/section.js";
import type { RequestInfo, ResourceRequest } from "../contracts/request.js";
import type { UserInfo } from "../contracts/user.js";

const levels = ["None", "Metadata", "Request", "RequestResponse"] as const;
const stages = ["RequestReceived", "ResponseStarted", "ResponseComplete", "Panic"] as const;

export type AuditLevel = (typeof levels)[number];
export type AuditStage = (typeof stages)[number];

/** Whether a level records at least as much as another. */
export const includes = (level: AuditLevel, other: AuditLevel): boolean =>
  levels.indexOf(level) >= levels.indexOf(other);

interface GroupResources {
  readonly group: string;
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface Rule extends Verdict {
  readonly users: readonly string[];
  readonly userGroups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly GroupResources[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The way in which one request is recorded. */
export interface Verdict {
  readonly level: AuditLevel;
  readonly omitStages: ReadonlySet<AuditStage>;
  readonly omitManagedFields: boolean;
}

/** The first rule that matches decides; without one nothing is recorded. The user is undefined if authentication failed. */
export type AuditPolicy = (user: UserInfo | undefined, request: RequestInfo) => Verdict;

/** Throws a ConfigurationError, in which the faulty fields are named as kube-apiserver names them. */
export function readAuditPolicy(text: string): Read<AuditPolicy> {
  const expected = { kind: "Policy", apiVersions: ["audit.k8s.io/v1"] };
  return readConfiguration(text, expected, (file) => {
    file.has("metadata");
    const omitStages = stagesOf(file);
    const omitManagedFields = file.flag("omitManagedFields") ?? false;
    const rules = file.sections("rules").map((rule) => ruleOf(rule, { omitStages, omitManagedFields }));
    if (rules.length === 0) throw new ConfigurationError("loaded illegal policy with 0 rules");
    const otherwise: Verdict = { level: "None", omitStages, omitManagedFields };
    return (user, request) => rules.find((rule) => matches(rule, user, request)) ?? otherwise;
  });
}

function stagesOf(section: Section): ReadonlySet<AuditStage> {
  const named = section.texts("omitStages");
  for (const [at, stage] of section.at("omitStages").items(named)) {
    if (!stages.includes(stage as AuditStage))
      section.fault(at.invalid(stage, `allowed stages are ${stages.join(",")}`));
  }
  return new Set(named as readonly AuditStage[]);
}

function ruleOf(rule: Section, shared: Pick<Verdict, "omitStages" | "omitManagedFields">): Rule {
  const level = rule.text("level");
  if (level === "") rule.fault(rule.at("level").required());
  else if (!levels.includes(level as AuditLevel)) rule.fault(rule.at("level").notSupported(level, levels));
  const read: Rule = {
    level: level as AuditLevel,
    users: rule.texts("users"),
    userGroups: rule.texts("userGroups"),
    verbs: rule.texts("verbs"),
    nonResourceURLs: urlsOf(rule),
    resources: rule.sections("resources").map((one) => resourcesOf(one, rule)),
    namespaces: rule.texts("namespaces"),
    omitStages: new Set([...shared.omitStages, ...stagesOf(rule)]),
    omitManagedFields: rule.flag("omitManagedFields") ?? shared.omitManagedFields,
  };
  if (read.nonResourceURLs.length > 0 && (read.resources.length > 0 || read.namespaces.length > 0)) {
    const why = "rules cannot apply to both regular resources and non-resource URLs";
    rule.fault(rule.at("nonResourceURLs").invalid(read.nonResourceURLs, why));
  }
  return read;
}

function urlsOf(rule: Section): readonly string[] {
  const urls = rule.texts("nonResourceURLs");
  for (const [at, url] of rule.at("nonResourceURLs").items(urls)) {
    if (url !== "*" && !url.startsWith("/"))
      rule.fault(at.invalid(url, "non-resource URL rules must begin with a '/' character"));
    if (url.slice(0, -1).includes("*"))
      rule.fault(at.invalid(url, "non-resource URL wildcards '*' must be the final character of the rule"));
  }
  return urls;
}

/** As upstream, a fault is named at the list, not at its item. */
function resourcesOf(section: Section, rule: Section): GroupResources {
  const [group, resources] = [section.text("group"), section.texts("resources")];
  const resourceNames = section.texts("resourceNames");
  const at = rule.at("resources");
  const faults = group === "" || group === "*" ? [] : isDns1123Subdomain(group);
  if (faults.length > 0) rule.fault(at.child("group").invalid(group, faults.join(",")));
  if (resourceNames.length > 0 && resources.length === 0) {
    const why = "using resourceNames requires at least one resource";
    rule.fault(at.child("resourceNames").invalid(resourceNames, why));
  }
  return { group, resources, resourceNames };
}

function matches(rule: Rule, user: UserInfo | undefined, request: RequestInfo): boolean {
  const { users, userGroups, verbs, namespaces, resources, nonResourceURLs } = rule;
  if (users.length > 0 && !(user && users.includes(user.username))) return false;
  if (userGroups.length > 0 && !user?.groups.some((group) => userGroups.includes(group))) return false;
  if (verbs.length > 0 && !verbs.includes(request.verb)) return false;
  if (namespaces.length > 0 || resources.length > 0)
    return request.type === "resource" && matchesResource(rule, request);
  if (nonResourceURLs.length > 0) {
    if (request.type === "resource") return false;
    const { path } = request;
    return nonResourceURLs.some((url) => (url.endsWith("*") ? path.startsWith(url.slice(0, -1)) : url === path));
  }
  return true;
}

function matchesResource({ namespaces, resources }: Rule, request: ResourceRequest): boolean {
  if (namespaces.length > 0 && !namespaces.includes(request.namespace)) return false;
  if (resources.length === 0) return true;
  const { group, resource, subresource, name } = request;
  const full = subresource === "" ? resource : `${resource}/${subresource}`;
  const isNamed = (pattern: string): boolean =>
    pattern === full ||
    pattern === "*" ||
    pattern === `${resource}/*` ||
    (subresource !== "" && pattern === `*/${subresource}`);
  return resources.some(
    (one) =>
      (one.group === group || one.group === "*") &&
      (one.resources.length === 0 ||
        ((one.resourceNames.length === 0 || one.resourceNames.includes(name)) && one.resources.some(isNamed))),
  );
}
