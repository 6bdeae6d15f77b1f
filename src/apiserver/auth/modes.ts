/** Takes the authorization modes of a server; gives the one source of permissions that they make together. */
import type { Authorizer } from "../contracts/authorizer.js";
import type { Store } from "../storage/contract.js";
import { type Authorization, authorizationBy, type Granted } from "./authorize.js";
import { nodeAuthorizer } from "./node/authorizer.js";
import { NodeGraph } from "./node/graph.js";
import { nodeOf } from "./node/identity.js";
import { startRbac } from "./rbac/authorizer.js";

export type AuthorizationMode = "Node" | "RBAC" | "AlwaysAllow" | "AlwaysDeny";

const masters = "system:masters";

/** The modes are asked in their order, and the first that allows decides. Members of `system:masters` may do everything. */
export function authorizationFor(modes: readonly AuthorizationMode[], store: Store): Authorization {
  if (modes.includes("AlwaysAllow")) return authorizationBy();
  const rbac = modes.includes("RBAC") ? startRbac(store) : undefined;
  if (rbac !== undefined && modes.length === 1) return { ...rbac, rbac };
  const graph = modes.includes("Node") ? new NodeGraph(store) : undefined;
  const node = graph && nodeAuthorizer(graph);
  const all = modes.flatMap((mode) =>
    mode === "Node" ? [node ?? []].flat() : mode === "RBAC" ? [rbac?.authorizer ?? []].flat() : [],
  );
  return {
    authorizer: union(all),
    rulesFor(user, namespace): Granted {
      const granted = rbac?.rulesFor(user, namespace) ?? { rules: [], errors: [] };
      if (node === undefined || nodeOf(user) === undefined) return granted;
      const why = "node authorizer does not support user rule resolution";
      return { ...granted, errors: [why, ...granted.errors] };
    },
    ...(rbac === undefined ? {} : { rbac }),
    ...(graph === undefined ? {} : { following: graph }),
  };
}

/** As upstream, a refusal gives the reasons of all. */
function union(authorizers: readonly Authorizer[]): Authorizer {
  return (user, request) => {
    if (user.groups.includes(masters)) return { allowed: true };
    const reasons: string[] = [];
    for (const authorizer of authorizers) {
      const decision = authorizer(user, request);
      if (decision.allowed) return decision;
      if (decision.reason) reasons.push(decision.reason);
    }
    return { allowed: false, reason: reasons.join("\n") };
  };
}
