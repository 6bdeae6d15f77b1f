import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";

const core = "/api/v1/namespaces/default";

// as kube-apiserver 1.36
test("the Endpoints of a service go with it, however it goes", async () => {
  await using server = await startTestServer();
  const left = async (name: string): Promise<number> => (await ask(server, "GET", `${core}/endpoints/${name}`)).code;
  for (const name of ["one", "dry", "many", "external", "held"]) {
    const spec = name === "external" ? { type: "ExternalName", externalName: "a.b" } : { ports: [{ port: 80 }] };
    await ask(server, "POST", `${core}/services`, { metadata: { name, labels: { name } }, spec });
    const finalizers = name === "held" ? ["example.com/x"] : [];
    await ask(server, "POST", `${core}/endpoints`, { metadata: { name, finalizers } });
  }
  for (const name of ["one", "external", "held", "dry?dryRun=All"])
    await ask(server, "DELETE", `${core}/services/${name}`);
  await ask(server, "DELETE", `${core}/services?labelSelector=name%3Dmany`);
  expect(await Promise.all(["one", "external", "many", "dry", "held"].map(left))).toEqual([404, 404, 404, 200, 200]);
  expect(await ask(server, "GET", `${core}/endpoints/held`)).toMatchObject({
    metadata: { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 0 },
  });
});
