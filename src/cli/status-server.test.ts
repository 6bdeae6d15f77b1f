import { request } from "node:http";
import { expect, test } from "vitest";
import { MetricsRegistry, silentLogger } from "../base/index.js";
import type { RunningControllers } from "../builtin/index.js";
import { Journal } from "../controller/index.js";
import { emptySources } from "../../test/page/empty-sources.js";
import { startStatusServer, type StatusServerOptions } from "./status-server.js";

function start(options: Partial<StatusServerOptions> = {}) {
  const plain = { host: "127.0.0.1", port: 0, metrics: new MetricsRegistry(), log: silentLogger };
  return startStatusServer({ ...plain, notReady: () => undefined, ...options });
}

function get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      response.on("end", () => resolve(`${response.statusCode} ${body.trimEnd()}`));
    });
    sent.on("error", reject);
    sent.end();
  });
}

test("it is alive from the start, and ready when the program says so", async () => {
  let why: string | undefined = "starting";
  await using server = await start({ notReady: () => why });
  expect([await get(`${server.url}/healthz`), await get(`${server.url}/readyz`)]).toEqual([
    "200 ok",
    "503 not ready: starting",
  ]);
  why = undefined;
  expect(await get(`${server.url}/readyz`)).toBe("200 ok");
});

test.each([
  ["localhost", 200],
  ["localhost:6480", 200],
  ["127.0.0.1", 200],
  ["[::1]:6480", 200],
  ["10.0.0.1:80", 200],
  ["attacker.example", 403],
  ["attacker.example:6480", 403],
  ["localhost.attacker.example", 403],
])("on loopback it answers for this machine only: %s", async (host, status) => {
  await using server = await start();
  expect(await get(`${server.url}/metrics`, { host })).toMatch(new RegExp(`^${status}\\b`));
});

test("where others reach it, metrics are for those who may read them", async () => {
  await using server = await start({ host: "0.0.0.0", mayRead: async (sent) => sent === "Bearer good" });
  await using silent = await start({ host: "0.0.0.0" });
  const url = server.url.replace("0.0.0.0", "127.0.0.1");
  expect(await get(`${url}/metrics`)).toMatch(/^401 /);
  expect(await get(`${url}/metrics`, { authorization: "Bearer bad" })).toMatch(/^401 /);
  expect(await get(`${url}/metrics`, { authorization: "Bearer good", host: "node.example" })).toMatch(/^200/);
  expect(await get(`${url}/readyz`)).toBe("200 ok");
  expect(await get(`${silent.url.replace("0.0.0.0", "127.0.0.1")}/metrics`)).toMatch(/^401 /);
});

test("the debug pages show controllers once they are at work", async () => {
  const journal = new Journal();
  const why = { reasons: [], omittedReasons: 0, reads: [], writes: [], omitted: 0, waitedMs: 0 };
  const ran = {
    run: 1,
    controller: "deployment",
    startedAt: 0,
    durationMs: 1,
    result: { type: "done" },
    ...why,
  } as const;
  journal.add({ ...ran, key: "default/web" });
  journal.add({ ...ran, key: "default/other" });
  const atWork: { controllers?: RunningControllers } = {};
  const controllers = (): RunningControllers | undefined => atWork.controllers;
  await using server = await start({ controllers });
  expect(await get(`${server.url}/debug/controllers`)).toBe("404 not found");
  atWork.controllers = { names: ["deployment-controller"], journal, snapshots: () => [], loops: [] };
  expect(await get(`${server.url}/debug/controllers`)).toBe("200 []");
  const page = await get(`${server.url}/debug/journal?key=default/web`);
  expect(page).toContain("deployment #1 reconciled default/web");
  expect(page).not.toContain("default/other");
  await using open = await start({ host: "0.0.0.0", controllers });
  expect(await get(`${open.url.replace("0.0.0.0", "127.0.0.1")}/debug/journal`)).toMatch(/^401 /);
});

test("the page stands at /, and wants its token where other machines can reach it", async () => {
  const page = emptySources();
  await using none = await start();
  expect([none.pageUrl, await get(`${none.url}/page/numbers`)]).toEqual([undefined, "404 not found"]);
  await using local = await start({ page });
  expect(local.pageUrl).toBe(`${local.url}/`);
  expect(await get(`${local.url}/page/numbers`)).toMatch(/^200 \{"at":/);
  expect(await get(`${local.url}/page/numbers`, { host: "elsewhere.example" })).toMatch(/^403 /);
  await using open = await start({ host: "0.0.0.0", page });
  const token = /\/\?token=([0-9a-f]{32})$/.exec(open.pageUrl ?? "")?.[1] ?? "";
  const numbers = `${open.url.replace("0.0.0.0", "127.0.0.1")}/page/numbers`;
  expect(await get(numbers)).toMatch(/^401 /);
  expect(await get(numbers, { authorization: `Bearer ${token}` })).toMatch(/^200 /);
});
