import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { abortable, isAbortOf, linkedAbort, onAbort } from "./abort.js";
import { Lifetime, runTogether, startRunning } from "./lifetime.js";

describe("startRunning", () => {
  test("disposing stops the run and waits for its end", async () => {
    const steps: string[] = [];
    const running = startRunning(async (signal) => {
      await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
      await Promise.resolve();
      steps.push("ended");
    });
    await running[Symbol.asyncDispose]();
    steps.push("disposed");
    await running.done;
    expect(steps).toEqual(["ended", "disposed"]);
  });

  test("done resolves when the run ends by the abort, and rejects when it fails by itself", async () => {
    const stopped = startRunning((signal) => abortable(new Promise<void>(() => {}), signal));
    await stopped[Symbol.asyncDispose]();
    await expect(stopped.done).resolves.toBeUndefined();
    const failed = startRunning(() => Promise.reject(new Error("by itself")));
    await expect(failed.done).rejects.toThrow("by itself");
  });

  test("stops with its parent, and leaves no listener on it", async () => {
    const parent = new AbortController();
    const running = startRunning((signal) => abortable(new Promise<void>(() => {}), signal), parent.signal);
    parent.abort(new Error("parent"));
    await running.done;
    expect(getEventListeners(parent.signal, "abort")).toHaveLength(0);
  });
});

describe("Lifetime", () => {
  test("disposes in reverse order, once, waiting for each", async () => {
    const order: string[] = [];
    const lifetime = new Lifetime();
    lifetime.use({ [Symbol.dispose]: () => void order.push("first") });
    lifetime.use({
      async [Symbol.asyncDispose]() {
        await Promise.resolve();
        order.push("second");
      },
    });
    lifetime.defer(() => order.push("third"));
    await Promise.all([lifetime[Symbol.asyncDispose](), lifetime[Symbol.asyncDispose]()]);
    expect(order).toEqual(["third", "second", "first"]);
    expect(() => lifetime.defer(() => {})).toThrow("this lifetime has ended");
  });

  test("one failing disposal keeps no other from running, and all failures are thrown", async () => {
    const order: string[] = [];
    const failing = (name: string) => () => {
      order.push(name);
      throw new Error(name);
    };
    const one = new Lifetime();
    one.defer(() => order.push("a"));
    one.defer(failing("b"));
    await expect(one[Symbol.asyncDispose]()).rejects.toThrow("b");
    const two = new Lifetime();
    two.defer(failing("c"));
    two.defer(failing("d"));
    const error = await two[Symbol.asyncDispose]().catch((caught: unknown) => caught);
    expect((error as AggregateError).errors.map(String)).toEqual(["Error: d", "Error: c"]);
    expect(order).toEqual(["b", "a", "d", "c"]);
  });
});

describe("abort", () => {
  test("a link aborts with any parent, with its reason, and after disposal with none", () => {
    const [a, b] = [new AbortController(), new AbortController()];
    const link = linkedAbort(a.signal, undefined, b.signal);
    const unlinked = linkedAbort(a.signal);
    unlinked[Symbol.dispose]();
    const reason = new Error("why");
    b.abort(reason);
    a.abort();
    expect([link.signal.reason, unlinked.signal.aborted]).toEqual([reason, false]);
    link[Symbol.dispose]();
  });

  test("abortable settles as the promise does, or rejects with the reason as soon as the signal aborts", async () => {
    const stop = new AbortController();
    await expect(abortable(Promise.resolve(5), stop.signal)).resolves.toBe(5);
    await expect(abortable(Promise.reject(new Error("own")), stop.signal)).rejects.toThrow("own");
    const waiting = abortable(new Promise(() => {}), stop.signal);
    stop.abort("a string");
    const error = await waiting.catch((caught: unknown) => caught);
    expect([String(error), isAbortOf(stop.signal, error), isAbortOf(stop.signal, new Error("x"))]).toEqual([
      "Error: aborted: a string",
      true,
      false,
    ]);
  });
});

describe("runTogether", () => {
  const untilAborted = (steps: string[], name: string) => async (signal: AbortSignal) => {
    await new Promise<void>((resolve) => onAbort(signal, () => resolve()));
    await Promise.resolve();
    steps.push(name);
  };

  test("a failure stops the others, and is thrown when they have ended", async () => {
    const steps: string[] = [];
    const fail = async (): Promise<void> => {
      throw new Error("broken");
    };
    const runs = [untilAborted(steps, "a"), fail, untilAborted(steps, "b")];
    await expect(runTogether(runs, new AbortController().signal)).rejects.toThrow("broken");
    expect(steps).toEqual(["a", "b"]);
  });

  test("an abort ends all of them, also if one of them ends by a throw at once", async () => {
    const steps: string[] = [];
    const stop = new AbortController();
    const throwing = (signal: AbortSignal): Promise<void> => abortable(new Promise<void>(() => {}), signal);
    const running = startRunning((signal) => runTogether([throwing, untilAborted(steps, "slow")], signal), stop.signal);
    stop.abort(new Error("stop"));
    await running.done;
    expect(steps).toEqual(["slow"]);
  });
});
