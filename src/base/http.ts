/** One HTTP exchange as data, whether or not there is a socket between client and server. */

/** Header names are lower case. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The values of a header in their order; none if it is absent. */
export const headerValues = (
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): readonly string[] => [headers[name] ?? []].flat();

export interface HttpRequest {
  readonly method: string;
  /** Path with query, as in the request line. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body?: Uint8Array;
}

/** Bytes if the body is complete; chunks if it is still being produced (a watch, a long list, a log). */
export type HttpBody = Uint8Array | AsyncIterable<Uint8Array>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
  /**
   * The JSON value of the body, if it is at hand where client and server are in one process: readonly data that the
   * server holds too. A reader that takes it has no body to decode.
   */
  readonly value?: () => unknown;
}

/**
 * Sends one request and gives the response once its headers are there. Aborting the signal ends the exchange at any
 * point, the body included, and releases its resources at once; the pending read then rejects with the signal's reason.
 * A caller that stops reading a chunked body early must abort, or return its iterator.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;
