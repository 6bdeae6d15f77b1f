/** A client whose requests are answered by a function. */
import { ConfigMap } from "../../src/api/generated/core-v1.js";
import { FakeClock, type HttpRequest, type HttpResponse, seededRandom, type Transport } from "../../src/base/index.js";
import { Client, type ClientOptions } from "../../src/client/client.js";

export interface Answer {
  readonly code?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export const json = ({ code = 200, body = {}, headers = {} }: Answer): HttpResponse => ({
  status: code,
  headers: { "content-type": "application/json", ...headers },
  body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
});

export const failure = (code: number, reason: string): object => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: reason,
  reason,
  code,
});

/** A client whose requests are answered by a function, and the paths that were asked. */
export function scripted(
  answer: (request: HttpRequest, index: number) => Answer | Error,
  options: Partial<ClientOptions> = {},
): { client: Client; asked: string[]; clock: FakeClock } {
  const asked: string[] = [];
  const clock = new FakeClock();
  const transport: Transport = async (request) => {
    asked.push(`${request.method} ${request.path}`);
    const given = answer(request, asked.length - 1);
    if (given instanceof Error) throw given;
    return json(given);
  };
  return { client: new Client({ transport, clock, random: seededRandom(1), ...options }), asked, clock };
}

/** Runs the clock until the call has settled. */
export async function settle<T>(clock: FakeClock, call: Promise<T>): Promise<T> {
  let done = false;
  const watched = call.finally(() => (done = true));
  watched.catch(() => {});
  for (let i = 0; i < 200 && !done; i++) await clock.advance(500);
  return watched;
}

export const map = { kind: "ConfigMap", apiVersion: "v1", metadata: { name: "a", namespace: "n" } };

export const maps = (client: Client) => client.resource(ConfigMap, { namespace: "n" });
