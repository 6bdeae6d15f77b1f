/** The same plain requests to the embedded server, in-process. */
import type { ApiServer } from "../../src/apiserver/index.js";
import type { ApiRequest } from "./api-request.js";

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
