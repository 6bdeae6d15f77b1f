import { expect, test } from "vitest";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import { FakeClock, silentLogger } from "../base/index.js";
import { type CacheMutationError, MutationDetector, SharedIndexInformer } from "./index.js";

test("a handler that changes a cached object is found, with the path that changed", async () => {
  const clock = new FakeClock();
  const server = new ModelServer();
  server.put("a", 1);
  const found: CacheMutationError[] = [];
  const informer = new SharedIndexInformer<Thing>({
    source: server,
    clock,
    mutationDetector: new MutationDetector({ onMutation: (error) => found.push(error) }),
  });
  informer.addEventHandler({
    onAdd(thing) {
      (thing as { spec: { value: number } }).spec.value = 2;
    },
  });
  const running = informer.start();
  await clock.advance(1000);
  expect(found[0]).toMatchObject({ key: "default/a", path: "spec.value" });
  await running[Symbol.asyncDispose]();
});

test("without a listener the error is thrown, so that it cannot be overlooked", () => {
  const detector = new MutationDetector<Thing>();
  const thing = new ModelServer().put("a", 1) as { spec: { value: number } } & Thing;
  detector.addChanges([{ type: "added" as const, object: thing, initial: false }]);
  detector.check();
  thing.spec.value = 2;
  expect(() => detector.check()).toThrow("default/a was modified at spec.value");
});

test("objects are watched for two generations of two minutes; deletions are not watched", async () => {
  const clock = new FakeClock();
  const found: string[] = [];
  const detector = new MutationDetector<Thing>({ onMutation: ({ key }) => found.push(key) });
  const server = new ModelServer();
  const thing = server.put("a", 1) as { spec: { value: number } } & Thing;
  detector.addChanges([
    { type: "added" as const, object: thing, initial: false },
    { type: "deleted" as const, object: server.put("gone"), key: "default/gone", missed: false },
  ]);
  using _ = detector.start(clock, silentLogger);
  await clock.advance(123_000);
  thing.spec.value = 2;
  await clock.advance(1000);
  expect(found).toEqual(["default/a"]);
  await clock.advance(240_000);
  const before = found.length;
  await clock.advance(10_000);
  expect(found).toHaveLength(before);
});
