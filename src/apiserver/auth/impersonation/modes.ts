/**
 * Decides whether a user may make a request in another's name: by the modes of constrained impersonation, each with a
 * permission for the request and permissions for every part of the other identity, or by the old permission for all
 * requests (KEP-5284).
 */
import { StatusError } from "../../../api/index.js";
import { joinedErrors } from "../../../api/errors/field-error.js";
import { type MetricsRegistry, Recent } from "../../../base/index.js";
import { type Authorizer, type Decide, deciding } from "../../contracts/authorizer.js";
import type { RequestInfo } from "../../contracts/request.js";
import type { UserInfo } from "../../contracts/user.js";
import { refusal } from "../authorize.js";
import type { Wanted } from "./headers.js";
import { accountOf, nodeNamed, oldVerb, WantedIdentity } from "./identity.js";

export interface Impersonated {
  readonly user: UserInfo;
  /** The verb of the mode; undefined for the old permission. */
  readonly constraint: string | undefined;
}

interface Asked {
  readonly caller: UserInfo;
  readonly wanted: Wanted;
  readonly request: RequestInfo;
  readonly decide: Decide;
}

/** A way to be permitted. Its check throws a 403. */
interface Mode {
  readonly name: string;
  /** Undefined if the mode does not fit these users. */
  check(asked: Asked): Impersonated | undefined;
}

const nodeName = "authentication.kubernetes.io/node-name";
export class Impersonation {
  /** The mode that a user has used last is tried first, and gives the refusal. */
  readonly #last = new Recent<string, Mode>({ weight: 10_000 });
  readonly #attempts;
  readonly #authorizer: Authorizer;

  constructor(authorizer: Authorizer, metrics: MetricsRegistry) {
    this.#authorizer = authorizer;
    this.#attempts = metrics.counter({
      name: "apiserver_impersonation_attempts_total",
      help: "Requests in another's name, by the mode that permitted them and the decision.",
      labels: ["mode", "decision"],
    });
  }

  /** Throws the 403 of the first mode that fits. A promise only if the authorizer has to wait. */
  permitted(asked: Omit<Asked, "decide">): Impersonated | Promise<Impersonated> {
    return deciding(this.#authorizer, (decide) => this.#permitted({ ...asked, decide }));
  }

  #permitted(asked: Asked): Impersonated {
    const { username } = asked.caller;
    const last = this.#last.get(username);
    let first: StatusError | undefined;
    for (const mode of last === undefined ? modes : [last, ...modes.filter((one) => one !== last)]) {
      try {
        const impersonated = mode.check(asked);
        if (impersonated === undefined) continue;
        if (mode !== last) this.#last.set(username, mode);
        this.#attempts.with({ mode: mode.name, decision: "allowed" }).inc();
        return impersonated;
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        first ??= error;
      }
    }
    this.#attempts.with({ mode: "", decision: "denied" }).inc();
    throw first ?? new Error("all impersonation modes failed");
  }
}

const isPlain = ({ uid, groups, extra }: Wanted): boolean =>
  uid === "" && groups.length === 0 && Object.keys(extra).length === 0;

/** Requires a permission: of these parties, for this part of the request or of the other identity. */
type Require = (asked: Asked, what: RequestInfo) => void;

function constrained(
  name: string,
  fits: (wanted: Wanted, caller: UserInfo) => boolean,
  permit: Require = requireOne,
): Mode {
  const constraint = `impersonate:${name}`;
  return {
    name,
    check(asked) {
      const { wanted, caller, request } = asked;
      if (!fits(wanted, caller)) return undefined;
      const require = (what: RequestInfo): void => permit(asked, what);
      require({ ...request, verb: `impersonate-on:${name}:${request.verb}` });
      return { user: new WantedIdentity(wanted, { verb: constraint, caller, require }).user(), constraint };
    },
  };
}

/** Whether the account of a pod acts for the pod's own node. */
function isOwnNode(wanted: Wanted, { username, extra }: UserInfo): boolean {
  const nodes = extra?.[nodeName] ?? [];
  const node = nodeNamed(wanted.username);
  const isAccount = accountOf(username) !== undefined;
  return isPlain(wanted) && node !== undefined && isAccount && nodes.length === 1 && nodes[0] === node;
}

/** As upstream: for all nodes at once, and without the account's extra values, but for their names. */
function requireOnNode(asked: Asked, what: RequestInfo): void {
  const keys = Object.keys(asked.caller.extra ?? {}).toSorted();
  const caller = { ...asked.caller, extra: { "authentication.kubernetes.io/associated-node-keys": keys } };
  const isIdentity = what.type === "resource" && what.verb === "impersonate:associated-node";
  requireOne({ ...asked, caller }, isIdentity ? { ...what, name: "*" } : what);
}

const legacy: Mode = {
  name: "legacy",
  check: (asked) => ({
    user: new WantedIdentity(asked.wanted, {
      verb: oldVerb,
      caller: asked.caller,
      require: (what) => requireOne(asked, what),
    }).user(),
    constraint: undefined,
  }),
};

const modes: readonly Mode[] = [
  constrained("associated-node", isOwnNode, requireOnNode),
  constrained("arbitrary-node", (wanted) => isPlain(wanted) && nodeNamed(wanted.username) !== undefined),
  constrained("serviceaccount", (wanted) => isPlain(wanted) && accountOf(wanted.username) !== undefined),
  constrained("user-info", ({ username }) => nodeNamed(username) === undefined && accountOf(username) === undefined),
  legacy,
];

function requireOne({ decide, caller }: Asked, request: RequestInfo): void {
  const { allowed, reason = "", errors = [] } = decide(caller, request);
  if (allowed) return;
  const why = [joinedErrors(errors), reason].filter((text) => text !== "").join(": ");
  throw refusal(caller, request, { allowed: false, reason: why });
}
