/** special: resources and subresources that are more, or less, than an object in the store. To routing. */
import type { Authenticator } from "../auth/authenticate.js";
import type { Authorizer } from "../auth/authorize.js";
import type { TokenIssuer } from "../auth/tokens.js";
import type { SpecialRoutes } from "../http/route.js";
import { bindingVerb } from "./binding.js";
import { evictionVerb } from "./eviction.js";
import { reviewVerbs } from "./reviews.js";
import { scaleVerb } from "./scale.js";
import { tokenVerb } from "./token.js";

export interface SpecialOptions {
  readonly authorizer: Authorizer;
  readonly authenticators: readonly Authenticator[];
  readonly tokens: TokenIssuer;
}

export function specialRoutes({ authorizer, authenticators, tokens }: SpecialOptions): SpecialRoutes {
  return new Map([
    ["/bindings", bindingVerb],
    ["/pods/binding", bindingVerb],
    ["/pods/eviction", evictionVerb],
    ["/serviceaccounts/token", tokenVerb(tokens)],
    ["apps/deployments/scale", scaleVerb],
    ["apps/replicasets/scale", scaleVerb],
    ["apps/statefulsets/scale", scaleVerb],
    ["/replicationcontrollers/scale", scaleVerb],
    ["*/scale", scaleVerb],
    ...reviewVerbs(authorizer, authenticators),
  ]);
}
