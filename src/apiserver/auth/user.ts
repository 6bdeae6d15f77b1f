/** Who asks: the outcome of authentication, given to authorization, admission and strategies. */

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export const anonymous: UserInfo = { username: "system:anonymous", groups: ["system:unauthenticated"] };

/** What the server does on its own behalf (bootstrap, expiry, allocation). */
export const apiserverUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };
