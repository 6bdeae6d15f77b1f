import { expect, test } from "vitest";
import { FakeClock, type Logger, MetricsRegistry } from "../../../base/index.js";
import { requestInfo, splitTarget } from "../request-info.js";
import { LongTurns } from "./long-turns.js";

function watched() {
  const clock = new FakeClock();
  const metrics = new MetricsRegistry();
  const logged: object[] = [];
  const pending: (() => void)[] = [];
  const log = { warn: (_: string, fields: object) => logged.push(fields) } as unknown as Logger;
  const registry = { endpoint: (_: string, __: string, resource: string) => (resource === "pods" ? {} : undefined) };
  const turns = new LongTurns({
    clock,
    log,
    metrics,
    registry: registry as never,
    afterTurn: (run) => pending.push(run),
  });
  return {
    logged,
    begin(method: string, target: string) {
      const { path, query } = splitTarget(target);
      turns.begin(requestInfo(method, path, query));
    },
    pass: (ms: number) => clock.advance(ms),
    endTurn() {
      for (const run of pending.splice(0)) run();
    },
    counts: () =>
      [...metrics.expose({ format: "prometheus" }).matchAll(/long_turn_seconds_count(\{.*\}) (\d+)/g)].map(
        ([, labels, count]) => `${labels} ${count}`,
      ),
  };
}

test("a long turn is the request's that was begun in it; of two, the one's that took long", async () => {
  const { begin, pass, endTurn, counts, logged } = watched();
  begin("GET", "/api/v1/pods");
  await pass(10);
  begin("POST", "/api/v1/namespaces/default/pods");
  await pass(150);
  begin("GET", "/api/v1/pods");
  await pass(50);
  endTurn();
  expect(counts()).toEqual(['{verb="create",resource="pods"} 1']);
  expect(logged).toEqual([{ verb: "create", resource: "pods", milliseconds: 150 }]);
});

test("time between turns is nobody's", async () => {
  const { begin, pass, endTurn, counts } = watched();
  begin("GET", "/api/v1/pods");
  endTurn();
  await pass(10_000);
  begin("GET", "/api/v1/pods");
  endTurn();
  expect(counts()).toEqual([]);
});

test("each is counted, but logged once; what is not served has one name", async () => {
  const { begin, pass, endTurn, counts, logged } = watched();
  for (const target of ["/api/v1/pods", "/api/v1/pods", "/api/v1/made-up", "/apis/a/b/c", "/healthz"]) {
    begin("GET", target);
    await pass(200);
    endTurn();
  }
  expect(counts()).toEqual(['{verb="list",resource="pods"} 2', '{verb="other",resource=""} 3']);
  expect(logged).toHaveLength(2);
});
