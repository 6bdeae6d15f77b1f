/** Strategies of admission webhook configurations. */
import {
  fieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  isPortNumber,
  isQualifiedName,
  type MutatingWebhook,
  type MutatingWebhookConfiguration,
  type RuleWithOperations,
  semanticEqual,
  type ValidatingWebhookConfiguration,
  type WebhookClientConfig,
} from "../../../../api/index.js";
import { expressionFault, type Names } from "../../../cel/requests/check.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, each, filled } from "../rules/fill.js";
import { parseUrl } from "../rules/urls.js";
import { alone, formed, type Issues, labelSelector, optionalOneOf, type Path } from "../rules/issues.js";
import { repeats } from "../../../../base/members.js";

/** A mutating webhook has all fields of a validating one. */
type Webhook = MutatingWebhook;
type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

function webhookDefaults(webhook: Webhook, mutating: boolean): Webhook {
  let result = filled(webhook, {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
    ...(mutating ? { reinvocationPolicy: "Never" as const } : {}),
  });
  result = changed(result, "rules", (rules) => each(rules, (rule) => filled(rule, { scope: "*" })));
  return changed(result, "clientConfig", (config) =>
    changed(config, "service", (service) => filled(service, { port: 443 })),
  );
}

function* configurationRules(configuration: Configuration, mutating: boolean): Issues {
  const isRepeat = repeats();
  for (const [at, webhook] of fieldPath("webhooks").items((configuration.webhooks ?? []) as readonly Webhook[])) {
    yield* webhookRules(at, webhook, mutating);
    yield* reviewVersions(at.child("admissionReviewVersions"), webhook.admissionReviewVersions ?? []);
    if (!webhook.name) continue;
    if (isRepeat(webhook.name)) yield at.child("name").duplicate(webhook.name);
  }
}

function* qualifiedDomain(at: Path, name: string): Issues {
  const complaints = isDns1123Subdomain(name);
  if (name === "") yield at.required();
  else if (complaints.length > 0) yield at.invalid(name, complaints.join(","));
  else if (name.split(".").length < 3) {
    yield at.invalid(name, "should be a domain with at least three segments separated by dots");
  }
}

const effects = ["None", "NoneOnDryRun"];

function* webhookRules(at: Path, webhook: Webhook, mutating: boolean): Issues {
  yield* qualifiedDomain(at.child("name"), webhook.name ?? "");
  for (const [here, rule] of at.child("rules").items(webhook.rules)) yield* ruleRules(here, rule);
  yield* optionalOneOf(at.child("failurePolicy"), webhook.failurePolicy, ["Fail", "Ignore"]);
  yield* optionalOneOf(at.child("matchPolicy"), webhook.matchPolicy, ["Equivalent", "Exact"]);
  const sideEffects: string | undefined = webhook.sideEffects;
  if (sideEffects === undefined) yield at.child("sideEffects").required(`must specify one of ${effects.join(", ")}`);
  yield* optionalOneOf(at.child("sideEffects"), sideEffects, effects);
  const { timeoutSeconds: timeout = 10 } = webhook;
  if (timeout > 30 || timeout < 1) {
    yield at.child("timeoutSeconds").invalid(timeout, "the timeout value must be between 1 and 30 seconds");
  }
  yield* labelSelector(at.child("namespaceSelector"), webhook.namespaceSelector);
  yield* labelSelector(at.child("objectSelector"), webhook.objectSelector);
  if (mutating) yield* optionalOneOf(at.child("reinvocationPolicy"), webhook.reinvocationPolicy, ["IfNeeded", "Never"]);
  yield* clientRules(at.child("clientConfig"), webhook.clientConfig ?? {});
  yield* matchConditionRules(at.child("matchConditions"), webhook.matchConditions ?? [], withoutParams);
}

const withoutParams: Names = { params: false, variables: undefined, authorizer: true };

/** Requires an expression that compiles and gives the wanted type. */
export function* expressionRules(
  at: Path,
  expression: string,
  names: Names,
  result: Parameters<typeof expressionFault>[2],
): Issues {
  // an annotation is shown as written, but checked without surrounding space
  const judged = result === "annotation" ? expression.trim() : expression;
  const fault = judged.trim() === "" ? undefined : expressionFault(judged, names, result);
  if (fault === undefined) return;
  yield fault.startsWith("program instantiation failed") ? at.internal(fault) : at.invalid(expression, fault);
}

export function* matchConditionRules(
  at: Path,
  conditions: readonly { readonly name: string; readonly expression: string }[],
  known: Names,
): Issues {
  if (conditions.length > 64) yield at.tooMany(conditions.length, 64);
  const isRepeat = repeats();
  for (const [here, { name, expression }] of at.items(conditions)) {
    if ((expression ?? "").trim() === "") yield here.child("expression").required();
    else yield* expressionRules(here.child("expression"), expression.trim(), known, "bool");
    if (!name) yield here.child("name").required();
    else {
      yield* formed(here.child("name"), name, isQualifiedName(name));
      if (isRepeat(name)) yield here.child("name").duplicate(name);
    }
  }
}

function* several(at: Path, words: readonly string[], plural: string): Issues {
  if (words.length === 0) yield at.required();
  yield* alone(at, words, plural);
}

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

export function* ruleRules(at: Path, rule: RuleWithOperations): Issues {
  const given: readonly string[] = rule.operations ?? [];
  yield* several(at.child("operations"), given, "operations");
  for (const [here, operation] of at.child("operations").items(given)) {
    yield* optionalOneOf(here, operation, operations);
  }
  yield* several(at.child("apiGroups"), rule.apiGroups ?? [], "API groups");
  const versions = rule.apiVersions ?? [];
  yield* several(at.child("apiVersions"), versions, "API versions");
  for (const [place, version] of at.child("apiVersions").items(versions)) {
    if (version === "") yield place.required();
  }
  yield* resources(at.child("resources"), rule.resources ?? []);
  yield* optionalOneOf(at.child("scope"), rule.scope, ["*", "Cluster", "Namespaced"]);
}

/** `pods`, `pods/status`, `pods/*`, `*` and `*` with all subresources; none may repeat another. */
function* resources(at: Path, given: readonly string[]): Issues {
  if (given.length === 0) yield at.required();
  const [wholeResources, wholeSubresources] = [new Set<string>(), new Set<string>()];
  for (const [here, text] of at.items(given)) {
    const slash = text.indexOf("/");
    if (text === "") yield here.required();
    if (slash === -1) continue;
    const [resource, subresource] = [text.slice(0, slash), text.slice(slash + 1)];
    if (wholeResources.has(resource)) {
      yield here.invalid(text, `if '${resource}/*' is present, must not specify ${text}`);
    }
    if (wholeSubresources.has(subresource)) {
      yield here.invalid(text, `if '*/${subresource}' is present, must not specify ${text}`);
    }
    if (subresource === "*") wholeResources.add(resource);
    if (resource === "*") wholeSubresources.add(subresource);
  }
  if (given.length > 1 && given.includes("*/*")) {
    yield at.invalid(given, "if '*/*' is present, must not specify other resources");
  }
  const last = given.filter((text) => text !== "" && !text.includes("/")).at(-1);
  if (given.includes("*") && last !== undefined && last !== "*") {
    yield at.invalid(given, "if '*' is present, must not specify other resources without subresources");
  }
}

const desiredForm = "; desired format: https://host[/path]";

/** Also for the conversion webhooks of custom kinds. */
export function* clientRules(at: Path, { url, service }: WebhookClientConfig): Issues {
  if ((url === undefined) === (service === undefined)) {
    yield at.required("exactly one of url or service is required");
  } else if (url !== undefined) yield* urlRules(at.child("url"), url);
  else if (service !== undefined) {
    const here = at.child("service");
    if (!service.name) yield here.child("namespace").required();
    if (!service.namespace) yield here.child("name").required();
    const complaints = isPortNumber(service.port ?? 443);
    if (complaints.length > 0) {
      yield here.child("port").invalid(service.port, `port is not valid: ${complaints.join(", ")}`);
    }
    yield* pathRules(here.child("path"), service.path ?? "");
  }
}

function* urlRules(at: Path, text: string): Issues {
  const url = parseUrl(text);
  if (typeof url === "string") {
    yield at.required(`url must be a valid URL: ${url}${desiredForm}`);
    return;
  }
  if (url.scheme !== "https") {
    yield at.invalid(url.scheme, `'https' is the only allowed URL scheme${desiredForm}`);
  }
  if (url.host === "") yield at.invalid(url.host, `host must be specified${desiredForm}`);
  if (url.user !== "") yield at.invalid(url.user, "user information is not permitted in the URL");
  if (url.fragment !== "") yield at.invalid(url.fragment, "fragments are not permitted in the URL");
  if (url.query !== "") yield at.invalid(url.query, "query parameters are not permitted in the URL");
}

function* pathRules(at: Path, path: string): Issues {
  if (path === "" || path === "/") return;
  if (path === "//") {
    yield at.invalid(path, "segment[0] may not be empty");
    return;
  }
  if (!path.startsWith("/")) yield at.invalid(path, "must start with a '/'");
  const steps = path.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") yield at.invalid(path, `segment[${index}] may not be empty`);
    else for (const complaint of isDns1123Subdomain(step)) yield at.invalid(path, `segment[${index}]: ${complaint}`);
  }
}

const acceptedVersions = ["v1", "v1beta1"];

function* reviewVersions(at: Path, versions: readonly string[]): Issues {
  if (versions.length === 0) {
    yield at.required(`must specify one of ${acceptedVersions.join(", ")}`);
    return;
  }
  const isRepeat = repeats();
  for (const [here, version] of at.items(versions)) {
    if (isRepeat(version)) yield here.invalid(version, "duplicate version");
    else yield* formed(here, version, isDns1035Label(version));
  }
  if (!versions.some((version) => acceptedVersions.includes(version))) {
    yield at.invalid(versions, `must include at least one of ${acceptedVersions.join(", ")}`);
  }
}

function strategyFor(kind: string, mutating: boolean): Strategy<Configuration> {
  return {
    group: "admissionregistration.k8s.io",
    kind,
    lenient: { finalizers: true },
    allowUnconditionalUpdate: false,
    generation: (now, old) => !semanticEqual(now.webhooks, old.webhooks),
    setDefaults: (configuration) =>
      changed(configuration as MutatingWebhookConfiguration, "webhooks", (webhooks) =>
        each(webhooks, (webhook) => webhookDefaults(webhook, mutating)),
      ),
    validateCreate: (configuration) => configurationRules(configuration, mutating),
  };
}

export const mutatingWebhooksStrategy: Strategy<Configuration> = strategyFor("MutatingWebhookConfiguration", true);
export const validatingWebhooksStrategy: Strategy<Configuration> = strategyFor("ValidatingWebhookConfiguration", false);
