/** Bearer tokens: takes the ways by which tokens are known; gives one that tries them in their order. */
import { joinedErrors } from "../../api/errors/field-error.js";
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
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => Verdict | Promise<Verdict>;

/** Gives the user, or all errors as one text. */
export type TokenUnion = (
  token: string,
  audiences: readonly string[],
) => TokenUser | BadToken | Promise<TokenUser | BadToken>;

const nobody = "invalid bearer token";

/** The first that knows the user decides. As upstream, a refusal gives the reasons of all. */
export function tokenUnion(authenticators: readonly TokenAuthenticator[]): TokenUnion {
  const from = (first: number, sent: Sent): ReturnType<TokenUnion> => {
    for (let index = first; index < authenticators.length; index++) {
      const verdict = authenticators[index]?.(sent.token, sent.audiences);
      if (verdict === undefined) continue;
      if (verdict instanceof Promise) return verdict.then((late) => heard(late, sent) ?? from(index + 1, sent));
      const user = heard(verdict, sent);
      if (user !== undefined) return user;
    }
    return { type: "refused", why: joinedErrors([nobody, ...sent.errors]) };
  };
  return (token, audiences) => from(0, { token, audiences, errors: [] });
}

/** A token that is being judged, with the reasons against it so far. */
interface Sent {
  readonly token: string;
  readonly audiences: readonly string[];
  readonly errors: string[];
}

function heard(verdict: Verdict, { errors }: Sent): TokenUser | undefined {
  if (verdict?.type === "refused") errors.push(verdict.why);
  return verdict?.type === "user" ? verdict : undefined;
}

/** Tokens without audiences are good for those of the server itself. */
export function forOwnAudiences(
  own: readonly string[],
  lookUp: (token: string) => UserInfo | BadToken | undefined | Promise<UserInfo | BadToken | undefined>,
): TokenAuthenticator {
  return (token, wanted) => {
    const audiences = own.filter((audience) => wanted.includes(audience));
    if (audiences.length === 0) return undefined;
    const verdict = (found: UserInfo | BadToken | undefined): Verdict =>
      found === undefined || "type" in found ? found : { type: "user", user: found, audiences };
    const found = lookUp(token);
    return found instanceof Promise ? found.then(verdict) : verdict(found);
  };
}
