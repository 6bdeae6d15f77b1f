import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ConfigMap, Node } from "../api/index.js";
import { startApiServer } from "../apiserver/index.js";
import { connect } from "../client/index.js";
import { pausedAnnotation } from "../controller/index.js";
import { runCommandLine } from "./program.js";
import { writePrivateFile } from "../base/index.js";

async function setup() {
  const folder = await mkdtemp(join(tmpdir(), "coxswain-pause-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const server = await startApiServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const kubeconfig = join(folder, "kubeconfig");
  await writePrivateFile(kubeconfig, (await server.listen({ port: 0 })).kubeconfig);
  const client = await connect({ kubeconfig });
  onTestFinished(() => client[Symbol.asyncDispose]());
  const run = async (...args: string[]) => {
    const printed = { out: "", err: "" };
    const code = await runCommandLine([...args, "--kubeconfig", kubeconfig], {
      out: (text) => void (printed.out += text),
      err: (text) => void (printed.err += text),
      stopSignal: () => ({ signal: new AbortController().signal, [Symbol.dispose]: () => {} }),
    });
    return { code, ...printed };
  };
  return { client, run };
}

test("coxswain pause and resume set and remove the annotation, for any kind by any of its names", async () => {
  const { client, run } = await setup();
  const maps = client.resource(ConfigMap, { namespace: "default" });
  for (const name of ["a", "b"]) await maps.create({ metadata: { name } });
  await client.resource(Node).create({ metadata: { name: "n" } });
  const annotations = async (): Promise<unknown[]> =>
    (await maps.list()).items.map(({ metadata }) => metadata.annotations?.[pausedAnnotation]);
  expect(await run("pause", "cm", "a", "b")).toMatchObject({ code: 0, out: "cm/a paused\ncm/b paused\n" });
  expect(await annotations()).toEqual(["true", "true"]);
  expect(await run("pause", "configmap/a", "--controllers", "web,db")).toMatchObject({ code: 0 });
  expect(await annotations()).toEqual(["web,db", "true"]);
  expect(await run("resume", "cm/a", "cm/b", "-n", "default")).toMatchObject({ out: "cm/a resumed\ncm/b resumed\n" });
  expect(await annotations()).toEqual([undefined, undefined]);
  expect(await run("pause", "node", "n")).toMatchObject({ code: 0 });
});

test.each([
  [["pause", "cm"], "no object is named. Give a kind and names, as in: foo web db"],
  [["pause", "cm/a/b"], '"cm/a/b" names no object'],
  [["pause", "foo", "a"], 'the server doesn\'t have a resource type "foo"'],
  [["resume", "cm", "missing"], 'configmaps "missing" not found'],
])("%j fails with a sentence", async (args, message) => {
  const { run } = await setup();
  const { code, err } = await run(...args);
  expect([code, err]).toEqual([1, expect.stringContaining(message)]);
});
