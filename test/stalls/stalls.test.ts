import { beforeAll, describe, expect, test } from "vitest";
import { type Counted, countedModule } from "./counted.js";
import { json } from "./cases/bodies.js";
import { superlinear } from "./growth.js";
import { patches } from "./cases/patches.js";
import { lists } from "./cases/reads.js";
import { schemas } from "./cases/schemas.js";
import { yaml } from "./cases/yaml.js";
import { type Case, type Sent, widgets } from "./requests.js";
import type * as Server from "./server.js";

let counted: Counted<typeof Server>;

beforeAll(async () => {
  counted = await countedModule<typeof Server>("test/stalls/server.ts");
}, 120_000);

/** The amount that a server of its own needs for one request of this size. */
async function stepsFor({ before, request, authorization = "AlwaysAllow" }: Case, n: number): Promise<number> {
  const { startTestServer, FakeClock, seededRandom } = counted.module;
  await using server = await startTestServer({ clock: new FakeClock(), random: seededRandom(1), authorization });
  const transport = server.transport();
  const { signal } = new AbortController();
  const send = async ({
    method,
    path,
    type = "application/json",
    accept = "application/json",
    body,
  }: Sent): Promise<number> => {
    const headers = { "content-type": type, accept };
    const sent = body === undefined ? { method, path, headers } : { method, path, headers, body: Buffer.from(body) };
    const answer = await transport(sent, signal);
    if (!(answer.body instanceof Uint8Array)) for await (const _ of answer.body);
    return answer.status;
  };
  const served = async (path: string): Promise<void> => {
    // a definition is served a little later
    if (path.startsWith(widgets)) await expect.poll(() => send({ method: "GET", path: widgets })).toBe(200);
  };
  for (const sent of before?.(n) ?? []) {
    await served(sent.path);
    expect(await send(sent)).toBeLessThan(300);
  }
  const sent = request(n);
  await served(sent.path);
  let status = 0;
  const steps = await counted.steps(async () => {
    status = await send(sent);
  });
  expect(status).toBeLessThan(500);
  return steps;
}

describe("twice the input is twice the work", () => {
  test.each([...yaml, ...json, ...patches, ...schemas, ...lists])("$name", async (one) => {
    const n = one.size ?? 500;
    const [small, middle, large] = [await stepsFor(one, n), await stepsFor(one, 2 * n), await stepsFor(one, 4 * n)];
    if (one.atMost !== undefined) expect(large).toBeLessThan(one.atMost);
    else expect(superlinear(n, [small, middle, large])).toBeUndefined();
  });
});
