/** One request to a server in this process, as the administrator or somebody else. For tests of what it answers. */
import type { ApiServer } from "../src/apiserver/index.js";

// oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
export type Json = any;

/** The answer's fields, with its status as `code` and its `warnings`. `username` is in no group; the administrator unless told. */
export async function ask(
  server: ApiServer,
  method: string,
  path: string,
  body?: object,
  username?: string,
): Promise<Json> {
  const transport = username === undefined ? server.transport() : server.transport({ username, groups: [] });
  const headers = { "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json" };
  const sent = body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) };
  const response = await transport({ method, path, headers, ...sent }, new AbortController().signal);
  const text = Buffer.from(response.body as Uint8Array).toString();
  return { ...JSON.parse(text), code: response.status, warnings: [response.headers["warning"] ?? []].flat() };
}
