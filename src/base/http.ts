/** One HTTP exchange as data: what a client sends and a server answers, whether or not there is a socket between them. */

/** Header names are lower case. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface HttpRequest {
  readonly method: string;
  /** Path with query, as it stands in a request line. */
  readonly path: string;
  readonly headers: HttpHeaders;
  readonly body?: Uint8Array;
}

/** A body that is complete is bytes; one that is still being made (a watch, a long list, a log) comes in chunks. */
export type HttpBody = Uint8Array | AsyncIterable<Uint8Array>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: HttpBody;
}

/**
 * Sends one request and gives the response once its headers are there. Aborting the signal ends the exchange at any
 * point, the body included, and frees what it held at once; the pending read then rejects with the signal's reason.
 * Whoever stops reading a chunked body early must abort, or return its iterator.
 */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;
