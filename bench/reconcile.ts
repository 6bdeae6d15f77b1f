/** The cost of the framework around a reconciler that does nothing: queue, cache read, context, journal, metrics. */
import { startApiServer } from "../src/apiserver/index.js";
import { ConfigMap } from "../src/api/index.js";
import { Client } from "../src/client/index.js";
import { Manager } from "../src/manager/index.js";
import { median, type Run } from "./harness.js";

const objects = 1_000;
const rounds = 40;

export const run: Run = async ({ log }) => {
  await using server = await startApiServer({});
  const client = new Client({ transport: server.transport() });
  const maps = client.resource(ConfigMap, { namespace: "default" });
  for (let i = 0; i < objects; i++) await maps.create({ metadata: { name: `map-${i}` } });
  const manager = await Manager.create({ client });
  let left = 0;
  let done = (): void => {};
  const ended = (): void => {
    left -= 1;
    if (left === 0) done();
  };
  const controller = manager.controller<ConfigMap>({
    name: "empty",
    for: ConfigMap,
    async reconcile() {
      ended();
    },
  });
  const finished = (count: number): Promise<void> =>
    new Promise((resolve) => {
      left = count;
      done = resolve;
    });
  const initial = finished(objects);
  await using _running = manager.start();
  await initial;
  const rates: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const all = finished(objects);
    const start = performance.now();
    for (let i = 0; i < objects; i++) controller.enqueue({ namespace: "default", name: `map-${i}` });
    await all;
    rates.push((objects * 1_000) / (performance.now() - start));
  }
  log(`${objects * rounds} runs`);
  return { figures: { "empty reconciles (1/s)": median(rates) }, ratios: {} };
};
