/** Clients over real connections, closed after each test. */
import { afterEach } from "vitest";
import { Pod } from "../../src/api/index.js";
import { Lifetime } from "../../src/base/index.js";
import { Client, type ClientOptions, type ResourceClient } from "../../src/client/index.js";
import { httpTransport, type HttpTransportOptions } from "../../src/client/http-transport.js";
import { authority } from "./servers.js";

let lifetime = new Lifetime();
afterEach(async () => {
  await lifetime[Symbol.asyncDispose]();
  lifetime = new Lifetime();
});

/** Closes it after the test. */
export const use = <T extends AsyncDisposable>(one: T): T => lifetime.use(one);

const material = { ca: authority.certificate };

export function clientOf(
  url: string,
  http: Partial<HttpTransportOptions> = {},
  options: Partial<ClientOptions> = {},
): Client {
  const tls = async (): Promise<{ ca: string }> => material;
  const transport = use(httpTransport({ server: new URL(url), tls, ...http }));
  return new Client({ transport: transport.send, ...options });
}

export const pods = (client: Client): ResourceClient<Pod> => client.resource(Pod, { namespace: "default" });
export const draft = { metadata: { name: "a" } } as Pod;
