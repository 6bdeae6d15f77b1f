import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigMap, CustomResourceDefinition, type KubeObject } from "../../src/api/index.js";
import type { Transport } from "../../src/base/index.js";
import { runCommandLine } from "../../src/cli/program.js";
import { Client, loadKubeconfig } from "../../src/client/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

const messageOf = async (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "no error",
    (error: unknown) => (error as Error).message,
  );

async function setup() {
  const server = await startTestServer();
  const client = new Client({ transport: server.transport() });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  const kept = await maps.create({ metadata: { name: "kept" }, data: { a: "1" } });
  return { server, client, maps, kept };
}

const crd = (schema: object): KubeObject & { readonly spec: object } => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

describe("bad input: a clear error that says what and where, and nothing lost or half-written", () => {
  test("an object", async () => {
    const { server, maps, kept } = await setup();
    await using _server = server;
    const bad = { metadata: { name: "kept" }, data: { "no key!": "2", b: "2" } };
    expect(await messageOf(maps.update({ ...kept, ...bad }))).toContain('data[no key!]: Invalid value: "no key!"');
    expect(await maps.get("kept")).toEqual(kept);
  });

  test("a patch", async () => {
    const { server, maps, kept } = await setup();
    await using _server = server;
    const wrong = { data: { a: "2", b: { nested: true } } };
    expect(await messageOf(maps.patch("kept", { merge: wrong as never }))).toContain("ConfigMap.data");
    expect(await maps.get("kept")).toEqual(kept);
  });

  test("a selector", async () => {
    const { server, maps } = await setup();
    await using _server = server;
    const message = await messageOf(maps.deleteCollection({ labelSelector: "app in (a" }));
    expect(message).toContain("unable to parse requirement: found '', expected: ',' or ')'");
    expect((await maps.list()).items.map(({ metadata }) => metadata.name)).toContain("kept");
  });

  test("a custom resource definition", async () => {
    const { server, client } = await setup();
    await using _server = server;
    const definitions = client.resource(CustomResourceDefinition);
    const wrong = crd({ type: "object", properties: { spec: { type: "objekt" } } });
    expect(await messageOf(definitions.create(wrong as unknown as CustomResourceDefinition))).toContain(
      "spec.validation.openAPIV3Schema.properties[spec].type",
    );
    expect((await definitions.list()).items).toEqual([]);
  });

  test("a frame on the wire", async () => {
    const { server, maps, kept } = await setup();
    await using _server = server;
    const respond = server.transport();
    const broken: Transport = async (request, signal) => {
      const response = await respond(request, signal);
      return request.path.includes("watch=") ? { ...response, body: Buffer.from('{"type":"ADDED"\n') } : response;
    };
    const watch = new Client({ transport: broken }).resource(ConfigMap, { namespace: "default" }).watch();
    expect(await messageOf(watch[Symbol.asyncIterator]().next())).toContain("watch configmaps");
    expect(await maps.get("kept")).toEqual(kept);
  });

  test("a kubeconfig", async () => {
    const folder = mkdtempSync(join(tmpdir(), "coxswain-bad-input-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, "config");
    const text = "apiVersion: v1\nkind: Config\nclusters: {}\n";
    writeFileSync(path, text);
    const message = await messageOf(loadKubeconfig(path));
    expect(message).toContain(path);
    expect(message).toContain("clusters: is a mapping, not a list");
    expect(readFileSync(path, "utf8")).toBe(text);
  });

  test("a flag", async () => {
    const printed = { out: "", err: "" };
    const code = await runCommandLine(["up", "--nodes", "many"], {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
    });
    expect([code, printed.out]).toEqual([2, ""]);
    expect(printed.err).toContain("--nodes <count>");
    expect(printed.err).toContain("many");
  });
});
