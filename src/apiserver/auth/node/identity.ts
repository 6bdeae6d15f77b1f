/** Tells the users that are nodes: the name of the node, "" for a node without a name, undefined for any other user. */
import type { UserInfo } from "../../contracts/user.js";

const prefix = "system:node:";
const nodesGroup = "system:nodes";

export function nodeOf({ username, groups }: UserInfo): string | undefined {
  if (!username.startsWith(prefix)) return undefined;
  return groups.includes(nodesGroup) ? username.slice(prefix.length) : undefined;
}
