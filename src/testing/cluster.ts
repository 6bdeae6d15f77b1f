/** An API server in this process for tests: no sockets unless asked for, on the test's clock. */
import type { Clock, Random } from "../base/index.js";
import { type ApiServer, type ApiServerOptions, startApiServer as start } from "../apiserver/index.js";

export interface TestServerOptions extends ApiServerOptions {
  readonly clock?: Clock;
  readonly random?: Random;
}

/** Stored objects are frozen, so that whoever modifies one is found. */
export function startApiServer(options: TestServerOptions = {}): Promise<ApiServer> {
  return start({ freeze: true, ...options });
}
