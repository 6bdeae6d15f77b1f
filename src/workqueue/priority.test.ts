import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FakeClock, MetricsRegistry } from "../base/index.js";
import { fairOrder, fairPriorityOrder } from "./fair.js";
import { lowPriority, priorityOrder } from "./priority.js";
import { Queue } from "./queue.js";
import { RateLimitingQueue } from "./rate-limiting.js";

function drain<K>(queue: Queue<K>): K[] {
  const keys: K[] = [];
  for (let work = queue.tryGet(); work !== undefined; work = queue.tryGet()) {
    keys.push(work.key);
    work.done();
  }
  return keys;
}

describe("priority order", () => {
  test("greater priority first, within one the time of becoming ready", () => {
    const queue = new Queue<string>({ order: priorityOrder() });
    queue.add("list-1", { priority: lowPriority });
    queue.add("list-2", { priority: lowPriority });
    queue.add("fresh-1");
    queue.add("urgent", { priority: 10 });
    queue.add("fresh-2");
    expect(drain(queue)).toEqual(["urgent", "fresh-1", "fresh-2", "list-1", "list-2"]);
  });

  test("an add with a greater priority raises a waiting key, which keeps its age; a smaller one does nothing", () => {
    const queue = new Queue<string>({ order: priorityOrder() });
    queue.add("old", { priority: lowPriority });
    queue.add("b");
    queue.add("old");
    queue.add("b", { priority: lowPriority });
    expect(queue.snapshot().ready.map(({ key, priority }) => [key, priority])).toEqual([
      ["old", 0],
      ["b", 0],
    ]);
    expect(drain(queue)).toEqual(["old", "b"]);
  });

  test("a key added while held keeps the greatest priority for its second run", () => {
    const queue = new Queue<string>({ order: priorityOrder() });
    queue.add("a");
    const work = queue.tryGet();
    queue.add("a", { priority: lowPriority });
    queue.add("a", { priority: 7 });
    work?.done();
    expect(queue.tryGet()?.priority).toBe(7);
  });

  test("delayed keys are ordered by the time at which they became ready, even if the timer is late", async () => {
    const clock = new FakeClock();
    const queue = new RateLimitingQueue<string>(undefined, { clock, order: priorityOrder() });
    queue.addAfter("second", 20);
    queue.addAfter("first", 10);
    await clock.advance(30);
    queue.add("third");
    expect([queue.tryGet()?.key, queue.tryGet()?.key, queue.tryGet()?.key]).toEqual(["first", "second", "third"]);
  });

  test("under constant high-priority load the n-th low key still runs within n × levels × turnEvery pops", () => {
    const queue = new Queue<string>({ order: priorityOrder({ turnEvery: 8 }) });
    for (let i = 1; i <= 5; i++) queue.add(`low-${i}`, { priority: lowPriority });
    const ranAt = new Map<string, number>();
    for (let pop = 1; pop <= 200; pop++) {
      queue.add(`high-${pop}`, { priority: 10 });
      queue.add(`high-${pop}-b`, { priority: 10 });
      const work = queue.tryGet();
      if (work?.key.startsWith("low")) ranAt.set(work.key, pop);
      work?.done();
    }
    for (let i = 1; i <= 5; i++) expect(ranAt.get(`low-${i}`)).toBeLessThanOrEqual(i * 2 * 8);
  });

  test("turnEvery 0 is strict", () => {
    const queue = new Queue<string>({ order: priorityOrder({ turnEvery: 0 }) });
    queue.add("low", { priority: -1 });
    for (let i = 0; i < 100; i++) queue.add(`high-${i}`);
    expect(drain(queue).indexOf("low")).toBe(100);
  });

  test("depth is told apart by priority, with a bound on how many series there can be", () => {
    const metrics = new MetricsRegistry();
    const queue = new Queue<string>({ name: "q", metrics, clock: new FakeClock(), order: priorityOrder() });
    queue.add("a", { priority: -100 });
    queue.add("b");
    queue.add("a");
    expect(metrics.expose()).toContain('workqueue_depth{name="q",priority="-100"} 0\n');
    expect(metrics.expose()).toContain('workqueue_depth{name="q",priority="0"} 2\n');
    for (let i = 1; i < 100; i++) queue.add(`k${i}`, { priority: i });
    expect(metrics.expose().match(/workqueue_depth\{name="q"/g)?.length).toBe(17);
  });
});

test("any run of adds, raises, takes and dones gives what sorting an array by priority and age gives", () => {
  const operation = fc.oneof(
    fc.record({
      type: fc.constant("add" as const),
      key: fc.integer({ min: 0, max: 9 }),
      priority: fc.integer({ min: -2, max: 2 }),
    }),
    fc.record({ type: fc.constant("take" as const) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 80 }), fc.constantFrom(0, 3), (operations, turnEvery) => {
      const queue = new Queue<number>({ order: priorityOrder({ turnEvery }) });
      let model: { key: number; priority: number; nth: number }[] = [];
      let nth = 0;
      let takes = 0;
      for (const step of operations) {
        if (step.type === "add") {
          queue.add(step.key, { priority: step.priority });
          const known = model.find(({ key }) => key === step.key);
          if (known === undefined) model.push({ key: step.key, priority: step.priority, nth: nth++ });
          else known.priority = Math.max(known.priority, step.priority);
        } else {
          const work = queue.tryGet();
          const sorted = [...model].sort((a, b) => b.priority - a.priority || a.nth - b.nth);
          if (sorted.length > 0) takes += 1;
          // in a turn for the neglected it may be another level, but always the oldest of a level
          const isTurn = turnEvery > 0 && takes % turnEvery === 0;
          const oldest = sorted.filter((item, i) => sorted[i - 1]?.priority !== item.priority).map(({ key }) => key);
          const allowed = isTurn ? oldest : oldest.slice(0, 1);
          if (sorted.length === 0) expect(work).toBeUndefined();
          else expect(allowed).toContain(work?.key);
          model = model.filter(({ key }) => key !== work?.key);
          work?.done();
        }
        expect(queue.length).toBe(model.length);
      }
    }),
  );
});

describe("fair order", () => {
  test("a noisy namespace delays only itself", () => {
    const queue = new Queue<string>({ order: fairOrder() });
    for (let i = 0; i < 100; i++) queue.add(`noisy/${i}`);
    queue.add("quiet/a");
    queue.add("other/a");
    queue.add("quiet/b");
    expect(drain(queue).slice(0, 6)).toEqual(["noisy/0", "quiet/a", "other/a", "noisy/1", "quiet/b", "noisy/2"]);
  });

  test("priority stands above fairness when both are asked for, and a raised key moves", () => {
    const queue = new Queue<string>({ order: fairPriorityOrder() });
    queue.add("noisy/1", { priority: lowPriority });
    queue.add("noisy/2", { priority: lowPriority });
    queue.add("quiet/1", { priority: lowPriority });
    queue.add("noisy/3");
    queue.add("noisy/2");
    expect(drain(queue)).toEqual(["noisy/2", "noisy/3", "noisy/1", "quiet/1"]);
  });

  test("with G groups waiting the n-th key of a group runs within n × G pops, whatever arrives; nothing is lost", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(3), { minLength: 1, maxLength: 60 }), (groups) => {
        const queue = new Queue<string>({ order: fairOrder() });
        groups.forEach((group, i) => queue.add(`${group}/${i}`));
        const keys = drain(queue);
        expect([...keys].sort()).toEqual(groups.map((group, i) => `${group}/${i}`).sort());
        const rank = new Map<string, number>();
        const groupCount = new Set(groups).size;
        keys.forEach((key, at) => {
          const group = key.slice(0, key.indexOf("/"));
          const nth = (rank.get(group) ?? 0) + 1;
          rank.set(group, nth);
          expect(at + 1).toBeLessThanOrEqual(nth * groupCount);
        });
      }),
    );
  });
});
