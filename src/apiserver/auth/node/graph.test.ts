import { expect, test } from "vitest";
import { seededRandom } from "../../../base/index.js";
import { ask } from "../../../../test/ask.js";
import { startApiServer } from "../../server.js";
import { NodeGraph } from "./graph.js";

const pods = "/api/v1/namespaces/default/pods";

function pod(name: string, secret: string, nodeName: string): object {
  const volumes = [{ name: "v", secret: { secretName: secret } }];
  return { metadata: { name }, spec: { nodeName, volumes, containers: [{ name: "c", image: "i" }] } };
}

test("the graph answers as a search through all pods would, after any creations and deletions", async () => {
  await using server = await startApiServer({ disabledAdmission: ["ServiceAccount"] });
  using graph = new NodeGraph(server.store);
  const random = seededRandom(Number(process.env["COXSWAIN_SEED"] ?? 22));
  const model = new Map<string, { readonly secret: string; readonly node: string }>();
  for (let step = 0; step < 200; step++) {
    const name = `p${random.int(6)}`;
    const [secret, node] = [`s${random.int(3)}`, ["", "n0", "n1"][random.int(3)] as string];
    if (model.delete(name)) {
      await ask(server, "DELETE", `${pods}/${name}?gracePeriodSeconds=0`);
    } else {
      expect((await ask(server, "POST", pods, pod(name, secret, node))).code).toBe(201);
      model.set(name, { secret, node });
    }
    for (const asked of ["n0", "n1"]) {
      for (const wanted of ["s0", "s1", "s2"]) {
        const expected = [...model.values()].some((one) => one.node === asked && one.secret === wanted);
        const about = { namespace: "default", name: wanted };
        expect([step, asked, wanted, graph.reaches(asked, "secrets", about)]).toEqual([step, asked, wanted, expected]);
      }
    }
  }
  expect(graph.reaches("n0", "secrets", { namespace: "other", name: "s0" })).toBe(false);
});
