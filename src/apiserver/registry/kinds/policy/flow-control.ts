/** Strategies of flow schemas and priority levels. */
import {
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldPath,
  fieldRequired,
  type FlowSchema as AnyFlowSchema,
  isDns1123Label,
  type LimitResponse,
  type LimitedPriorityLevelConfiguration,
  type NonResourcePolicyRule,
  type PolicyRulesWithSubjects,
  type PriorityLevelConfiguration as AnyPriorityLevel,
  type QueuingConfiguration,
  type ResourcePolicyRule,
} from "../../../../api/index.js";
import type { Strategy } from "../../../contracts/strategy.js";
import { changed, filled } from "../rules/fill.js";
import type { WithSpec } from "../rules/formed.js";
import { dns1123Label, dns1123Subdomain, type Issues, type Path } from "../rules/issues.js";

type FlowSchema = WithSpec<AnyFlowSchema>;
type Subject = NonNullable<PolicyRulesWithSubjects["subjects"]>[number];
type PriorityLevel = WithSpec<AnyPriorityLevel>;

const spec = fieldPath("spec");
const group = "flowcontrol.apiserver.k8s.io";

function* schemaRules({ metadata: { name }, spec: given }: FlowSchema): Issues {
  const { matchingPrecedence: precedence = 0, distinguisherMethod: method, priorityLevelConfiguration: level } = given;
  const at = spec.child("matchingPrecedence");
  if (precedence <= 0) yield fieldInvalid(at, precedence, "must be a positive value");
  if (precedence > 10_000) yield fieldInvalid(at, precedence, "must not be greater than 10000");
  if (precedence === 1 && name !== "exempt") {
    yield fieldInvalid(at, precedence, "only the schema named 'exempt' may have matchingPrecedence 1");
  }
  if (method !== undefined && method.type !== "ByUser" && method.type !== "ByNamespace") {
    const types = ["ByNamespace", "ByUser"];
    yield fieldNotSupported(spec.child("distinguisherMethod", "type"), { Type: method.type }, types);
  }
  const levelAt = spec.child("priorityLevelConfiguration", "name");
  if (!level.name) yield fieldRequired(levelAt, "must reference a priority level");
  else yield* dns1123Subdomain(levelAt, level.name);
  for (const [index, rule] of (given.rules ?? []).entries()) yield* ruleRules(spec.child("rules").index(index), rule);
}

function* ruleRules(at: Path, rule: PolicyRulesWithSubjects): Issues {
  const { resourceRules = [], nonResourceRules = [] } = rule;
  const subjects = rule.subjects ?? [];
  for (const [index, subject] of subjects.entries()) yield* subjectRules(at.child("subjects").index(index), subject);
  if (subjects.length === 0) yield fieldRequired(at.child("subjects"), "subjects must contain at least one value");
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    yield fieldRequired(at, "at least one of resourceRules and nonResourceRules has to be non-empty");
  }
  for (const [index, one] of resourceRules.entries()) yield* resourceRule(at.child("resourceRules").index(index), one);
  for (const [index, one] of nonResourceRules.entries())
    yield* pathRule(at.child("nonResourceRules").index(index), one);
}

const subjectKinds = { ServiceAccount: "serviceAccount", User: "user", Group: "group" } as const;

function* subjectRules(at: Path, subject: Subject): Issues {
  const { kind } = subject;
  if (!Object.hasOwn(subjectKinds, kind)) {
    yield fieldNotSupported(at.child("kind"), kind, ["Group", "ServiceAccount", "User"]);
    return;
  }
  const own = subjectKinds[kind as keyof typeof subjectKinds];
  const named = subject[own];
  const here = at.child(own);
  if (named === undefined) yield fieldRequired(here, `${own} is required when subject kind is '${kind}'`);
  else if (!named.name) yield fieldRequired(here.child("name"));
  if (own === "serviceAccount" && subject.serviceAccount !== undefined) {
    const { name, namespace } = subject.serviceAccount;
    if (name && name !== "*") yield* dns1123Subdomain(here.child("name"), name);
    if (namespace) yield* dns1123Label(here.child("namespace"), namespace);
    else yield fieldRequired(here.child("namespace"), "must specify namespace for service account");
  }
  const order = own === "serviceAccount" ? ["User", "Group"] : ["ServiceAccount", own === "user" ? "Group" : "User"];
  for (const other of order as (keyof typeof subjectKinds)[]) {
    const field = subjectKinds[other];
    if (subject[field] === undefined) continue;
    yield fieldForbidden(at.child(field), `${field} is forbidden when subject kind is not '${other}'`);
  }
}

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

function* verbRules(at: Path, given: readonly string[]): Issues {
  if (given.length === 0) yield fieldRequired(at, "verbs must contain at least one value");
  else if (given.includes("*")) yield* alone(at, given, "verbs");
  else if (given.some((verb) => !verbs.includes(verb))) yield fieldNotSupported(at, given, verbs);
}

function* alone(at: Path, given: readonly string[], what: string): Issues {
  if (given.length > 1 && given.includes("*")) {
    yield fieldInvalid(at, given, `if '*' is present, must not specify other ${what}`);
  }
}

function* resourceRule(at: Path, rule: ResourcePolicyRule): Issues {
  const { apiGroups, resources, namespaces = [], clusterScope = false } = rule;
  yield* verbRules(at.child("verbs"), rule.verbs ?? []);
  for (const [field, list, one, many] of [
    ["apiGroups", apiGroups ?? [], "api group", "api groups"],
    ["resources", resources ?? [], "resource", "resources"],
  ] as const) {
    if (list.length === 0) yield fieldRequired(at.child(field), `resource rules must supply at least one ${one}`);
    else yield* alone(at.child(field), list, many);
  }
  const here = at.child("namespaces");
  if (namespaces.length === 0 && !clusterScope) {
    yield fieldRequired(here, "resource rules that are not cluster scoped must supply at least one namespace");
  } else if (namespaces.includes("*")) yield* alone(here, namespaces, "namespaces");
  else {
    for (const [index, name] of namespaces.entries()) {
      for (const complaint of isDns1123Label(name)) {
        const why = `each member of this list must be '*' or a DNS-1123 label; ${complaint}`;
        yield fieldInvalid(here.index(index), name, why);
      }
    }
  }
}

function* pathRule(at: Path, rule: NonResourcePolicyRule): Issues {
  const paths = rule.nonResourceURLs ?? [];
  const here = at.child("nonResourceURLs");
  yield* verbRules(at.child("verbs"), rule.verbs ?? []);
  if (paths.length === 0) yield fieldRequired(here, "nonResourceURLs must contain at least one value");
  else if (paths.includes("*")) yield* alone(here, paths, "non-resource URLs");
  else {
    for (const [index, path] of paths.entries()) {
      const wrong = pathComplaint(path);
      if (wrong !== undefined) yield fieldInvalid(here.index(index), path, wrong);
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
  validateCreate: (schema) => [...schemaRules(schema)],
  validateUpdate: (schema) => [...schemaRules(schema)],
  status: { validateUpdate: ({ status }) => [...statusRules(status?.conditions)] },
};

function* levelRules({ metadata: { name }, spec: given }: PriorityLevel): Issues {
  const { type, limited, exempt } = given;
  if ((name === "exempt") !== (type === "Exempt")) {
    yield fieldInvalid(spec.child("type"), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  }
  if (type === "Exempt") {
    if (limited !== undefined) yield fieldForbidden(spec.child("limited"), "must be nil if the type is not Limited");
    yield* shares(spec.child("exempt"), exempt ?? {});
  } else if (type === "Limited") {
    if (exempt !== undefined) yield fieldForbidden(spec.child("exempt"), "must be nil if the type is Limited");
    if (limited === undefined) yield fieldRequired(spec.child("limited"), "must not be empty when type is Limited");
    else yield* limitedRules(spec.child("limited"), limited);
  } else if (type === "") yield fieldRequired(spec.child("type"));
  else yield fieldNotSupported(spec.child("type"), type, ["Exempt", "Limited"]);
}

interface Shares {
  readonly nominalConcurrencyShares?: number;
  readonly lendablePercent?: number;
}

function* shares(at: Path, { nominalConcurrencyShares: nominal = 0, lendablePercent: lent = 0 }: Shares): Issues {
  if (nominal < 0) yield fieldInvalid(at.child("nominalConcurrencyShares"), nominal, "must be a non-negative integer");
  if (lent < 0 || lent > 100) {
    yield fieldInvalid(at.child("lendablePercent"), lent, "must be between 0 and 100, inclusive");
  }
}

function* limitedRules(at: Path, given: LimitedPriorityLevelConfiguration): Issues {
  yield* shares(at, given);
  yield* responseRules(at.child("limitResponse"), given.limitResponse ?? ({} as LimitResponse));
  const { borrowingLimitPercent: borrowed = 0 } = given;
  if (borrowed < 0) {
    yield fieldInvalid(at.child("borrowingLimitPercent"), borrowed, "if specified, must be a non-negative integer");
  }
}

function* responseRules(at: Path, { type, queuing }: LimitResponse): Issues {
  const here = at.child("queuing");
  if (type === "Reject") {
    if (queuing !== undefined) yield fieldForbidden(here, "must be nil if limited.limitResponse.type is not Limited");
  } else if (type === "Queue") {
    if (queuing === undefined) yield fieldRequired(here, "must not be empty if limited.limitResponse.type is Limited");
    else yield* queueRules(here, queuing);
  } else if (!type) yield fieldRequired(at.child("type"));
  else yield fieldNotSupported(at.child("type"), type, ["Queue", "Reject"]);
}

const mostQueues = 10_000_000;
const hashBits = 60;

function* queueRules(
  at: Path,
  { queueLengthLimit: length = 0, queues = 0, handSize = 0 }: QueuingConfiguration,
): Issues {
  if (length <= 0) yield fieldInvalid(at.child("queueLengthLimit"), length, "must be positive");
  if (queues <= 0) yield fieldInvalid(at.child("queues"), queues, "must be positive");
  else if (queues > mostQueues)
    yield fieldInvalid(at.child("queues"), queues, `must not be greater than ${mostQueues}`);
  const here = at.child("handSize");
  if (handSize <= 0) yield fieldInvalid(here, handSize, "must be positive");
  else if (handSize > queues) yield fieldInvalid(here, handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > hashBits) {
    const needed = `required entropy bits of deckSize ${queues} and handSize ${handSize}`;
    yield fieldInvalid(here, handSize, `${needed} should not be greater than ${hashBits}`);
  }
}

/** The bits of a hash that dealing such a hand from such a deck takes. */
function entropyBits(deck: number, hand: number): number {
  let bits = 0;
  for (let card = 0; card < hand && bits <= hashBits; card++) bits += Math.log2(deck - card);
  return Math.ceil(bits);
}

function* statusRules(conditions: readonly { readonly type?: string }[] = []): Issues {
  const at = fieldPath("status", "conditions");
  const seen = new Set<string>();
  for (const [index, { type = "" }] of conditions.entries()) {
    if (seen.has(type)) yield fieldDuplicate(at.index(index).child("type"), type);
    seen.add(type);
    if (type === "") yield fieldRequired(at.index(index).child("type"));
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
  validateCreate: (level) => [...levelRules(level)],
  validateUpdate: (level) => [...levelRules(level)],
  status: { validateUpdate: ({ status }) => [...statusRules(status?.conditions)] },
};

/** 0 counts as absent here. */
const queueDefaults = (queuing: QueuingConfiguration): QueuingConfiguration => ({
  ...queuing,
  handSize: queuing.handSize || 8,
  queues: queuing.queues || 64,
  queueLengthLimit: queuing.queueLengthLimit || 50,
});
