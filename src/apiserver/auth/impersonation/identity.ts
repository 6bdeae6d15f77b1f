/** The identity that a user wants to take on: requires a permission for each part of it, and gives the user that it makes. */
import { fieldPath, isDns1123Label, isDns1123Subdomain, newForbidden, StatusError } from "../../../api/index.js";
import { domainPrefixedPath } from "../../../api/errors/domain-path.js";
import { printFieldErrors } from "../../../api/errors/field-error.js";
import type { ResourceRequest } from "../../contracts/request.js";
import { anonymous, mastersGroup, type UserInfo } from "../../contracts/user.js";
import { describeRefusal } from "../authorize.js";
import type { Wanted } from "./headers.js";
import { defined, unlessEmpty } from "../../../base/defined.js";

const authentication = "authentication.k8s.io";
/** From this number of groups or extra values on, one permission for all of them is tried first. */
const many = 4;

/** The verb of the permission that is good for all requests. */
export const oldVerb = "impersonate";

/** The name of the node whose user this is. */
export function nodeNamed(username: string): string | undefined {
  const [, name] = /^system:node:(.*)$/s.exec(username) ?? [];
  return name === undefined || isDns1123Subdomain(name).length > 0 ? undefined : name;
}

interface Account {
  readonly namespace: string;
  readonly name: string;
}

export function accountOf(username: string): Account | undefined {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]*):([^:]*)$/s.exec(username) ?? [];
  if (isDns1123Label(namespace).length > 0 || isDns1123Subdomain(name).length > 0) return undefined;
  return { namespace, name };
}

/** The questions about one identity under one verb. The old verb has fewer rules, as it had from the beginning. */
export class WantedIdentity {
  readonly #wanted: Wanted;
  readonly #verb: string;
  readonly #caller: UserInfo;
  readonly #isOld: boolean;
  readonly #require: (what: ResourceRequest) => void;

  /** `require` throws a 403. */
  constructor(wanted: Wanted, { verb, caller, require }: Checking) {
    this.#wanted = wanted;
    this.#verb = verb;
    this.#caller = caller;
    this.#isOld = verb === oldVerb;
    this.#require = require;
  }

  /** Throws the 403 of the first part that is not permitted. */
  user(): UserInfo {
    const { username, uid, groups, extra } = this.#wanted;
    this.#checkName();
    if (uid !== "") this.#require(this.#asked("uids", uid));
    this.#checkGroups();
    this.#checkExtra();
    return {
      username,
      groups: withEveryone(username, groups.length > 0 ? groups : this.#fixedGroups()),
      ...defined({ uid: uid || undefined, extra: unlessEmpty(extra) }),
    };
  }

  #asked(resource: string, name: string, more: Partial<ResourceRequest> = {}): ResourceRequest {
    const place = { namespace: "", inNamespace: false, subresource: "", rest: [] };
    return {
      type: "resource",
      verb: this.#verb,
      resource,
      name,
      group: authentication,
      version: "v1",
      ...place,
      ...more,
    };
  }

  /** Users, groups and accounts were in the core group when there was one verb. */
  #named(resource: string, name: string, more: Partial<ResourceRequest> = {}): ResourceRequest {
    return this.#asked(resource, name, { ...more, ...(this.#isOld ? { group: "" } : {}) });
  }

  #checkName(): void {
    const { username } = this.#wanted;
    const account = accountOf(username);
    const node = this.#isOld ? undefined : nodeNamed(username);
    if (account !== undefined) {
      const { namespace, name } = account;
      this.#require(this.#named("serviceaccounts", name, { namespace, inNamespace: true }));
    } else this.#require(node === undefined ? this.#named("users", username) : this.#named("nodes", node));
  }

  #checkGroups(): void {
    const { groups } = this.#wanted;
    if (!this.#isOld && groups.includes(""))
      this.#refuse(this.#named("groups", ""), "impersonating the empty string group is not allowed");
    if (!this.#isOld && groups.includes(mastersGroup))
      this.#refuse(this.#named("groups", mastersGroup), "impersonating the system:masters group is not allowed");
    const all = groups.map((name) => this.#named("groups", name));
    this.#requireAll(all, groups.length, this.#named("groups", "*"));
  }

  #checkExtra(): void {
    const { extra } = this.#wanted;
    const fault = this.#isOld ? undefined : extraFault(extra);
    if (fault !== undefined) this.#refuse(this.#asked("userextras", ""), fault);
    const values = Object.entries(extra).flatMap(([subresource, names]) =>
      names.map((name) => this.#asked("userextras", name, { subresource })),
    );
    this.#requireAll(values, values.length, this.#asked("userextras", "*", { subresource: "*" }));
  }

  #requireAll(each: readonly ResourceRequest[], count: number, together: ResourceRequest): void {
    if (!this.#isOld && count >= many && this.#passes(together)) return;
    for (const one of each) this.#require(one);
  }

  #passes(what: ResourceRequest): boolean {
    try {
      this.#require(what);
      return true;
    } catch (error) {
      if (error instanceof StatusError) return false;
      throw error;
    }
  }

  #refuse(what: ResourceRequest, why: string): never {
    const { group, resource, name } = what;
    throw newForbidden({ group, resource }, name, `${describeRefusal(this.#caller, what)}: ${why}`);
  }

  #fixedGroups(): readonly string[] {
    const { username } = this.#wanted;
    if (!this.#isOld && nodeNamed(username) !== undefined) return ["system:nodes"];
    const account = accountOf(username);
    return account === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${account.namespace}`];
  }
}

interface Checking {
  readonly verb: string;
  readonly caller: UserInfo;
  require(what: ResourceRequest): void;
}

function extraFault(extra: Wanted["extra"]): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === "") return "impersonating the empty string key in extra is not allowed";
    const faults = [...domainPrefixedPath(fieldPath("extra", "key"), key)];
    if (faults.length > 0) return `impersonating an invalid key in extra is not allowed: ${printFieldErrors(faults)}`;
    if (key !== key.toLowerCase())
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    if (values.length === 0) return "impersonating empty values in extra is not allowed";
    if (values.includes("")) return "impersonating the empty string value in extra is not allowed";
  }
  return undefined;
}

const [unauthenticated = ""] = anonymous.groups;
const authenticated = "system:authenticated";

/** Groups in the headers replace all groups, except the one that tells authenticated from anonymous users. */
function withEveryone(username: string, groups: readonly string[]): readonly string[] {
  if (groups.includes(unauthenticated)) return groups;
  if (username === anonymous.username) return [...groups, unauthenticated];
  return groups.includes(authenticated) ? groups : [...groups, authenticated];
}
