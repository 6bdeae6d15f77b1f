import { once } from "node:events";
import { Duplex } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../ask.js";
import {
  documents,
  type ExtensionServer,
  group,
  largeMebibytes,
  root,
  type Seen,
  startExtensionServer,
} from "./extension-server.js";
import { eventually } from "../eventually.js";
import {
  apiService,
  apiServices,
  condition,
  kinds,
  type Place,
  register,
  type Reply,
  serviceName,
  startPlace,
} from "./place.js";

/** Headers by which a server speaks of itself or of the connection. */
const own = /^(accept-encoding|traceparent|user-agent|x-forwarded-host)$/;

const mebibytes = (count: number): Buffer => Buffer.alloc(count * 1024 * 1024, "x");

const ports = [{ port: 443 }];
const faults: readonly {
  readonly service?: object;
  readonly slice?: object;
  readonly reason: string;
  readonly message: string;
}[] = [
  { reason: "ServiceNotFound", message: 'service/faulty in "extension" is not present' },
  {
    service: { ports: [{ port: 80 }] },
    reason: "ServicePortError",
    message: 'service/faulty in "extension" is not listening on port 443',
  },
  {
    service: { ports },
    reason: "EndpointsNotFound",
    message: 'cannot find endpointslices for service/faulty in "extension"',
  },
  {
    service: { ports },
    slice: { endpoints: [{ addresses: ["10.1.2.3"], conditions: { ready: false } }], ports: [{ name: "", port: 1 }] },
    reason: "MissingEndpoints",
    message: 'endpointslices for service/faulty in "extension" have no addresses with port name ""',
  },
];

// the same promises hold for the real server, which proves that they are the right ones
describe.each(kinds)("%s in front of an extension server", (kind) => {
  let extension: ExtensionServer;
  let place: Place;

  beforeAll(async () => {
    extension = await startExtensionServer();
    place = await startPlace(kind);
    await register(place, extension);
  });
  afterAll(async () => {
    await place?.[Symbol.asyncDispose]();
    await extension?.[Symbol.asyncDispose]();
  });

  const seenAt = (path: string): Seen => extension.seen.findLast(({ url }) => url.startsWith(path)) as Seen;

  test("tells it the user, and nothing else that the client says about itself", async () => {
    const headers = {
      "x-remote-user": "root",
      "x-remote-uid": "0",
      "x-remote-group": "system:masters",
      "x-remote-extra-scopes": "all",
      connection: "close, x-hop",
      "x-hop": "1",
      te: "trailers",
      cookie: "a=b",
      "x-own": "kept",
    };
    const path = `${root}/namespaces/default/echo`;
    const { status, text } = await place.send(`${path}?b=2&a=1`, { method: "POST", headers, body: { a: 1 } });
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({ method: "POST", body: '{"a":1}' });
    const { headers: got, certificate } = seenAt(path);
    expect(certificate).toBe("front-proxy-client");
    const kept = Object.fromEntries(Object.entries(got).filter(([name]) => !own.test(name)));
    expect(kept).toMatchObject({
      host: [`localhost:${extension.port}`],
      "x-remote-user": ["admin"],
      "x-remote-uid": ["admin-uid"],
      "x-remote-group": ["system:masters", "system:authenticated"],
      "x-forwarded-for": ["127.0.0.1"],
      "x-forwarded-uri": [path],
      "x-forwarded-proto": ["https"],
      "audit-id": [expect.stringMatching(/^[-0-9a-f]{36}$/)],
      cookie: ["a=b"],
      "x-own": ["kept"],
    });
    for (const name of ["authorization", "x-hop", "x-remote-extra-scopes"]) expect(kept[name], name).toBeUndefined();
  });

  test("tells it the user whom the client impersonates", async () => {
    const path = `${root}/namespaces/impersonated/echo`;
    const headers = {
      "impersonate-user": "alice",
      "impersonate-group": "system:masters",
      "impersonate-extra-a%2fb": "c",
    };
    expect((await place.send(path, { headers })).status).toBe(200);
    const { headers: got } = seenAt(path);
    expect(got["x-remote-user"]).toEqual(["alice"]);
    expect(got["x-remote-extra-a%2fb"] ?? got["x-remote-extra-a%2Fb"]).toEqual(["c"]);
    expect(Object.keys(got).filter((name) => name.startsWith("impersonate-"))).toEqual([]);
  });

  test("asks its own roles first", async () => {
    const path = `${root}/namespaces/refused/echo`;
    const { status, text } = await place.send(path, { as: "nobody" });
    expect(status).toBe(403);
    const message = `echo.${group} is forbidden: User "nobody" cannot list resource "echo" in API group "${group}" in the namespace "refused"`;
    expect(JSON.parse(text)).toMatchObject({ reason: "Forbidden", message });
    expect(extension.seen.some(({ url }) => url.startsWith(path))).toBe(false);
  });

  test("passes on its refusals, without its rules for browsers", async () => {
    const { status, headers, text } = await place.send(`${root}/refuse`);
    expect({ status, text }).toEqual({ status: 418, text: '{"kind":"Status","code":418}' });
    expect(headers["x-of-the-extension"]).toBe("1");
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  });

  test("does not let it send clients elsewhere", async () => {
    const { status, headers, text } = await place.send(`${root}/redirect`);
    expect({ status, location: headers["location"] }).toEqual({ status: 502, location: undefined });
    expect(text).toBe("the backend attempted to redirect this request, which is not permitted");
  });

  test("passes on answers of any length, and none at all", async () => {
    expect((await place.send(`${root}/large`)).text).toHaveLength(largeMebibytes * 1024 * 1024);
    expect(await place.send(`${root}/empty`)).toMatchObject({ status: 204, text: "" });
    expect(await place.send(`${root}/large`, { method: "HEAD" })).toMatchObject({ status: 200, text: "" });
  });

  test("passes on a body of any length", async () => {
    const headers = { "content-type": "text/plain", "content-length": String(mebibytes(largeMebibytes).length) };
    const { sent, answer } = place.write(`${root}/measure`, { method: "POST", headers });
    sent.end(mebibytes(largeMebibytes));
    let last = "";
    for await (const piece of answer) last += piece;
    expect(last).toMatch(new RegExp(`\\n${mebibytes(largeMebibytes).length} in all\\n$`));
  });

  test("passes on a body piece by piece, while the answer comes", async () => {
    const { sent, answer } = place.write(`${root}/measure`, { method: "POST" });
    sent.write("12345");
    expect(await answer.next()).toEqual({ done: false, value: "5\n" });
    sent.write("678");
    expect(await answer.next()).toEqual({ done: false, value: "8\n" });
    sent.end();
    expect(await answer.next()).toEqual({ done: false, value: "8 in all\n" });
    expect((await answer.next()).done).toBe(true);
  });

  test("gives an answer to a body that the server does not read", async () => {
    const { sent, answer } = place.write(`${root}/unread`, { method: "POST" });
    sent.on("error", () => {});
    sent.write("half");
    expect(await answer.next()).toEqual({ done: false, value: "too much" });
    sent.destroy();
  });

  test.each(["DELETE", "OPTIONS", "PUT"])("says where the body of a %s ends", async (method) => {
    const hidden = "POST /hidden HTTP/1.1\r\nHost: x\r\nX-Remote-User: root\r\nContent-Length: 0\r\n\r\n";
    for (const headers of [{ "content-length": String(hidden.length) }, { "transfer-encoding": "chunked" }]) {
      const { sent, answer } = place.write(`${root}/echo`, { method, headers });
      sent.end(hidden);
      let text = "";
      for await (const piece of answer) text += piece;
      expect(JSON.parse(text)).toMatchObject({ method, body: hidden });
    }
    expect(extension.seen.filter(({ url }) => url === "/hidden")).toEqual([]);
  });

  test("breaks off an answer that breaks off", async () => {
    await expect(place.send(`${root}/cut`)).rejects.toThrow();
  });

  test("passes on a watch event by event, and its end in either direction", async () => {
    const events = place.stream(`${root}/flunders?watch=true`);
    const first = events.next();
    await eventually("the watch has begun", () => extension.open === 1);
    extension.say("one");
    expect((await first).value).toBe("one\n");
    const second = events.next();
    extension.say("two");
    expect((await second).value).toBe("two\n");
    await events.return(undefined);
    await eventually("the watch has ended", () => extension.open === 0);
  });

  test("hands over connections that change their protocol, until either side ends", async () => {
    const socket = (await place.upgrade(`${root}/tunnel`)) as Duplex;
    const said: string[] = [];
    socket.setEncoding("utf8").on("data", (text: string) => said.push(text));
    await eventually("the extension speaks first", () => said.join("") === "HELLO ");
    socket.write("louder");
    await eventually("it answers", () => said.join("") === "HELLO LOUDER");
    const closed = once(socket, "close");
    socket.write("bye");
    await closed;
    expect(said.join("")).toBe("HELLO LOUDERBYE");
    const other = (await place.upgrade(`${root}/tunnel`)) as Duplex;
    await eventually("there is another tunnel", () => extension.open === 1);
    other.destroy();
    await eventually("it is closed", () => extension.open === 0);
  });

  test.each([
    ["forbidden", 403, "no"],
    ["plain", 503, "invalid upgrade response: status code 200\n"],
  ])("answers a change of protocol that is %s with %i", async (name, status, text) => {
    const answer = (await place.upgrade(`${root}/${name}`)) as Reply;
    expect(answer).not.toBeInstanceOf(Duplex);
    expect({ status: answer.status, text: answer.text }).toEqual({ status, text });
  });

  test("lists its resources among its own, and those of no other group", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const all = JSON.parse((await place.send("/apis", { headers: { accept } })).text).items;
    const named = (name: string): Json => all.find(({ metadata }: Json) => metadata.name === name);
    const flunders = {
      resource: "flunders",
      responseKind: { group: "", version: "", kind: "Flunder" },
      scope: "Namespaced",
      singularResource: "flunder",
      verbs: ["get", "list", "create", "watch"],
    };
    expect(named(group).versions).toEqual([{ version: "v1", resources: [flunders], freshness: "Current" }]);
    expect(JSON.stringify(named("apps"))).not.toContain("intruder");
    const names = all.map(({ metadata }: Json) => metadata.name);
    expect(names.slice(-1)).toEqual([group]);
    const groupVersion = { groupVersion: `${group}/v1`, version: "v1" };
    const about = { name: group, versions: [groupVersion], preferredVersion: groupVersion };
    expect(JSON.parse((await place.send("/apis")).text).groups.at(-1)).toEqual(about);
    expect(JSON.parse((await place.send(`/apis/${group}`)).text)).toEqual({
      kind: "APIGroup",
      apiVersion: "v1",
      ...about,
    });
    expect(JSON.parse((await place.send(root)).text)).toEqual(documents[root]);
    expect(JSON.parse((await place.send("/")).text).paths).toEqual(expect.arrayContaining([`/apis/${group}`, root]));
  });

  test("shows its schemas among its own", async () => {
    const serverRelativeURL = `/openapi/v3/apis/${group}/v1?hash=ABC123`;
    // a real server reads the schemas some time after the group has become available
    await expect
      .poll(async () => JSON.parse((await place.send("/openapi/v3")).text).paths[`apis/${group}/v1`])
      .toEqual({ serverRelativeURL });
    expect(JSON.parse((await place.send(serverRelativeURL)).text).info).toEqual({ title: "of the extension" });
    const inOne = async (): Promise<Json> => JSON.parse((await place.send("/openapi/v2")).text);
    await expect.poll(async () => (await inOne()).definitions["test.wardle.v1.Flunder"]).toBeDefined();
    const { paths, definitions } = await inOne();
    const $ref = "#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta_v2";
    expect(definitions["test.wardle.v1.Flunder"].properties).toEqual({ metadata: { $ref } });
    expect(definitions["io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta_v2"].description).toBe("another one");
    expect(definitions["test.wardle.v1.Unused"]).toEqual({ type: "object" });
    expect(paths[`${root}/flunders`].get.responses["200"].description).toBe("OK");
    expect(JSON.stringify(paths["/apis/apps/v1/deployments"])).not.toContain("intruding");
    const accept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf";
    await expect
      .poll(async () => (await place.send("/openapi/v2", { headers: { accept } })).text)
      .toContain("test.wardle.v1.Flunder");
  });

  test.each(faults)("says why a server cannot be reached: $reason", async ({ service, slice, reason, message }) => {
    const name = `v2.${group}`;
    const core = "/api/v1/namespaces/extension/services";
    const slices = "/apis/discovery.k8s.io/v1/namespaces/extension/endpointslices";
    if (service) await place.send(core, { method: "POST", body: { metadata: { name: "faulty" }, spec: service } });
    const metadata = { name: "faulty", labels: { "kubernetes.io/service-name": "faulty" } };
    if (slice) await place.send(slices, { method: "POST", body: { metadata, addressType: "IPv4", ...slice } });
    const spec = { service: { namespace: "extension", name: "faulty", port: 443 }, insecureSkipTLSVerify: true };
    const { status } = await place.send(apiServices, { method: "POST", body: apiService(spec, "v2") });
    expect(status).toBe(201);
    await eventually("it is found", async () => (await condition(place, name)).reason === reason);
    expect(await condition(place, name)).toEqual({ type: "Available", status: "False", reason, message });
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
    const { rows } = JSON.parse((await place.send(`${apiServices}/${name}`, { headers })).text);
    expect(rows[0].cells.slice(0, 3)).toEqual([name, "extension/faulty", `False (${reason})`]);
    expect((await place.send(`/apis/${group}/v2/things`)).text).toBe("service unavailable\n");
    for (const path of [`${apiServices}/${name}`, `${core}/faulty`, `${slices}/faulty`]) {
      await place.send(path, { method: "DELETE" });
    }
    await eventually("it is gone", async () => (await place.send(`/apis/${group}/v2/things`)).status === 404);
  });

  test("answers in its place once it is gone", async () => {
    const { port } = extension;
    await extension[Symbol.asyncDispose]();
    const { status, headers: told, text } = await place.send(`${root}/echo`);
    const away =
      /^(error trying to reach service: dial tcp (127\.0\.0\.1|\[::1\]):\d+: connect: connection refused|service unavailable)\n$/;
    expect({ status, type: told["content-type"] }).toEqual({ status: 503, type: "text/plain; charset=utf-8" });
    expect(text).toMatch(away);
    // the real server looks again when the APIService changes, and else only after half a minute
    const headers = { "content-type": "application/merge-patch+json" };
    const body = { metadata: { annotations: { changed: "now" } } };
    await place.send(`${apiServices}/${serviceName}`, { method: "PATCH", headers, body });
    await eventually("the loss is noticed", async () => (await condition(place)).status === "False");
    const url = `https://localhost:${port}${root}`;
    const found = await condition(place);
    expect(found).toMatchObject({ type: "Available", status: "False", reason: "FailedDiscoveryCheck" });
    expect(found.message.replace("[::1]", "127.0.0.1")).toBe(
      `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
    await eventually(
      "no request is tried",
      async () => (await place.send(`${root}/echo`)).text === "service unavailable\n",
    );
    await place[Symbol.asyncDispose]();
  });
});
