/**
 * subresources: gives the verbs of subresources that are not a part of the stored object: binding, eviction, scale,
 * tokens, connections to nodes.
 */
import type { TokenIssuer } from "../auth/tokens.js";
import type { OwnVerbs } from "../http/route.js";
import { bindingVerb } from "./binding.js";
import { connectVerb, logVerb, type NodeBackend } from "./connect.js";
import { connecting } from "./connecting.js";
import { evictionVerb } from "./eviction.js";
import { nodeProxyVerb, podProxyVerb, serviceProxyVerb } from "./proxy.js";
import { scaleVerb } from "./scale.js";
import { tokenVerb } from "./token.js";

export interface SubresourceOptions {
  readonly tokens: TokenIssuer;
  /** Answers for the nodes; undefined: there is nothing to connect to. */
  readonly nodes: NodeBackend | undefined;
}

export function subresourceVerbs({ tokens, nodes }: SubresourceOptions): OwnVerbs {
  return new Map([
    ["/bindings", bindingVerb],
    ["/pods/binding", bindingVerb],
    ["/pods/eviction", evictionVerb],
    ["/pods/log", logVerb(nodes)],
    ["/pods/exec", connecting(connectVerb(nodes))],
    ["/pods/attach", connecting(connectVerb(nodes))],
    ["/pods/portforward", connecting(connectVerb(nodes))],
    ["/pods/proxy", connecting(podProxyVerb(nodes))],
    ["/nodes/proxy", connecting(nodeProxyVerb)],
    ["/services/proxy", connecting(serviceProxyVerb)],
    ["/serviceaccounts/token", tokenVerb(tokens)],
    ["apps/deployments/scale", scaleVerb],
    ["apps/replicasets/scale", scaleVerb],
    ["apps/statefulsets/scale", scaleVerb],
    ["/replicationcontrollers/scale", scaleVerb],
    ["*/scale", scaleVerb],
  ]);
}
