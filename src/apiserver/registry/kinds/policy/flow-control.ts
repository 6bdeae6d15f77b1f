/** Strategies of flow schemas and priority levels. */
import {
  fieldPath,
  type FlowSchema as AnyFlowSchema,
  isDns1123Label,
  type LimitResponse,
  type LimitedPriorityLevelConfiguration,
  type NonResourcePolicyRule,
  type PolicyRulesWithSubjects,
  type PriorityLevelConfiguration as AnyPriorityLevel,
  type QueuingConfiguration,
  type ResourcePolicyRule,
  type ExemptPriorityLevelConfiguration,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { alone, dns1123Label, dns1123Subdomain, type Issues, oneOf, type Path, required } from "../rules/issues.js";
import { repeats } from "../../../../base/members.js";

type FlowSchema = WithSpec<AnyFlowSchema>;
type Subject = NonNullable<PolicyRulesWithSubjects["subjects"]>[number];
type PriorityLevel = WithSpec<AnyPriorityLevel>;

const spec = fieldPath("spec");
const group = "flowcontrol.apiserver.k8s.io";

function* schemaRules({ metadata: { name }, spec: given }: FlowSchema): Issues {
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method, priorityLevelConfiguration: level } = given;
  const at = spec.child("matchingPrecedence");
  if (precedence <= 0) yield at.invalid(precedence, "must be a positive value");
  if (precedence > 10_000) yield at.invalid(precedence, "must not be greater than 10000");
  if (precedence === 1 && name !== "exempt") {
    yield at.invalid(precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (method !== undefined && method.type !== "ByUser" && method.type !== "ByNamespace") {
    const types = ["ByNamespace", "ByUser"];
    yield spec.child("distinguisherMethod", "type").notSupported({ Type: method.type }, types);
  }
  const levelAt = spec.child("priorityLevelConfiguration", "name");
  yield* required(levelAt, level.name, dns1123Subdomain, "must reference a priority level");
  for (const [here, rule] of spec.child("rules").items(given.rules)) yield* ruleRules(here, rule);
}

function* ruleRules(at: Path, rule: PolicyRulesWithSubjects): Issues {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  for (const [here, subject] of at.child("subjects").items(subjects)) yield* subjectRules(here, subject);
  if (subjects.length === 0) yield at.child("subjects").required("subjects must contain at least one value");
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    yield at.required("at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [place, one] of at.child("resourceRules").items(resourceRules)) yield* resourceRule(place, one);
  for (const [itemAt, one] of at.child("nonResourceRules").items(nonResourceRules)) yield* pathRule(itemAt, one);
}

const subjectKinds = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* subjectRules(at: Path, subject: Subject): Issues {
  const { kind } = subject;
  if (!Object.hasOwn(subjectKinds, kind)) {
    yield at.child("kind").notSupported(kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const own = subjectKinds[kind as keyof typeof subjectKinds];
  const named = subject[own];
  const here = at.child(own);
  if (named === undefined) yield here.required(`${own} is required when subject kind is '${kind}'`);
  else if (!named.name) yield here.child("name").required();
  if (own === "serviceAccount" && subject.serviceAccount !== undefined) {
    const { name, namespace } = subject.serviceAccount;
    if (name && name !== "*") yield* dns1123Subdomain(here.child("name"), name);
    if (namespace) yield* dns1123Label(here.child("namespace"), namespace);
    else yield here.child("namespace").required("must specify namespace for service account");
  }
  const order = own === "serviceAccount" ? ["User", "Group"] : ["ServiceAccount", own === "user" ? "Group" : "User"];
  for (const other of order as (keyof typeof subjectKinds)[]) {
    const field = subjectKinds[other];
    if (subject[field] === undefined) continue;
    yield at.child(field).forbidden(`${field} is forbidden when subject kind is not '${other}'`);
  }
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function* verbRules(at: Path, given: readonly string[]): Issues {
  if (given.length === 0) yield at.required("verbs must contain at least one value");
  else if (given.includes("*")) yield* alone(at, given, "verbs");
  else if (given.some((verb) => !verbs.includes(verb))) yield at.notSupported(given, verbs);
}

function* resourceRule(at: Path, rule: ResourcePolicyRule): Issues {
  const { apiGroups, resources, namespaces = [], clusterScope = false } = rule;
  yield* verbRules(at.child("verbs"), rule.verbs ?? []);
  for (const [field, list, one, many] of [
    ["apiGroups", apiGroups ?? [], "api group", "api groups"],
    ["resources", resources ?? [], "resource", "resources"],
  ] as const) {
    if (list.length === 0) yield at.child(field).required(`resource rules must supply at least one ${one}`);
    else yield* alone(at.child(field), list, many);
  }
  const here = at.child("namespaces");
  if (namespaces.length === 0 && !clusterScope) {
    yield here.required("resource rules that are not cluster scoped must supply at least one namespace");
  } else if (namespaces.includes("*")) yield* alone(here, namespaces, "namespaces");
  else {
    for (const [place, name] of here.items(namespaces)) {
      for (const complaint of isDns1123Label(name)) {
        const why = `each member of this list must be '*' or a DNS-1123 label; ${complaint}`;
        yield place.invalid(name, why);
      }
    }
  }
}

function* pathRule(at: Path, rule: NonResourcePolicyRule): Issues {
  const paths = rule.nonResourceURLs ?? [];
  const here = at.child("nonResourceURLs");
  yield* verbRules(at.child("verbs"), rule.verbs ?? []);
  if (paths.length === 0) yield here.required("nonResourceURLs must contain at least one value");
  else if (paths.includes("*")) yield* alone(here, paths, "non-resource URLs");
  else {
    for (const [place, path] of here.items(paths)) {
      const wrong = pathComplaint(path);
      if (wrong !== undefined) yield place.invalid(path, wrong);
    }
  }
}

function pathComplaint(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (path === "/") return undefined;
  if (!path.startsWith("/")) return "must start with slash";
  if (path.includes(" ")) return "must not contain white-space";
  if (path.includes("//")) return "must not contain double slash";
  const stars = path.split("*").length - 1;
  return stars > 1 || (stars === 1 && !path.endsWith("/*")) ? "wildcard can only do suffix matching" : undefined;
}

export const flowSchemaStrategy: Strategy<FlowSchema> = {
  group,
  kind: "FlowSchema",
  generation: "spec",
  setDefaults: (schema) =>
    changed(schema, "spec", (given) => (given.matchingPrecedence ? given : { ...given, matchingPrecedence: 1000 })),
  validateCreate: schemaRules,
  status: { validateUpdate: statusRules },
};

function* levelRules({ metadata: { name }, spec: given }: PriorityLevel): Issues {
  const { type, limited, exempt } = given;
  if ((name === "exempt") !== (type === "Exempt")) {
    yield spec.child("type").invalid(type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type === "Exempt") {
    if (limited !== undefined) yield spec.child("limited").forbidden("must be nil if the type is not Limited");
    yield* shares(spec.child("exempt"), exempt ?? {});
  } else if (type === "Limited") {
    if (exempt !== undefined) yield spec.child("exempt").forbidden("must be nil if the type is Limited");
    yield* required(spec.child("limited"), limited, limitedRules, "must not be empty when type is Limited");
  } else yield* oneOf(spec.child("type"), type, ["Exempt", "Limited"]);
}

function* shares(
  at: Path,
  { nominalConcurrencyShares: nominal = 0, lendablePercent: lent = 0 }: ExemptPriorityLevelConfiguration,
): Issues {
  if (nominal < 0) yield at.child("nominalConcurrencyShares").invalid(nominal, "must be a non-negative integer");
  if (lent < 0 || lent > 100) {
    yield at.child("lendablePercent").invalid(lent, "must be between 0 and 100, inclusive");
  }
}

function* limitedRules(at: Path, given: LimitedPriorityLevelConfiguration): Issues {
  yield* shares(at, given);
  yield* responseRules(at.child("limitResponse"), given.limitResponse ?? ({} as LimitResponse));
  const { borrowingLimitPercent: borrowed = 0 } = given;
  if (borrowed < 0) {
    yield at.child("borrowingLimitPercent").invalid(borrowed, "if specified, must be a non-negative integer");
  }
}

function* responseRules(at: Path, { type, queuing }: LimitResponse): Issues {
  const here = at.child("queuing");
  if (type === "Reject") {
    if (queuing !== undefined) yield here.forbidden("must be nil if limited.limitResponse.type is not Limited");
  } else if (type === "Queue") {
    yield* required(here, queuing, queueRules, "must not be empty if limited.limitResponse.type is Limited");
  } else yield* oneOf(at.child("type"), type, ["Queue", "Reject"]);
}

const mostQueues = 10_000_000;
const hashBits = 60;

function* queueRules(
  at: Path,
  { queueLengthLimit: length = 0, queues = 0, handSize = 0 }: QueuingConfiguration,
): Issues {
  if (length <= 0) yield at.child("queueLengthLimit").invalid(length, "must be positive");
  if (queues <= 0) yield at.child("queues").invalid(queues, "must be positive");
  else if (queues > mostQueues) yield at.child("queues").invalid(queues, `must not be greater than ${mostQueues}`);
  const here = at.child("handSize");
  if (handSize <= 0) yield here.invalid(handSize, "must be positive");
  else if (handSize > queues) yield here.invalid(handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > hashBits) {
    const needed = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    yield here.invalid(handSize, `${needed} should not be greater than ${hashBits}`);
  }
}

/** The bits of a hash that dealing such a hand from such a deck takes. */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let card = 0; card < hand && bits <= hashBits; card++) bits += Math.log2(deck - card);
  return Math.ceil(bits);
}

function* statusRules({ status }: FlowSchema | PriorityLevel): Issues {
  const isRepeat = repeats();
  for (const [here, { type = "" }] of fieldPath("status", "conditions").items<{ readonly type?: string }>(
    status?.conditions,
  )) {
    if (isRepeat(type)) yield here.child("type").duplicate(type);
    if (type === "") yield here.child("type").required();
  }
}

export const priorityLevelStrategy: Strategy<PriorityLevel> = {
  group,
  kind: "PriorityLevelConfiguration",
  generation: "spec",
  setDefaults: (level) =>
    changed(level, "spec", (given) => {
      const free = changed(given, "exempt", (one) => filled(one, { nominalConcurrencyShares: 0, lendablePercent: 0 }));
      return changed(free, "limited", (limited) => {
        const shared = filled(limited, { nominalConcurrencyShares: 30, lendablePercent: 0 });
        return changed(shared, "limitResponse", (response) => changed(response, "queuing", queueDefaults));
      });
    }),
  validateCreate: levelRules,
  status: { validateUpdate: statusRules },
};

/** 0 counts as absent here. */
const queueDefaults = (queuing: QueuingConfiguration): QueuingConfiguration => ({
  ...queuing,
  handSize: queuing.handSize || 8,
  queues: queuing.queues || 64,
  queueLengthLimit: queuing.queueLengthLimit || 50,
});
