/** Sends one request to a server in this process, as the administrator or another user; gives the answer. */
import type { ApiServer } from "../src/apiserver/index.js";

// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
export type Json = any;

const patches: ReadonlyMap<string, string> = new Map([
  ["PATCH", "application/merge-patch+json"],
  ["APPLY", "application/apply-patch+yaml"],
  ["STRATEGIC", "application/strategic-merge-patch+json"],
  ["JSON", "application/json-patch+json"],
]);

/**
 * `method` may also name a type of patch. Gives the answer's fields, with its status as `code` and its `warnings`.
 * `username` is in no group; the administrator by default.
 */
export async function ask(
  server: ApiServer,
  method: string,
  path: string,
  body?: object,
  username?: string,
): Promise<Json> {
  const transport = username === undefined ? server.transport() : server.transport({ username, groups: [] });
  const patch = patches.get(method);
  const headers = { "content-type": patch ?? "application/json" };
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const response = await transport(
    { method: patch === undefined ? method : "PATCH", path, headers, ...sent },
    new AbortController().signal,
  );
  const text = Buffer.from(response.body as Uint8Array).toString();
  return { ...JSON.parse(text), code: response.status, warnings: [response.headers["warning"] ?? []].flat() };
}
