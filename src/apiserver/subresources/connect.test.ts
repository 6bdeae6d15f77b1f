import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";

test.each(["nodes/x", "nodes/https:x:10250", "namespaces/default/services/x:80"])(
  "the proxy of %s, which is not there, is not found",
  async (path) => {
    await using server = await startTestServer();
    const [resource] = path.split("/").slice(-2);
    const answer = await ask(server, "GET", `/api/v1/${path}/proxy/`);
    expect(answer).toMatchObject({ code: 404, message: `${resource} "x" not found` });
  },
);

test("that of a node that is there cannot be reached", async () => {
  await using server = await startTestServer();
  await ask(server, "POST", "/api/v1/nodes", { metadata: { name: "x" } });
  expect((await ask(server, "GET", "/api/v1/nodes/x/proxy/")).code).toBe(500);
});

test.each([
  ["nodes/ftp:x:1/proxy", 400, 'invalid node request "ftp:x:1"'],
  ["namespaces/default/services/a:b:c:d/proxy", 400, 'invalid service request "a:b:c:d"'],
  ["namespaces/default/services/empty:a/proxy", 503, 'no endpoints available for service "empty"'],
  ["namespaces/default/services/empty:82/proxy", 503, 'no service port 82 found for service "empty"'],
  ["namespaces/default/pods/p:80/proxy", 400, "address not allowed"],
  ["namespaces/default/pods/p/log", 400, "a container name must be specified for pod p, choose one of: [c d]"],
  ["namespaces/default/pods/p/exec?container=x", 400, "container x is not valid for pod p"],
  [
    "namespaces/default/pods/p/log?tailLines=-1",
    422,
    'PodLogOptions "p" is invalid: tailLines: Invalid value: -1: must be greater than or equal to 0',
  ],
])("%s is refused with %i: %s", async (path, code, message) => {
  await using server = await startTestServer({ disabledAdmission: ["ServiceAccount"] });
  const core = "/api/v1/namespaces/default";
  await ask(server, "POST", `${core}/services`, { metadata: { name: "empty" }, spec: { ports: [{ port: 80 }] } });
  await ask(server, "POST", `${core}/endpoints`, { metadata: { name: "empty" } });
  const containers = ["c", "d"].map((name) => ({ name, image: "i" }));
  await ask(server, "POST", `${core}/pods`, { metadata: { name: "p" }, spec: { containers } });
  expect(await ask(server, "GET", `/api/v1/${path}`)).toMatchObject({ code, message });
});
