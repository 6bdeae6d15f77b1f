/** An authorizer answers whether a user may make a request: at once, or after it has asked another server. */
import type { PolicyRule } from "../../api/index.js";
import type { RequestInfo } from "./request.js";
import type { UserInfo } from "./user.js";

export interface Decision {
  readonly allowed: boolean;
  /** The refusal is final: authorizers behind this one are not asked. */
  readonly denied?: boolean;
  readonly reason?: string;
  /** The reasons why authorizers could not decide. */
  readonly errors?: readonly string[];
}

/** A plain value wherever the answer is in memory, so that a request of a known user waits for nothing. */
export type Authorizer = (user: UserInfo, request: RequestInfo) => Decision | Promise<Decision>;

/** The permissions of a user in a namespace, as far as they are known as rules. */
export interface Granted {
  readonly rules: readonly PolicyRule[];
  /** Errors of bindings whose role does not exist, and of authorizers that know no rules. */
  readonly errors: readonly string[];
  /** Whether the user may have permissions that are not known as rules. Default false. */
  readonly incomplete?: boolean;
}

/** An authorizer for code that cannot wait: throws an Undecided if the answer is not there yet. */
export type Decide = (user: UserInfo, request: RequestInfo) => Decision;

/** Ends a computation whose question must be put to another server. The computation is begun again after the answer. */
export class Undecided extends Error {
  override readonly name = "Undecided";
  readonly answered: Promise<void>;

  constructor(answered: Promise<void>) {
    super("the authorizer has not answered yet");
    this.answered = answered;
  }
}

/** Remembers the answers that had to be waited for, so that a computation that is begun again gets further each time. */
export function atOnce(authorizer: Authorizer): Decide {
  const answers = new Map<string, Decision>();
  return (user, request) => {
    const known = answers.size === 0 ? undefined : answers.get(keyOf(user, request));
    if (known !== undefined) return known;
    const decision = authorizer(user, request);
    if (!(decision instanceof Promise)) return decision;
    throw new Undecided(decision.then((answer) => void answers.set(keyOf(user, request), answer)));
  };
}

const keyOf = (user: UserInfo, request: RequestInfo): string => JSON.stringify([user, request]);

/** Runs a computation that has no effect but its result; gives a promise only if a decision must be waited for. */
export function deciding<T>(authorizer: Authorizer, compute: (decide: Decide) => T): T | Promise<T> {
  const decide = atOnce(authorizer);
  const attempt = (): T | Promise<T> => {
    try {
      return compute(decide);
    } catch (error) {
      if (!(error instanceof Undecided)) throw error;
      return error.answered.then(attempt);
    }
  };
  return attempt();
}
