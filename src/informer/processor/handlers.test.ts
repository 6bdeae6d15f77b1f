import { expect, test } from "vitest";
import { DeletedFinalStateUnknown } from "../store/key.js";
import { filteringHandler, handlerName, type ObjectChange, tell } from "./handlers.js";

test("a filter turns updates into adds and deletes by who passes before and after", () => {
  const seen: string[] = [];
  const handler = filteringHandler<number>((value) => value instanceof DeletedFinalStateUnknown || value > 10, {
    onAdd: (value, initial) => seen.push(`add ${value} ${initial}`),
    onUpdate: (old, value) => seen.push(`update ${old}→${value}`),
    onDelete: (value) => seen.push(`delete ${value instanceof DeletedFinalStateUnknown ? value.key : value}`),
  });
  handler.onAdd?.(1, true);
  handler.onAdd?.(11, true);
  handler.onUpdate?.(1, 2);
  handler.onUpdate?.(1, 12);
  handler.onUpdate?.(12, 13);
  handler.onUpdate?.(13, 3);
  handler.onDelete?.(3);
  handler.onDelete?.(14);
  handler.onDelete?.(new DeletedFinalStateUnknown<number>("gone", undefined));
  expect(seen).toEqual(["add 11 true", "add 12 false", "update 12→13", "delete 13", "delete 14", "delete gone"]);
});

test("missing callbacks are fine", () => {
  const handler = filteringHandler<number>(() => true, {});
  expect(handler.onAdd?.(1, false)).toBeUndefined();
  expect(handler.onUpdate?.(1, 2)).toBeUndefined();
  expect(handler.onDelete?.(1)).toBeUndefined();
});

test("a handler is named by its functions, else by its class", () => {
  const enqueue = (): void => {};
  const requeue = (): void => {};
  class Watcher {
    readonly onAdd = (): void => {};
  }
  expect(handlerName({ onAdd: enqueue, onUpdate: enqueue })).toBe("enqueue");
  expect(handlerName({ onAdd: enqueue, onUpdate: requeue })).toBe("enqueue+requeue");
  expect(handlerName(new Watcher())).toBe("Watcher");
  expect(handlerName({ onAdd: () => {} })).toBe("handler");
});

test("a handler is a function of changes, or an object with a function for each: both hear of the same", () => {
  const changes: readonly ObjectChange<string>[] = [
    { type: "added", object: "a", initial: true },
    { type: "updated", object: "b", previous: "a" },
    { type: "resync", object: "b", previous: "b" },
    { type: "deleted", object: "b", key: "k", missed: false },
    { type: "deleted", object: "b", key: "k", missed: true },
  ];
  const told: unknown[] = [];
  const callbacks = {
    onAdd: (object: string, initial: boolean) => told.push(["add", object, initial]),
    onUpdate: (previous: string, object: string) => told.push(["update", previous, object]),
    onDelete: (object: unknown) => told.push(["delete", object]),
  };
  const heard: ObjectChange<string>[] = [];
  for (const change of changes) {
    tell(callbacks, change);
    tell((same: ObjectChange<string>) => heard.push(same), change);
  }
  expect(heard).toEqual(changes);
  expect(told).toEqual([
    ["add", "a", true],
    ["update", "a", "b"],
    ["update", "b", "b"],
    ["delete", "b"],
    ["delete", new DeletedFinalStateUnknown("k", "b")],
  ]);
  function wakeUp(): void {}
  expect([handlerName(wakeUp), handlerName(() => {})]).toEqual(["wakeUp", "handler"]);
});
