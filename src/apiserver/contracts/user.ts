/** The user of a request: the result of authentication. */

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

/** The user of the server's own writes (bootstrap, expiry, allocation). */
export const apiserverUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };
