/** The OpenID configuration and public keys by which others verify service account tokens. */
import type { TokenIssuer } from "../../auth/tokens.js";
import { jsonAnswer } from "../answers/answer.js";
import type { DocumentRoute } from "../route.js";

export function issuerRoute(tokens: TokenIssuer, serverAddress: () => string): DocumentRoute {
  return ({ path }) => {
    if (path === "/openid/v1/jwks") {
      const answer = jsonAnswer(200, tokens.keys().set);
      return { ...answer, headers: { "content-type": "application/jwk-set+json" } };
    }
    if (path !== "/.well-known/openid-configuration") return undefined;
    return jsonAnswer(200, {
      issuer: tokens.issuer,
      jwks_uri: `https://${serverAddress()}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: tokens.keys().algorithms,
    });
  };
}
