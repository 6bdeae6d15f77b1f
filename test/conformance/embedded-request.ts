/** The same plain requests to the embedded server, in-process. */
import { type ApiServer, startApiServer } from "../../src/apiserver/index.js";
import { FakeClock } from "../../src/base/index.js";
import { realCluster } from "../../src/testing/shared-envtest.js";
import { apiRequester, type ApiRequest } from "./api-request.js";

export function embeddedRequester(server: ApiServer): ApiRequest {
  const transport = server.transport();
  return async (method, path, body, options = {}) => {
    const headers = {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": options.contentType ?? "application/json" }),
      ...(options.userAgent === undefined ? {} : { "user-agent": options.userAgent }),
    };
    const bytes =
      body === undefined ? {} : { body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)) };
    const response = await transport({ method, path, headers, ...bytes }, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    if (response.body instanceof Uint8Array) chunks.push(response.body);
    else for await (const chunk of response.body) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const warnings = [response.headers["warning"] ?? []].flat();
    return { status: response.status, warnings, body: text.startsWith("{") ? JSON.parse(text) : text };
  };
}

/** Two servers that get the same requests. */
export interface BothServers extends AsyncDisposable {
  readonly real: ApiRequest;
  readonly embedded: ApiRequest;
}

/** The real server of all tests, and one of ours, whose time stands still. */
export async function bothServers(): Promise<BothServers> {
  const clock = new FakeClock({ startMs: Date.parse("2026-01-01T00:00:00Z") });
  const server = await startApiServer({ freeze: true, clock });
  const real = apiRequester(await realCluster());
  return {
    real,
    embedded: embeddedRequester(server),
    async [Symbol.asyncDispose]() {
      real[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}
