import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FlowSchema, PriorityLevelConfiguration } from "../../api/index.js";
import type { RequestInfo } from "../contracts/request.js";
import { allocate } from "./allocation.js";
import { Demand } from "./demand.js";
import { Drops } from "./drops.js";
import { deal, hashOf } from "./hands.js";
import { type Level, Levels } from "./levels.js";
import { applies } from "./matching.js";
import { suggested } from "./suggested.js";
import { WatchCounts, workOf } from "./work.js";

const info = (over: object = {}): Extract<RequestInfo, { type: "resource" }> => ({
  type: "resource",
  verb: "get",
  group: "",
  version: "v1",
  namespace: "default",
  inNamespace: true,
  resource: "pods",
  name: "",
  subresource: "",
  rest: [],
  ...over,
});

const level = (levels: Levels, name: string): Level => [...levels].find((one) => one.name === name) as Level;

describe("levels", () => {
  test("divide six hundred seats as kube-apiserver's metrics show them", () => {
    const levels = new Levels(600, 0);
    levels.configure(suggested, 0);
    const limits = Object.fromEntries(
      [...levels].map(({ name, nominal, least, most }) => [name, [nominal, least, most] as const]),
    );
    expect(limits).toEqual({
      exempt: [0, 0, 600],
      "node-high": [98, 73, 698],
      system: [74, 50, 674],
      "leader-election": [25, 25, 625],
      "workload-high": [98, 49, 698],
      "workload-low": [245, 24, 845],
      "global-default": [49, 24, 649],
      "catch-all": [13, 13, 613],
    });
  });

  test("lend seats to a busy one, and take them back when their owner needs them", () => {
    const levels = new Levels(600, 0);
    levels.configure(suggested, 0);
    const busy = level(levels, "global-default");
    const before = busy.queues.limit;
    const work = { seats: 1, finalSeats: 0, lingerMs: 0 };
    for (let i = 0; i < 300; i++) busy.queues.arrive({ work, hand: [0], held: false }, 0);
    busy.demand.set(busy.queues.demand, 0);
    levels.divide(10_000);
    expect(busy.queues.limit).toBeGreaterThan(before + 50);
    const lender = level(levels, "workload-low");
    for (let i = 0; i < 1000; i++) lender.queues.arrive({ work, hand: [i % 128], held: false }, 10_000);
    lender.demand.set(lender.queues.demand, 10_000);
    levels.divide(20_000);
    expect(lender.queues.limit).toBeGreaterThanOrEqual(lender.nominal);
  });

  test("exempt and catch-all work without their objects, whose requests they are by default", () => {
    const levels = new Levels(100, 0);
    const of = (groups: readonly string[]): string => levels.flowOf({ username: "u", groups }, info()).level.name;
    expect([of(["system:masters"]), of(["system:authenticated"]), of([])]).toEqual([
      "exempt",
      "catch-all",
      "catch-all",
    ]);
    expect(level(levels, "catch-all").nominal).toBe(100);
  });

  test("a schema whose level is gone matches nothing, and the level goes on until its requests have ended", () => {
    const levels = new Levels(100, 0);
    const custom = { ...(suggested.levels[1] as PriorityLevelConfiguration), metadata: { name: "mine", uid: "l1" } };
    const schema: FlowSchema = {
      ...(suggested.schemas.find(({ metadata }) => metadata.name === "global-default") as FlowSchema),
      metadata: { name: "mine", uid: "s1" },
    };
    const own = { ...schema, spec: { ...schema.spec, priorityLevelConfiguration: { name: "mine" } } } as FlowSchema;
    levels.configure({ levels: [custom], schemas: [own] }, 0);
    const user = { username: "u", groups: ["system:authenticated"] };
    const flow = levels.flowOf(user, info());
    expect([flow.schema, flow.schemaUid, flow.level.uid, flow.distinguisher]).toEqual(["mine", "s1", "l1", "u"]);
    const ticket = flow.level.queues.arrive(
      { work: { seats: 1, finalSeats: 0, lingerMs: 0 }, hand: [0], held: false },
      0,
    );
    levels.configure({ levels: [], schemas: [own] }, 1);
    expect(levels.flowOf(user, info()).schema).toBe("catch-all");
    expect(levels.has(flow.level)).toBe(true);
    flow.level.queues.leave(ticket as never, 2);
    levels.reap(flow.level, 2);
    expect(levels.has(flow.level)).toBe(false);
  });
});

describe("matching", () => {
  const everybody = { kind: "Group", group: { name: "*" } } as const;
  const spec = (rule: object): NonNullable<FlowSchema["spec"]> =>
    ({ priorityLevelConfiguration: { name: "x" }, rules: [{ subjects: [everybody], ...rule }] }) as never;
  const user = { username: "system:serviceaccount:a:b", groups: [] };
  const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };

  test.each([
    ["a resource in a named namespace", { ...all, namespaces: ["default"] }, info(), true],
    ["a resource in another namespace", { ...all, namespaces: ["other"] }, info(), false],
    [
      "a list over all namespaces, without the cluster's scope",
      { ...all, namespaces: ["*"] },
      info({ namespace: "" }),
      false,
    ],
    ["a list over all namespaces", { ...all, clusterScope: true }, info({ namespace: "" }), true],
    [
      "a subresource by its own name",
      { ...all, resources: ["pods/log"], namespaces: ["*"] },
      info({ subresource: "log" }),
      true,
    ],
    [
      "a subresource by its resource",
      { ...all, resources: ["pods"], namespaces: ["*"] },
      info({ subresource: "log" }),
      false,
    ],
  ])("%s", (_, rule, request, expected) => {
    expect(applies(spec({ resourceRules: [rule] }), user, request)).toBe(expected);
  });

  test.each([
    ["/healthz", "/healthz", true],
    ["/healthz", "/healthz/ping", true],
    ["/healthz", "/healthzz", false],
    ["/apis/*", "/apis/apps", true],
    ["*", "/x", true],
  ])("the path %s and a request for %s: %s", (url, path, expected) => {
    const rule = { nonResourceRules: [{ verbs: ["get"], nonResourceURLs: [url] }] };
    expect(applies(spec(rule), user, { type: "other", verb: "get", path })).toBe(expected);
  });

  test.each([
    [{ kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "*" } }, true],
    [{ kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "b" } }, true],
    [{ kind: "ServiceAccount", serviceAccount: { namespace: "a", name: "c" } }, false],
    [{ kind: "User", user: { name: "*" } }, true],
    [{ kind: "Group", group: { name: "g" } }, false],
  ])("%j is the user: %s", (subject, expected) => {
    const rule = { subjects: [subject], resourceRules: [{ ...all, namespaces: ["*"] }] };
    expect(applies(spec(rule), user, info())).toBe(expected);
  });
});

interface Over {
  readonly query?: URLSearchParams;
  readonly stored?: undefined;
  readonly watchers?: number;
  readonly mostSeats?: number;
}

describe("work", () => {
  const around =
    (over: Over = {}): Parameters<typeof workOf>[1] =>
    () => ({
      query: over.query ?? new URLSearchParams(),
      stored: () => ("stored" in over ? over.stored : { count: 1000, averageBytes: 1000 }),
      watchers: () => over.watchers ?? 0,
      mostSeats: over.mostSeats ?? 10,
    });
  const list = info({ verb: "list" });

  test.each([
    ["a list of a megabyte", list, {}, { seats: 10, finalSeats: 0, lingerMs: 0 }],
    ["a page of it", list, { query: new URLSearchParams("limit=250") }, { seats: 3 }],
    ["a list of one name", info({ verb: "list", name: "a" }), {}, { seats: 1 }],
    ["a list in a narrow level", list, { mostSeats: 4 }, { seats: 4 }],
    ["a list of an unknown kind", list, { stored: undefined }, { seats: 1 }],
    ["a watch that begins with the state", info({ verb: "watch" }), {}, { seats: 10 }],
    [
      "a watch from a revision",
      info({ verb: "watch" }),
      { query: new URLSearchParams("resourceVersion=7") },
      { seats: 1 },
    ],
    ["a change that few watch", info({ verb: "update" }), { watchers: 9 }, { seats: 1, finalSeats: 0, lingerMs: 0 }],
    [
      "a change that 500 watch",
      info({ verb: "update" }),
      { watchers: 500 },
      { seats: 1, finalSeats: 10, lingerMs: 25 },
    ],
    [
      "a token",
      info({ verb: "create", resource: "serviceaccounts", subresource: "token" }),
      { watchers: 99 },
      { finalSeats: 0 },
    ],
    ["a deletion of many", info({ verb: "deletecollection" }), { watchers: 500 }, { seats: 1, finalSeats: 0 }],
  ])("%s", (_, request, over, expected) => {
    expect(workOf(request, around(over))).toMatchObject(expected);
  });

  test("a change counts the watches of its kind, namespace and name", () => {
    const counts = new WatchCounts();
    const none = new URLSearchParams();
    const open = [
      counts.open(info({ verb: "watch", namespace: "" }), none),
      counts.open(info({ verb: "watch" }), none),
      counts.open(info({ verb: "watch", name: "a" }), none),
      counts.open(info({ verb: "watch", namespace: "other" }), none),
      counts.open(info({ verb: "watch", namespace: "" }), new URLSearchParams("fieldSelector=spec.nodeName%3Dn1")),
    ];
    const interested = (): number => counts.interestedIn(info({ verb: "update", name: "a" }));
    expect(interested()).toBe(3);
    for (const one of [...open, ...open]) one[Symbol.dispose]();
    expect(interested()).toBe(0);
  });
});

describe("hands", () => {
  test("the hash of a flow is the one of kube-apiserver", () => {
    // the first eight bytes of sha256("a\0b"), the least significant one first
    expect(hashOf("a", "b")).toBe(createHash("sha256").update("a\0b").digest().readBigUInt64LE());
  });

  test("a hand has different cards, all of the deck", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 8, max: 200 }), (hash, deck) => {
        const hand = deal(hash, deck, 8);
        expect(new Set(hand).size).toBe(8);
        expect(hand.every((card) => card >= 0 && card < deck)).toBe(true);
      }),
    );
  });

  test("the cards follow from the hash", () => {
    // 4 = 4 mod 5, then 0 mod 4, 0 mod 3: the fourth card, the first, and the first of the rest
    expect(deal(4n, 5, 3)).toEqual([4, 0, 1]);
    expect(deal(5n, 5, 3)).toEqual([0, 2, 1]);
  });
});

describe("the division of seats", () => {
  test("gives each claim its part in proportion to its target, within its bounds", () => {
    const claim = fc
      .tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 100 }))
      .map(([least, more, most]) => ({ least, target: least + more, most: least + most }));
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 6 }), fc.nat(400), (claims, total) => {
        const [low, high] = [claims.reduce((sum, c) => sum + c.least, 0), claims.reduce((sum, c) => sum + c.most, 0)];
        const found = allocate(total, claims);
        expect(found === undefined).toBe(total < low || total > high);
        if (found === undefined) return;
        const { amounts, proportion } = found;
        expect(amounts.reduce((a, b) => a + b, 0)).toBeCloseTo(total, 5);
        for (const [i, { least, most, target }] of claims.entries()) {
          const fair = Math.max(least, Math.min(most, proportion * Math.max(target, 0.001)));
          expect(amounts[i]).toBeCloseTo(fair, 5);
        }
      }),
    );
  });

  test("knows the peak, the average and the deviation of a demand, and forgets slowly", () => {
    const demand = new Demand(0);
    demand.set(10, 0);
    demand.set(0, 5_000);
    expect(demand.endPeriod(10_000)).toEqual({ peak: 10, average: 5, deviation: 5, smoothed: 10 });
    expect(demand.endPeriod(20_000)).toEqual({ peak: 0, average: 0, deviation: 0, smoothed: 9.77 });
  });
});

test("the advice to rejected clients doubles while many are rejected, and shrinks when few are", () => {
  const drops = new Drops();
  const second = (at: number, rejected: number): number =>
    Array.from({ length: rejected }, () => drops.count(at)).at(-1) ?? 0;
  expect([second(100, 5), second(101, 5), second(102, 5), second(103, 9)]).toEqual([1, 2, 2, 4]);
  expect([second(120, 1), second(130, 1), second(140, 1), second(150, 1)]).toEqual([3, 2, 1, 1]);
});
