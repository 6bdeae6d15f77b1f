import { expect, test } from "vitest";
import { FakeClock, startRunning } from "../../src/base/index.js";
import type { Transport } from "../../src/base/http.js";
import { Client } from "../../src/client/index.js";
import { builtInControllers, runControllers } from "../../src/builtin/index.js";
import { startTestServer } from "../../src/testing/cluster.js";

test("starting all controllers opens one watch per kind", async () => {
  const clock = new FakeClock();
  await using server = await startTestServer({ clock });
  const watched: string[] = [];
  const inner = server.transport();
  const transport: Transport = (request, signal) => {
    const [path = "", query = ""] = request.path.split("?");
    if (/(?:^|&)watch=(?:1|true)/.test(query)) watched.push(path);
    return inner(request, signal);
  };
  await using client = new Client({ transport, clock });
  await using _controllers = startRunning((signal) =>
    runControllers({ client, controllers: builtInControllers, clock, signal }),
  );
  for (let step = 0; step < 20; step++) await clock.advance(100);
  expect(watched).toContain("/api/v1/pods");
  expect(watched.toSorted()).toEqual([...new Set(watched)].toSorted());
});
