import { expect, test } from "vitest";
import { ask } from "../../../test/ask.js";
import { startTestServer } from "../../testing/cluster.js";
import type { ApiServer } from "../index.js";

const deployments = "/apis/apps/v1/namespaces/default/deployments";
const scale = `${deployments}/a/scale`;

async function serverWithDeployment(): Promise<ApiServer> {
  const server = await startTestServer({});
  await ask(server, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
  const labels = { app: "a" };
  const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { selector: { matchLabels: labels }, template };
  await ask(server, "POST", deployments, { metadata: { name: "a" }, spec });
  return server;
}

test("the metadata of a scale is judged, although nothing of it is kept", async () => {
  await using server = await serverWithDeployment();
  const { code, message } = await ask(server, "PATCH", scale, { metadata: { annotations: { "a b": "c" } } });
  expect([code, message]).toEqual([
    422,
    expect.stringMatching(
      /^Scale\.autoscaling "a" is invalid: metadata\.annotations: Invalid value: "a b": name part /,
    ),
  ]);
});

test("an update with another uid is refused in the words of the store", async () => {
  await using server = await serverWithDeployment();
  const metadata = { name: "a", namespace: "default", uid: "other" };
  const { code, message } = await ask(server, "PUT", scale, { metadata, spec: { replicas: 2 } });
  expect([code, message]).toEqual([
    409,
    expect.stringMatching(
      /^Operation cannot be fulfilled on deployments\.apps "a": StorageError: invalid object, Code: 4, Key: \/registry\/deployments\/default\/a, /,
    ),
  ]);
});

test("an applied scale may leave out its metadata, and nulls in it", async () => {
  await using server = await serverWithDeployment();
  const apply = (given: object) =>
    ask(server, "APPLY", `${scale}?fieldManager=a&force=true`, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      ...given,
    });
  expect(await apply({ spec: { replicas: 2 } })).toMatchObject({ code: 200, spec: { replicas: 2 } });
  expect(await apply({ metadata: { name: "a", annotations: { k: null } } })).toMatchObject({ code: 200 });
  expect(await apply({ metadata: { name: "b" } })).toMatchObject({
    code: 400,
    message: "the name of the object (b) does not match the name on the URL (a)",
  });
});
