/**
 * subresources: gives the verbs of subresources that are not a part of the stored object: binding, eviction, scale,
 * tokens, connections to nodes.
 */
import type { TokenIssuer } from "../auth/tokens.js";
import type { OwnVerbs } from "../http/route.js";
import { bindingVerb } from "./binding.js";
import type { Kubelets } from "../kubelet/kubelets.js";
import { connectVerb, logVerb } from "./connect.js";
import { connecting } from "./connecting.js";
import { evictionVerb } from "./eviction.js";
import { nodeProxyVerb, podProxyVerb, type PodNetwork, serviceProxyVerb } from "./proxy.js";
import { scaleVerb } from "./scale.js";
import { tokenVerb } from "./token.js";

export interface SubresourceOptions {
  readonly tokens: TokenIssuer;
  readonly kubelets: Kubelets;
  readonly podNetwork: PodNetwork | undefined;
}

export function subresourceVerbs({ tokens, ...places }: SubresourceOptions): OwnVerbs {
  const { kubelets } = places;
  return new Map([
    ["/bindings", bindingVerb],
    ["/pods/binding", bindingVerb],
    ["/pods/eviction", evictionVerb],
    ["/pods/log", logVerb(kubelets)],
    ["/pods/exec", connecting(connectVerb(kubelets))],
    ["/pods/attach", connecting(connectVerb(kubelets))],
    ["/pods/portforward", connecting(connectVerb(kubelets))],
    ["/pods/proxy", connecting(podProxyVerb(places))],
    ["/nodes/proxy", connecting(nodeProxyVerb(places))],
    ["/services/proxy", connecting(serviceProxyVerb(places))],
    ["/serviceaccounts/token", tokenVerb(tokens)],
    ["apps/deployments/scale", scaleVerb],
    ["apps/replicasets/scale", scaleVerb],
    ["apps/statefulsets/scale", scaleVerb],
    ["/replicationcontrollers/scale", scaleVerb],
    ["*/scale", scaleVerb],
  ]);
}
