/** Asks the test run's real kube-apiserver one request, for comparison. */
import { request } from "node:https";
import type { EnvtestAccess } from "../src/testing/envtest.js";
import { realCluster } from "../src/testing/shared-envtest.js";

export interface RealRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

export interface RealResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
}

/** Asks the server that all tests share, unless another is given. */
export async function askReal(
  { method = "GET", path, headers = {}, body }: RealRequest,
  server?: EnvtestAccess,
): Promise<RealResponse> {
  const { url, token, ca } = server ?? (await realCluster());
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}${path}`,
      {
        method,
        ca,
        agent: false,
        headers: { authorization: `Bearer ${token}`, ...headers },
        rejectUnauthorized: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** The JSON body of a GET. */
export async function realAnswer(path: string, accept = "application/json", server?: EnvtestAccess): Promise<unknown> {
  const { status, bytes } = await askReal({ path, headers: { accept } }, server);
  if (status !== 200) throw new Error(`${path}: ${status} ${bytes.toString()}`);
  return JSON.parse(bytes.toString()) as unknown;
}
