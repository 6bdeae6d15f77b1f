/** A webhook over TLS on the loopback, for tests: answers each review by a function, and remembers the questions. */
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../src/base/index.js";
import { createAuthority } from "../../src/base/x509/certificate.js";
import type { Json } from "../ask.js";

export interface Hook extends AsyncDisposable {
  readonly url: string;
  readonly caBundle: string;
  /** The requests inside the reviews, in order. */
  readonly asked: Json[];
  /** The path with its query, and the headers, of each request. */
  readonly calls: {
    readonly url: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly review: Json;
  }[];
  /** The number of connections that were made to it. */
  readonly connections: number;
}

interface HookOptions {
  /** Ends a connection without an answer when a further request comes on it. */
  readonly hangsUp?: boolean;
}

/** A text, a status with a text, or an object: the whole answer. */
export type RawAnswer = { readonly raw: string; readonly status?: number } | { readonly review: object };

const isRaw = (answer: object): answer is RawAnswer => "raw" in answer || "review" in answer;

/** Answers each request with the result of `answer`, and the request's uid. */
export async function startHook(
  answer: (request: Json, review: Json) => object | RawAnswer,
  { hangsUp = false }: HookOptions = {},
): Promise<Hook> {
  const authority = createAuthority({ commonName: "hooks", now: systemClock.now() });
  const identity = authority.issue({ commonName: "hook", use: "server", hosts: ["127.0.0.1"] });
  const asked: Json[] = [];
  const calls: Hook["calls"] = [];
  const used = new WeakSet<Socket>();
  let connections = 0;
  const server = createServer({ key: identity.key, cert: identity.certificate }, (request, response) => {
    if (hangsUp && used.has(request.socket)) {
      request.socket.destroy();
      return;
    }
    used.add(request.socket);
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const review = JSON.parse(Buffer.concat(chunks).toString());
      asked.push(review.request);
      calls.push({ url: request.url ?? "", headers: request.headers, review });
      const { kind, apiVersion } = review;
      const given = answer(review.request, review);
      const whole = { kind, apiVersion, response: { uid: review.request.uid, ...given } };
      response.setHeader("content-type", "application/json");
      if (!isRaw(given)) return response.end(JSON.stringify(whole));
      if ("review" in given) return response.end(JSON.stringify(given.review));
      response.statusCode = given.status ?? 200;
      return response.end(given.raw);
    });
  });
  server.on("secureConnection", () => void connections++);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    caBundle: Buffer.from(authority.certificate).toString("base64"),
    asked,
    calls,
    get connections() {
      return connections;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
