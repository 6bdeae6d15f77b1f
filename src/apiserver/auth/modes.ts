/** Takes the authorizers of a server in their order; gives the one source of permissions that they make together. */
import type { PolicyRule } from "../../api/index.js";
import { after, type Awaitable, firstAnswer } from "../../base/time/awaitable.js";
import { defined } from "../../base/defined.js";
import type { Authorizer, Decision, Granted } from "../contracts/authorizer.js";
import type { RequestInfo } from "../contracts/request.js";
import { mastersGroup, type UserInfo } from "../contracts/user.js";
import type { Store } from "../storage/contract.js";
import type { AuthorizationMode } from "./remote/configuration.js";
import type { RuledAuthorizer } from "./abac/authorizer.js";
import { allRules, type Authorization, authorizationBy } from "./authorize.js";
import { nodeAuthorizer } from "./node/authorizer.js";
import { NodeGraph } from "./node/graph.js";
import { nodeOf } from "./node/identity.js";
import { startRbac } from "./rbac/authorizer.js";

/** A mode, an authorizer that asks a webhook, or one that knows its rules. */
export type Link = AuthorizationMode | Authorizer | RuledAuthorizer;

/** The authorizers that are in force; another list after a reload. Modes do not come or go. */
export type Chain = () => readonly Link[];

/** The authorizers are asked in their order, and the first that allows or denies decides. Members of `system:masters` may do everything. */
export function authorizationFor(chain: Chain, store: Store): Authorization {
  const links = chain();
  const isPlain = links.every((link) => typeof link === "string");
  if (isPlain && links.includes("AlwaysAllow")) return authorizationBy();
  const rbac = links.includes("RBAC") ? startRbac(store) : undefined;
  if (rbac !== undefined && links.length === 1) return { ...rbac, rbac };
  const graph = links.includes("Node") ? new NodeGraph(store) : undefined;
  const node = graph && nodeAuthorizer(graph);
  const modes: Modes = {
    Node: node,
    RBAC: rbac?.authorizer,
    AlwaysAllow: () => ({ allowed: true }),
    AlwaysDeny: () => ({ allowed: false, reason: "Everything is forbidden by the administrator." }),
  };
  const rulesOf = (link: Link, user: UserInfo, namespace: string): Granted => {
    if (typeof link === "function") return { ...nothing, errors: [noRules("webhook")], incomplete: true };
    if (typeof link === "object") return link.rulesFor(user, namespace);
    if (link === "RBAC") return rbac?.rulesFor(user, namespace) ?? nothing;
    if (link === "Node") return nodeOf(user) === undefined ? nothing : { rules: [], errors: [noRules("node")] };
    return link === "AlwaysAllow" ? allRules : nothing;
  };
  return {
    authorizer: union(chain, modes),
    rulesFor(user, namespace): Granted {
      const granted = chain().map((link) => rulesOf(link, user, namespace));
      const rules: readonly PolicyRule[] = granted.flatMap((one) => one.rules);
      const errors = granted.flatMap((one) => one.errors);
      return { rules, errors, incomplete: granted.some(({ incomplete = false }) => incomplete) };
    },
    ...defined({ rbac, following: graph }),
  };
}

const nothing: Granted = { rules: [], errors: [] };
const noRules = (type: string): string => `${type} authorizer does not support user rule resolution`;

type Modes = Readonly<Record<AuthorizationMode, Authorizer | undefined>>;

/** As upstream, a refusal gives the reasons of all. */
function union(chain: Chain, modes: Modes): Authorizer {
  let known: readonly Link[] = [];
  let authorizers: readonly Authorizer[] = [];
  return (user, request) => {
    if (user.groups.includes(mastersGroup)) return { allowed: true };
    const links = chain();
    if (links !== known) {
      known = links;
      authorizers = links.flatMap((link) => {
        if (typeof link === "string") return modes[link] ?? [];
        return typeof link === "object" ? link.authorizer : link;
      });
    }
    return inTurn(authorizers, user, request);
  };
}

function inTurn(authorizers: readonly Authorizer[], user: UserInfo, request: RequestInfo): Awaitable<Decision> {
  const reasons: string[] = [];
  const errors: string[] = [];
  /** Undefined if the next one is to be asked. */
  const heard = (decision: Decision): Decision | undefined => {
    if (decision.allowed || decision.denied === true) return decision;
    if (decision.reason) reasons.push(decision.reason);
    errors.push(...(decision.errors ?? []));
    return undefined;
  };
  const final = firstAnswer(authorizers, (ask) => after(ask(user, request), heard));
  return after(final, (decision) => {
    if (decision !== undefined) return decision;
    const reason = reasons.join("\n");
    return errors.length === 0 ? { allowed: false, reason } : { allowed: false, reason, errors };
  });
}
