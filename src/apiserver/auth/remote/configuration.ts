/** Takes the text of an AuthorizationConfiguration (apiserver.config.k8s.io); gives the authorizers that it names, in their order. */
import { isAbsolute } from "node:path";
import { durationFromMs, isDns1123Subdomain, parseDuration } from "../../../api/index.js";
import { identityExpression } from "../../cel/identity/expressions.js";
import { ConfigurationError, readConfiguration, type Section } from "../../configuration/section.js";
import type { AccessWebhookOptions, MatchConditions } from "./access-webhook.js";
import { repeats } from "../../../base/members.js";
import { joinedErrors } from "../../../api/errors/field-error.js";

/** The authorizers that need no more than their name. */
export type AuthorizationMode = "Node" | "RBAC" | "AlwaysAllow" | "AlwaysDeny";

/** A webhook of a configuration file; its address and credentials stand in another file. */
interface ConfiguredWebhook extends Omit<AccessWebhookOptions, "endpoint"> {
  readonly type: "Webhook";
  readonly kubeconfig: string;
  readonly conditions: MatchConditions;
}

export type ConfiguredAuthorizer = AuthorizationMode | "ABAC" | ConfiguredWebhook;

const versions = ["v1", "v1beta1", "v1alpha1"].map((version) => `apiserver.config.k8s.io/${version}`);
const types = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"];
const maxConditions = 64;

/** Throws a ConfigurationError, in which the faulty fields are named as kube-apiserver names them. */
export function readAuthorizationConfiguration(text: string): readonly ConfiguredAuthorizer[] {
  const expected = { kind: "AuthorizationConfiguration", apiVersions: versions, strict: true };
  const { value } = readConfiguration(text, expected, (file) => authorizersIn(file));
  const wrong = value.flatMap(({ name, authorizer }) =>
    typeof authorizer !== "string" || name === authorizer.toLowerCase()
      ? []
      : [`expected name ${authorizer.toLowerCase()} for authorizer ${authorizer} instead of ${name}`],
  );
  if (wrong.length > 0) throw new ConfigurationError(joinedErrors(wrong));
  return value.map(({ authorizer }) => authorizer);
}

interface Named {
  readonly name: string;
  readonly authorizer: ConfiguredAuthorizer;
}

function authorizersIn(file: Section): readonly Named[] {
  const sections = file.sections("authorizers");
  if (sections.length === 0)
    file.fault(file.at("authorizers").required("at least one authorization mode must be defined"));
  const [isRepeat, isRepeatedName] = [repeats(), repeats()];
  return sections.flatMap((section) => {
    const [type, name] = [section.text("type"), section.text("name")];
    const hook = section.section("webhook");
    const at = section.at("type");
    if (type === "") section.fault(at.required());
    else if (!types.includes(type)) section.fault(at.notSupported(type, types));
    else if (isRepeat(type) && type !== "Webhook") section.fault(at.duplicate(type));
    else {
      nameFaults(section, name, isRepeatedName);
      const authorizer = type === "Webhook" ? webhookIn(section, hook) : plainIn(section, type, hook);
      return authorizer === undefined ? [] : [{ name, authorizer }];
    }
    hook?.ignore();
    return [];
  });
}

function nameFaults(section: Section, name: string, isRepeat: (name: string) => boolean): void {
  const at = section.at("name");
  const complaints = isDns1123Subdomain(name);
  if (name === "") section.fault(at.required());
  else if (isRepeat(name)) section.fault(at.duplicate(name));
  else if (complaints.length > 0)
    section.fault(at.invalid(name, `authorizer name is invalid: ${complaints.join(", ")}`));
}

function plainIn(section: Section, type: string, hook: Section | undefined): AuthorizationMode | "ABAC" {
  if (hook !== undefined) {
    section.fault(section.at("webhook").invalid("non-null", "may only be specified when type=Webhook"));
    hook.ignore();
  }
  return type as AuthorizationMode | "ABAC";
}

/** As upstream, the paths of faults leave `webhook` out. */
function webhookIn(section: Section, hook: Section | undefined): ConfiguredWebhook | undefined {
  if (hook === undefined) {
    section.fault(section.at("webhook").required("required when type=Webhook"));
    return undefined;
  }
  const at = (name: string): ReturnType<Section["at"]> => section.at(name);
  const timeoutMs = durationIn(hook, "timeout");
  if (timeoutMs === 0) section.fault(at("timeout").required());
  else if (timeoutMs > 30_000 || timeoutMs < 0)
    section.fault(at("timeout").invalid(durationFromMs(timeoutMs), "must be > 0s and <= 30s"));
  const authorizedTtlMs = ttlIn(section, hook, {
    name: "authorizedTTL",
    isKept: "cacheAuthorizedRequests",
    usual: 300_000,
  });
  const unauthorizedTtlMs = ttlIn(section, hook, {
    name: "unauthorizedTTL",
    isKept: "cacheUnauthorizedRequests",
    usual: 30_000,
  });
  const version = choiceIn(section, hook, { name: "subjectAccessReviewVersion", choices: ["v1", "v1beta1"] as const });
  const conditionsVersion = hook.text("matchConditionSubjectAccessReviewVersion");
  const written = hook.sections("matchConditions");
  const versionAt = at("matchConditionSubjectAccessReviewVersion");
  if (conditionsVersion === "" && written.length > 0)
    section.fault(versionAt.required("required if match conditions are specified"));
  else if (conditionsVersion !== "" && conditionsVersion !== "v1")
    section.fault(versionAt.notSupported(conditionsVersion, ["v1"]));
  const failurePolicy = choiceIn(section, hook, { name: "failurePolicy", choices: ["NoOpinion", "Deny"] as const });
  const kubeconfig = kubeconfigIn(section, hook.part("connectionInfo"));
  const conditions = conditionsIn(section, written);
  const name = section.text("name");
  return {
    type: "Webhook",
    name,
    kubeconfig,
    conditions,
    version,
    failurePolicy,
    authorizedTtlMs,
    unauthorizedTtlMs,
    timeoutMs,
  };
}

/** Milliseconds; 0 if absent. */
function durationIn(section: Section, name: string): number {
  const text = section.text(name);
  if (text === "") return 0;
  try {
    return Number(parseDuration(text)) / 1e6;
  } catch {
    section.fault(section.at(name).invalid(text, "must be a duration"));
    return 1;
  }
}

interface Ttl {
  readonly name: string;
  readonly isKept: string;
  readonly usual: number;
}

function ttlIn(section: Section, hook: Section, { name, isKept, usual }: Ttl): number {
  const ms = durationIn(hook, name) || usual;
  if (ms < 0) section.fault(section.at(name).invalid(durationFromMs(ms), "must be > 0s"));
  return (hook.flag(isKept) ?? true) ? ms : 0;
}

function choiceIn<T extends string>(
  section: Section,
  hook: Section,
  { name, choices }: { readonly name: string; readonly choices: readonly T[] },
): T {
  const text = hook.text(name);
  if (text === "") section.fault(section.at(name).required());
  else if (!choices.includes(text as T)) section.fault(section.at(name).notSupported(text, choices));
  return text as T;
}

function kubeconfigIn(section: Section, info: Section): string {
  const [type, file] = [info.text("type"), info.text("kubeConfigFile")];
  const at = section.at("connectionInfo");
  const [typeAt, fileAt] = [at.child("type"), at.child("kubeConfigFile")];
  if (type === "") section.fault(typeAt.required());
  else if (type === "InClusterConfig") section.fault(typeAt.invalid(type, "a server has no cluster that it is in"));
  else if (type !== "KubeConfigFile") section.fault(typeAt.notSupported(type, ["InClusterConfig", "KubeConfigFile"]));
  else if (file === "") section.fault(fileAt.required());
  else if (!isAbsolute(file)) section.fault(fileAt.invalid(file, "must be an absolute path"));
  return file;
}

function conditionsIn(section: Section, written: readonly Section[]): MatchConditions {
  if (written.length > maxConditions) {
    section.fault(section.at("matchConditions").tooMany(written.length, maxConditions));
    for (const condition of written) condition.ignore();
    return [];
  }
  const isRepeat = repeats();
  return written.flatMap((condition, index) => {
    const text = condition.text("expression");
    const at = section.at("matchConditions").index(index).child("expression");
    if (text.trim() === "") section.fault(at.required());
    else if (isRepeat(text)) section.fault(at.duplicate(text));
    else {
      const expression = identityExpression(text, "request", "bool");
      if (typeof expression !== "string") return [expression];
      section.fault(at.invalid(text, expression));
    }
    return [];
  });
}
