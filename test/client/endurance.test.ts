import { describe, expect, test } from "vitest";
import { ConfigMap, Pod } from "../../src/api/index.js";
import { collectGarbage } from "../informer/collect-garbage.js";
import { Client, connect } from "../../src/client/index.js";
import { httpTransport } from "../../src/client/http-transport.js";
import { envtestAssets, startEnvtest } from "../../src/testing/envtest.js";
import { authority, json, pod, serveH2 } from "./servers.js";

const full = process.env["COXSWAIN_FULL"] === "1";
const assets = envtestAssets();

describe.skipIf(!full || assets === undefined)(
  "a real kube-apiserver that sends GOAWAY at random (only in test:full, with KUBEBUILDER_ASSETS)",
  () => {
    test("loses and repeats none of a thousand writes", async () => {
      await using server = await startEnvtest({ assets: assets ?? "", flags: ["--goaway-chance=0.02"] });
      let attempts = 0;
      await using client = await connect({ kubeconfig: server.kubeconfig });
      client.watchAttempts(() => attempts++);
      const maps = client.resource(ConfigMap, { namespace: "default" });
      let made = 0;
      const write = async (through: number): Promise<void> => {
        const worker = async (): Promise<void> => {
          while (made < through) await maps.create({ metadata: { name: `m${made++}` } });
        };
        await Promise.all(Array.from({ length: 16 }, worker));
      };
      await write(1_000);
      // when GOAWAY comes is chance: some requests must have met a connection that was going away, or nothing was tested
      while (attempts === made && made < 20_000) await write(made + 1_000);
      expect(attempts).toBeGreaterThan(made);
      expect((await maps.list()).items.filter(({ metadata }) => metadata.name.startsWith("m")).length).toBe(made);
    });
  },
);

describe.skipIf(!full)("a long life (only in test:full)", () => {
  test("tens of thousands of requests and watches leave no memory behind", async () => {
    await using server = await serveH2((stream, headers) => {
      if (!String(headers[":path"]).includes("watch")) return json(stream, pod("a"));
      stream.respond({ ":status": 200 });
      stream.write(`${JSON.stringify({ type: "ADDED", object: pod("a") })}\n`);
    });
    const tls = async (): Promise<{ ca: string }> => material;
    const material = { ca: authority.certificate };
    await using transport = httpTransport({ server: new URL(server.url), tls });
    const pods = new Client({ transport: transport.send }).resource(Pod, { namespace: "default" });
    const work = async (): Promise<void> => {
      let left = 10_000;
      const worker = async (): Promise<void> => {
        while (left-- > 0) {
          if (left % 10 > 0) await pods.get("a");
          else for await (const _ of pods.watch()) break;
        }
      };
      await Promise.all(Array.from({ length: 16 }, worker));
    };
    const heap = (): number => {
      for (let i = 0; i < 3; i++) collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    await work();
    let before = heap();
    const growths: number[] = [];
    // a leak shows in every round
    for (let round = 0; round < 3 && growths.every((bytes) => bytes >= 4 * 2 ** 20); round++) {
      await work();
      await work();
      const after = heap();
      growths.push(after - before);
      before = after;
    }
    expect(Math.min(...growths), growths.join(", ")).toBeLessThan(4 * 2 ** 20);
    // a server that finds a thousand ended watches suspicious sends GOAWAY, which nobody noticed
    expect(server.accepted.length).toBeLessThan(10);
  });
});
