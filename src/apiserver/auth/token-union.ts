/** Bearer tokens: takes the ways by which tokens are known; gives one that tries them in their order. */
import { joinedErrors } from "../../api/errors/field-error.js";
import { after, type Awaitable, firstAnswer } from "../../base/time/awaitable.js";
import type { UserInfo } from "../contracts/user.js";

/** The user of a token, and the requested audiences for which the token is good. */
interface TokenUser {
  readonly type: "user";
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** A token that names a sort of tokens, but is not good. */
export interface BadToken {
  readonly type: "refused";
  readonly why: string;
}

type Verdict = TokenUser | BadToken | undefined;

/** Undefined for a token of another sort. A promise only if another server has to be asked. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Awaitable<Verdict>;

/** Gives the user, or all errors as one text. */
export type TokenUnion = (token: string, audiences: readonly string[]) => Awaitable<TokenUser | BadToken>;

const nobody = "invalid bearer token";

/** The first that knows the user decides. As upstream, a refusal gives the reasons of all. */
export function tokenUnion(authenticators: readonly TokenAuthenticator[]): TokenUnion {
  return (token, audiences) => {
    const errors = [nobody];
    const heard = (verdict: Verdict): TokenUser | undefined => {
      if (verdict?.type === "refused") errors.push(verdict.why);
      return verdict?.type === "user" ? verdict : undefined;
    };
    const known = firstAnswer(authenticators, (ask) => after(ask(token, audiences), heard));
    return after(known, (user) => user ?? { type: "refused", why: joinedErrors(errors) });
  };
}

/** Tokens without audiences are good for those of the server itself. */
export function forOwnAudiences(
  own: readonly string[],
  lookUp: (token: string) => Awaitable<UserInfo | BadToken | undefined>,
): TokenAuthenticator {
  return (token, wanted) => {
    const audiences = own.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) return undefined;
    const verdict = (found: UserInfo | BadToken | undefined): Verdict =>
      found === undefined || "type" in found ? found : { type: "user", user: found, audiences };
    return after(lookUp(token), verdict);
  };
}
