import { expect, test } from "vitest";
import { FakeClock } from "../base/index.js";
import { ModelServer, type Thing } from "../../test/informer/model-server.js";
import { SharedIndexInformer } from "./index.js";

function recorder(): {
  readonly seen: string[];
  readonly handler: Parameters<SharedIndexInformer<Thing>["addEventHandler"]>[0];
} {
  const seen: string[] = [];
  return {
    seen,
    handler: {
      onAdd: (thing, isInInitialList) =>
        void seen.push(`add ${thing.metadata.name}${isInInitialList ? " initially" : ""}`),
      onUpdate: (old, thing) => void seen.push(`update ${old.spec?.value}→${thing.spec?.value}`),
      onDelete: (thing) => void seen.push(`delete ${"key" in thing ? `tombstone ${thing.key}` : thing.metadata.name}`),
    },
  };
}

for (const supportsWatchList of [true, false])
  test(`a change on the server reaches cache and handlers, watch-list ${supportsWatchList}`, async () => {
    const clock = new FakeClock();
    const server = new ModelServer({ supportsWatchList });
    server.put("a", 1);
    const informer = new SharedIndexInformer<Thing>({ source: server, clock });
    const { seen, handler } = recorder();
    const registration = informer.addEventHandler(handler);
    await using _ = informer.start();
    await clock.advance(0);
    expect(informer.hasSynced).toBe(true);
    expect(registration.hasSynced).toBe(true);
    server.put("b", 1);
    server.put("a", 2);
    server.remove("b");
    await clock.advance(0);
    expect(seen).toEqual(["add a initially", "add b", "update 1→2", "delete b"]);
    expect(informer.indexer.listKeys()).toEqual(["default/a"]);
  });
