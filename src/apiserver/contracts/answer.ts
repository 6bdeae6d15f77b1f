/** An answer of the server's handler, with the two things that plain HTTP data cannot say. */
import type { Duplex } from "node:stream";
import type { HttpResponse } from "../../base/index.js";

export interface Answer extends HttpResponse {
  /** True for the answer of another server, which is passed on as it is. */
  readonly forwarded?: true;
  /** With status 101: carries the bytes of the client's connection in both directions until either side ends. */
  readonly tunnel?: Tunnel;
}

/** Resolves when both connections are closed; never rejects. */
export type Tunnel = (client: Duplex) => Promise<void>;
