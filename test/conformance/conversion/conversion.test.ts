import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiServer } from "../../../src/apiserver/index.js";
import { startTestServer } from "../../../src/testing/cluster.js";
import { hasRealCluster, realCluster } from "../../../src/testing/shared-envtest.js";
import type { Json } from "../../ask.js";
import { eventually } from "../../eventually.js";
import type { Hook } from "../../webhook/hook.js";
import { normalized, ourSender, realSender, type Send } from "../differential/exchange.js";
import { Script, table } from "../differential/script.js";
import { definitionOf, group, startConversionHook, wrongAnswers } from "./hook.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const own = `${definitions}/widgets.${group}`;
const path = (version: string): string => `/apis/${group}/${version}/namespaces/default/widgets`;
const widget = (version: string, name: string, spec: object, more: object = {}): object => ({
  apiVersion: `${group}/${version}`,
  kind: "Widget",
  metadata: { name, ...more },
  spec,
});

function script(): Script {
  const [alpha, v1] = [path("v1alpha1"), path("v1")];
  const steps = new Script()
    .post(alpha, widget("v1alpha1", "one", { size: "3", colour: "red" }))
    .get(`${alpha}/one`)
    .get(`${v1}/one`)
    .get(v1)
    .get(alpha)
    .get(alpha, { accept: table })
    .post(v1, widget("v1", "two", { replicas: 5, colour: "blue" }, { labels: { a: "b" } }))
    .get(`${alpha}/two`)
    .get(`${alpha}?labelSelector=a%3Db`)
    .get(`${alpha}?fieldSelector=spec.colour%3Dred`)
    .get(`${alpha}?limit=1`)
    .post(v1, widget("v1", "bad", { replicas: -1 }))
    .post(alpha, widget("v1alpha1", "bad", { size: 3 }))
    .post(`${alpha}?dryRun=All`, widget("v1alpha1", "dry", { size: "3" }))
    .merge(`${alpha}/two`, { spec: { size: "6" } })
    .merge(`${alpha}/two`, { spec: { size: "6" } })
    .json(`${alpha}/two`, [{ op: "replace", path: "/spec/size", value: "7" }])
    .get(`${v1}/two`)
    .apply(`${alpha}/three?fieldManager=a`, widget("v1alpha1", "three", { size: "1" }))
    .apply(`${alpha}/three?fieldManager=a`, widget("v1alpha1", "three", { size: "2", colour: "green" }))
    .get(`${v1}/three`)
    .get(`${alpha}?watch=1&resourceVersion=0&timeoutSeconds=1`)
    .delete(`${alpha}/one`)
    .get(`${v1}/one`);
  for (const name of wrongAnswers) {
    steps
      .post(v1, widget("v1", `${name}-it`, { replicas: 1 }))
      .get(`${alpha}/${name}-it`)
      .merge(`${alpha}/${name}-it`, { spec: { colour: "red" } })
      .delete(`${alpha}/${name}-it`)
      .delete(`${v1}/${name}-it`);
  }
  return steps;
}

/** The port, the addresses of both sides and the uids of reviews differ by nature. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(normalized(value))
      .replaceAll(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<uid>")
      // the webhook's own text, whose members come in the order of the question
      .replaceAll(/('Kind' is missing in) '.*?'"/g, `$1 <text>"`)
      .replaceAll(/127\.0\.0\.1:\d+/g, "<address>"),
  );

/** Gives every answer, and the questions that the webhook got for the first steps. */
async function play(send: Send, hook: Hook): Promise<readonly Json[]> {
  const made = await send({ name: "", method: "POST", path: definitions, body: definitionOf(hook, "v1") });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  await eventually("the kind is served", async () => {
    const answers = await Promise.all(
      ["v1", "v1alpha1"].map((version) => send({ name: "", method: "GET", path: path(version) })),
    );
    return answers.every(({ status }) => status === 200);
  });
  const answers: Json[] = [];
  for (const step of script().steps) {
    const before = hook.calls.length;
    const { status, body, warnings } = await send(step);
    const call = hook.calls[before];
    const question =
      answers.length === 0 && call !== undefined
        ? { url: call.url, type: call.headers["content-type"], accept: call.headers["accept"], review: call.review }
        : {};
    answers.push(plain({ step: step.name, status, body, warnings, ...question }));
  }
  return answers;
}

describe.skipIf(!hasRealCluster())("conversion by a webhook, as the real server does it", () => {
  let server: ApiServer;
  let real: Send & Disposable;
  let hooks: readonly [Hook, Hook];

  beforeAll(async () => {
    server = await startTestServer();
    real = realSender(await realCluster());
    hooks = [await startConversionHook(), await startConversionHook()];
  }, 120_000);

  afterAll(async () => {
    await real({ name: "", method: "DELETE", path: own });
    real[Symbol.dispose]();
    await server[Symbol.asyncDispose]();
    for (const hook of hooks) await hook[Symbol.asyncDispose]();
  });

  test("every answer is the same", async () => {
    const theirs = await play(real, hooks[0]);
    const ours = await play(ourSender(server), hooks[1]);
    expect(ours).toEqual(theirs);
  }, 120_000);
});
