import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";

test("ports that are given leave the first of the range to those who ask for one, until there are no others", async () => {
  await using server = await startTestServer({ serviceNetwork: { firstNodePort: 30_000, lastNodePort: 30_019 } });
  const path = "/api/v1/namespaces/default/services";
  const portOf = async (name: string, nodePort?: number): Promise<number> => {
    const ports = [{ port: 80, ...(nodePort === undefined ? {} : { nodePort }) }];
    const service = await ask(server, "POST", path, { metadata: { name }, spec: { type: "NodePort", ports } });
    return service.spec?.ports[0].nodePort ?? service.code;
  };
  expect(await portOf("asked", 30_001)).toBe(30_001);
  const given = [await portOf("a"), await portOf("b"), await portOf("c"), await portOf("d")];
  expect(given.toSorted((a, b) => a - b)).toEqual([30_016, 30_017, 30_018, 30_019]);
  expect(await portOf("e")).toBeLessThan(30_016);
  expect(await portOf("taken", 30_001)).toBe(422);
});
