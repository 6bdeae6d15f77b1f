/** Sends one request to another server, and gives its answer as text of a limited length. */
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";

const maxAnswerBytes = 3 * 1024 * 1024;

export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Rejects with Node's error if no answer comes. A request that was sent on a kept connection just as the other server
 * ended it is sent once more, on a connection of its own.
 */
export function send(options: RequestOptions, body: string | undefined, secure = true): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = (secure ? httpsRequest : httpRequest)(options, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) sent.destroy(new Error(`the answer is larger than ${maxAnswerBytes} bytes`));
        else chunks.push(chunk);
      });
      response.on("error", reject);
      response.on("end", () => {
        const { statusCode: status = 0, statusMessage: statusText = "", headers } = response;
        resolve({ status, statusText, headers, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", (error: Error & { readonly code?: string }) => {
      const stale = sent.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      if (stale) resolve(send({ ...options, agent: false }, body, secure));
      else reject(error);
    });
    sent.end(body);
  });
}

/** The host of a URL as a connection takes it. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "");
