/** The user of a request: the result of authentication. */
import { defined } from "../../base/defined.js";

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The user as reviews show it. */
export const shownUser = ({ username, uid, groups, extra }: UserInfo): object =>
  defined({ username, uid: uid || undefined, groups, extra });

/** Members of this group may do everything, whatever the roles say, so that somebody can repair the roles. */
export const mastersGroup = "system:masters";

export const anonymous: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user of the server's own writes (bootstrap, expiry, allocation). */
export const apiserverUser: UserInfo = { username: "system:apiserver", groups: [mastersGroup] };

/** The headers by which this server tells extension servers of a user. They learn the names from a ConfigMap. */
export const remoteHeaders = {
  user: "X-Remote-User",
  uid: "X-Remote-Uid",
  group: "X-Remote-Group",
  extraPrefix: "X-Remote-Extra-",
} as const;

/** The common name of the certificate by which extension servers know that these headers are this server's. */
export const frontProxyName = "front-proxy-client";
