import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startApiServer } from "../../testing/cluster.js";

test.each(["nodes/x", "nodes/https:x:10250", "namespaces/default/services/x:80"])(
  "the proxy of %s, which is not there, is not found",
  async (path) => {
    await using server = await startApiServer();
    const [resource] = path.split("/").slice(-2);
    const answer = await ask(server, "GET", `/api/v1/${path}/proxy/`);
    expect(answer).toMatchObject({ code: 404, message: `${resource} "x" not found` });
  },
);

test("that of a node that is there cannot be reached", async () => {
  await using server = await startApiServer();
  await ask(server, "POST", "/api/v1/nodes", { metadata: { name: "x" } });
  expect((await ask(server, "GET", "/api/v1/nodes/x/proxy/")).code).toBe(500);
});
