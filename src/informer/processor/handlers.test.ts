import { expect, test } from "vitest";
import { DeletedFinalStateUnknown } from "../store/key.js";
import { handlerName, type ObjectChange, tell } from "./handlers.js";

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
