/** special: resources and subresources that are more, or less, than an object in the store. To routing. */
import type { Authorization } from "../auth/authorize.js";
import type { TokenIssuer } from "../auth/tokens.js";
import type { UserInfo } from "../auth/user.js";
import type { SpecialRoutes } from "../http/route.js";
import { bindingVerb } from "./binding.js";
import { connectVerb, logVerb, type NodeBackend, proxyVerb } from "./connect.js";
import { evictionVerb } from "./eviction.js";
import { reviewVerbs } from "./reviews.js";
import { scaleVerb } from "./scale.js";
import { tokenVerb } from "./token.js";

export interface SpecialOptions {
  readonly authorization: Authorization;
  /** The user of a static token, if there is one. */
  userOfToken(token: string): UserInfo | undefined;
  readonly tokens: TokenIssuer;
  /** What stands for the nodes. */
  readonly nodes: NodeBackend | undefined;
}

export function specialRoutes({ authorization, tokens, nodes, userOfToken }: SpecialOptions): SpecialRoutes {
  return new Map([
    ["/bindings", bindingVerb],
    ["/pods/binding", bindingVerb],
    ["/pods/eviction", evictionVerb],
    ["/pods/log", logVerb(nodes)],
    ["/pods/exec", connectVerb(nodes)],
    ["/pods/attach", connectVerb(nodes)],
    ["/pods/portforward", connectVerb(nodes)],
    ["/pods/proxy", connectVerb(nodes)],
    ["/nodes/proxy", proxyVerb],
    ["/services/proxy", proxyVerb],
    ["/serviceaccounts/token", tokenVerb(tokens)],
    ["apps/deployments/scale", scaleVerb],
    ["apps/replicasets/scale", scaleVerb],
    ["apps/statefulsets/scale", scaleVerb],
    ["/replicationcontrollers/scale", scaleVerb],
    ["*/scale", scaleVerb],
    ...reviewVerbs({ authorization, tokens, userOfToken }),
  ]);
}
