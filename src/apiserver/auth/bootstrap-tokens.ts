/** Bootstrap tokens: takes a token that a Secret of kube-system holds; gives the user of a machine that joins the cluster. */
import { isDeleting, parseTime, type Secret } from "../../api/index.js";
import type { Clock } from "../../base/index.js";
import type { UserInfo } from "../contracts/user.js";
import type { Store } from "../storage/contract.js";
import { decodedObjects } from "./decoded-objects.js";
import { sameSecret } from "./known-tokens.js";

const everyMachine = "system:bootstrappers";
const groupName = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/** Undefined for a token that is not valid now, for whatever reason; the rules are those of kube-apiserver. */
export function bootstrapTokens(store: Store, clock: Clock): (token: string) => UserInfo | undefined {
  const objects = decodedObjects(store);
  return (token) => {
    const [, id, secret] = /^([a-z0-9]{6})\.([a-z0-9]{16})$/.exec(token) ?? [];
    if (id === undefined || secret === undefined) return undefined;
    const stored = objects.get<Secret>("secrets", `kube-system/bootstrap-token-${id}`);
    if (stored?.type !== "bootstrap.kubernetes.io/token" || isDeleting(stored)) {
      return undefined;
    }
    const value = (name: string): string => Buffer.from(stored.data?.[name] ?? "", "base64").toString();
    if (!sameSecret(value("token-secret"), secret) || value("token-id") !== id) return undefined;
    if (isOver(value("expiration"), clock.now())) return undefined;
    if (value("usage-bootstrap-authentication") !== "true") return undefined;
    const groups = groupsIn(value("auth-extra-groups"));
    return groups && { username: `system:bootstrap:${id}`, groups };
  };
}

/** A time that cannot be read is over. */
function isOver(expiration: string, now: number): boolean {
  if (expiration === "") return false;
  try {
    return parseTime(expiration) <= now;
  } catch {
    return true;
  }
}

/** Undefined if one of the names is not that of a group of machines. */
function groupsIn(text: string): readonly string[] | undefined {
  const named = text === "" ? [] : text.split(",");
  if (!named.every((name) => groupName.test(name))) return undefined;
  return [...new Set([everyMachine, ...named])].toSorted();
}
