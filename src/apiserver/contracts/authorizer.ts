/** An authorizer answers whether a user may make a request. */
import type { RequestInfo } from "./request.js";
import type { UserInfo } from "./user.js";

export interface Decision {
  readonly allowed: boolean;
  readonly reason?: string;
}

export type Authorizer = (user: UserInfo, request: RequestInfo) => Decision;
