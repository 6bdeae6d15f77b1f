/** Sends plain requests to a real kube-apiserver; gives status, headers and JSON. */
import { Agent, request } from "node:https";
import type { EnvtestAccess } from "../../src/testing/envtest.js";
import { eventually } from "../eventually.js";

export interface ApiAnswer {
  readonly status: number;
  readonly warnings: readonly string[];
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look at whatever the server says
  readonly body: any;
}

export type ApiRequest = (
  method: string,
  path: string,
  body?: unknown,
  options?: { readonly contentType?: string; readonly userAgent?: string },
) => Promise<ApiAnswer>;

/** A text body goes as it is; any other body goes as JSON. */
export function apiRequester({ url, token, ca }: EnvtestAccess): ApiRequest & Disposable {
  const agent = new Agent({ keepAlive: true, maxSockets: 4, ca });
  const send: ApiRequest = (method, path, body, options = {}) =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": options.contentType ?? "application/json" }),
        ...(options.userAgent === undefined ? {} : { "user-agent": options.userAgent }),
      };
      const outgoing = request(`${url}${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const warnings = response.rawHeaders.filter(
            (_, i, all) => i % 2 === 1 && /^warning$/i.test(all[i - 1] ?? ""),
          );
          resolve({ status: response.statusCode ?? 0, warnings, body: text === "" ? undefined : parsed(text) });
        });
      });
      outgoing.on("error", reject);
      outgoing.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
    });
  return Object.assign(send, { [Symbol.dispose]: () => agent.destroy() });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Waits until a custom kind is served, which is a moment after its definition. */
export async function untilServed(request: ApiRequest, path: string): Promise<void> {
  await eventually(`${path} is served`, async () => (await request("GET", path)).status === 200);
}
