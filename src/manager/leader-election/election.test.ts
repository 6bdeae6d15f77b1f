import { describe, expect, test } from "vitest";
import { type Replica, startReplica } from "../../../test/fixtures/replica.js";
import type { Lease } from "../../api/index.js";
import { FakeClock, MetricsRegistry } from "../../base/index.js";
import { newAlreadyExists, newConflict, newNotFound, objectHasBeenModified } from "../../api/index.js";
import {
  accepted,
  type ElectionRules,
  isHeldByOther,
  isLeading,
  nothingSeen,
  observe,
  problemWith,
  termEndsAt,
} from "./election.js";
import type { LeaderElectorOptions } from "./elector.js";
import { type LeaseClient, newLease } from "./lease.js";

const rules: ElectionRules = { identity: "me", leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };
const leases = { group: "coordination.k8s.io", resource: "leases" };
const name = { namespace: "kube-system", name: "lock" };

/** One lease on a server, with the server's rules about revisions. `fail` makes every call fail while it is set. */
class LeaseServer implements LeaseClient {
  lease: Lease | undefined;
  revision = 0;
  fail: Error | undefined;
  readonly calls: string[] = [];

  get = async (): Promise<Lease> => {
    this.#called("get");
    if (this.lease === undefined) throw newNotFound(leases, name.name);
    return this.lease;
  };
  create = async (lease: Lease): Promise<Lease> => {
    this.#called("create");
    if (this.lease !== undefined) throw newAlreadyExists(leases, name.name);
    return this.set(lease);
  };
  update = async (lease: Lease): Promise<Lease> => {
    this.#called("update");
    if (this.lease?.metadata.resourceVersion !== lease.metadata.resourceVersion) {
      throw newConflict(leases, name.name, objectHasBeenModified);
    }
    return this.set(lease);
  };

  set(lease: Lease): Lease {
    this.revision += 1;
    this.lease = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(this.revision) } };
    return this.lease;
  }

  #called(call: string): void {
    this.calls.push(call);
    if (this.fail !== undefined) throw this.fail;
  }
}

const heldBy = (holderIdentity: string, leaseDurationSeconds = 15, leaseTransitions = 3): Lease =>
  newLease(name, { holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime: "1999-01-01T00:00:00.000000Z" });

describe("rules", () => {
  for (const [problem, change] of [
    ["the identity is empty", { identity: "" }],
    ["leaseDurationMs must be greater than renewDeadlineMs", { leaseDurationMs: 10_000 }],
    ["renewDeadlineMs must be greater than retryPeriodMs × 1.2", { retryPeriodMs: 8_400 }],
    ["retryPeriodMs must be greater than zero, not 0", { retryPeriodMs: 0 }],
    ["leaseDurationMs must be whole seconds: a lease cannot say anything else", { leaseDurationMs: 15_500 }],
    [undefined, {}],
  ] as const) {
    test(`${problem ?? "the defaults of the field are sound"}`, () => {
      expect(problemWith({ ...rules, ...change })).toBe(problem);
    });
  }

  test("validity counts from when we last saw the record change, by the record's own duration; its times are not trusted", () => {
    const seen = observe(nothingSeen, heldBy("other", 30), 1000);
    expect(isHeldByOther(seen, rules, 30_999)).toBe(true);
    expect(isHeldByOther(seen, rules, 31_000)).toBe(false);
    const labelled = { ...heldBy("other", 30), metadata: { ...name, labels: { a: "b" }, resourceVersion: "9" } };
    expect(isHeldByOther(observe(seen, labelled, 20_000), rules, 31_000)).toBe(false);
    expect(isHeldByOther(observe(seen, heldBy("other", 30, 4), 20_000), rules, 31_000)).toBe(true);
    expect(isHeldByOther(observe(nothingSeen, heldBy(""), 0), rules, 1)).toBe(false);
  });

  test("a term counts from the sending of the request, and ends before the others may take over", () => {
    const state = accepted(nothingSeen, heldBy("me"), { sentAt: 1000, now: 3000 });
    expect(state.term).toEqual({ epoch: 3, renewedAt: 1000 });
    expect([isLeading(state, rules, 12_999), isLeading(state, rules, 13_000)]).toEqual([true, false]);
    for (const tight of [{ leaseDurationMs: 11_000 }, { leaseDurationMs: 12_000 }, { retryPeriodMs: 8_000 }]) {
      const changed = { ...rules, ...tight };
      const endsAt = termEndsAt({ epoch: 1, renewedAt: 0 }, changed);
      expect(endsAt).toBeGreaterThanOrEqual(changed.renewDeadlineMs);
      expect(endsAt).toBeLessThan(changed.leaseDurationMs);
    }
  });
});

function start(
  server: LeaseServer,
  clock: FakeClock,
  identity: string,
  options: Partial<LeaderElectorOptions> = {},
): Replica {
  return startReplica({ lease: name, leases: server, identity, clock, ...options });
}

describe("elector", () => {
  test("without a lease it creates one with transitions 0, and times of exactly six digits", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a", { labels: { app: "x" } });
    await clock.advance(1);
    expect(server.lease).toEqual({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { ...name, labels: { app: "x" }, resourceVersion: "1" },
      spec: {
        holderIdentity: "a",
        leaseDurationSeconds: 15,
        acquireTime: "2020-01-01T00:00:00.000000Z",
        renewTime: "2020-01-01T00:00:00.000000Z",
        leaseTransitions: 0,
      },
    });
    expect([a.elector.isLeader, a.elector.leader, a.elector.term?.epoch]).toEqual([true, "a", 0]);
    expect(a.events).toEqual(["leader a", "started 0"]);
    await a.running[Symbol.asyncDispose]();
  });

  test("it renews every retry period without reading, and keeps the time of acquiring and the transitions", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a");
    await clock.advance(20_001);
    expect(server.calls).toEqual(["get", "create", ...Array<string>(10).fill("update")]);
    expect(server.lease?.spec).toMatchObject({
      acquireTime: "2020-01-01T00:00:00.000000Z",
      renewTime: "2020-01-01T00:00:20.000000Z",
      leaseTransitions: 0,
    });
    await a.running[Symbol.asyncDispose]();
  });

  test("a renewal that conflicts is tried again after a read", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const metrics = new MetricsRegistry();
    const a = start(server, clock, "a", { metrics });
    await clock.advance(1);
    server.set({ ...(server.lease as Lease), metadata: { ...name, labels: { by: "someone" } } });
    await clock.advance(2_000);
    expect(server.calls.slice(2)).toEqual(["update", "get", "update"]);
    expect([a.elector.isLeader, server.lease?.metadata.labels]).toEqual([true, { by: "someone" }]);
    expect(metrics.expose()).toContain('leader_election_slowpath_total{name="lock"} 1\n');
    expect(metrics.expose()).toContain('leader_election_master_status{name="lock"} 1\n');
    await a.running[Symbol.asyncDispose]();
  });

  test("another's lease is taken when it has not changed for its own duration, with the next epoch", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    server.set(heldBy("other", 15, 3));
    const a = start(server, clock, "a");
    await clock.advance(14_999);
    expect([a.elector.isLeader, a.events]).toEqual([false, ["leader other"]]);
    await clock.advance(5_000);
    expect([a.elector.isLeader, server.lease?.spec?.leaseTransitions]).toEqual([true, 4]);
    expect(a.events).toEqual(["leader other", "leader a", "started 4"]);
    await a.running[Symbol.asyncDispose]();
  });

  test("a lease that nobody holds is taken at once, with the next epoch", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    server.set(heldBy("", 1, 7));
    const a = start(server, clock, "a");
    await clock.advance(1);
    expect(a.elector.term?.epoch).toBe(8);
    await a.running[Symbol.asyncDispose]();
  });

  test("tries to acquire are spread over [retryPeriod, 2.2 retryPeriod)", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    server.fail = new Error("no route");
    const times: number[] = [];
    const get = server.get;
    server.get = () => {
      times.push(clock.monotonic());
      return get();
    };
    const a = start(server, clock, "a");
    await clock.advance(300_000);
    const waits = times.slice(1).map((time, i) => time - (times[i] as number));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2_000);
    expect(Math.max(...waits)).toBeLessThan(4_400);
    expect(new Set(waits.map(Math.round)).size).toBeGreaterThan(50);
    await a.running[Symbol.asyncDispose]();
  });

  test("losing the lease ends the term, and the elector competes again: it pauses, it does not exit", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a");
    await clock.advance(4_001);
    server.fail = new Error("no route");
    await clock.advance(11_998);
    expect([a.elector.isLeader, a.terms[0]?.signal.aborted]).toEqual([true, false]);
    await clock.advance(1);
    expect([a.elector.isLeader, a.terms[0]?.signal.aborted, a.events]).toEqual([
      false,
      true,
      ["leader a", "started 0", "stopped"],
    ]);
    server.fail = undefined;
    await clock.advance(5_000);
    expect([a.elector.isLeader, a.events.at(-1)]).toEqual([true, "started 0"]);
    await a.running[Symbol.asyncDispose]();
  });

  test("it does not compete again before the last leading has ended", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    let finish: (() => void) | undefined;
    let started = 0;
    const a = start(server, clock, "a", {
      callbacks: {
        onStartedLeading: () => {
          started += 1;
          return new Promise((resolve) => (finish = resolve));
        },
      },
    });
    await clock.advance(1);
    server.fail = new Error("no route");
    await clock.advance(20_000);
    server.fail = undefined;
    await clock.advance(20_000);
    expect([a.elector.isLeader, started]).toEqual([false, 1]);
    finish?.();
    await clock.advance(1);
    expect([a.elector.isLeader, started]).toEqual([true, 2]);
    const stopped = a.running[Symbol.asyncDispose]();
    finish?.();
    await stopped;
  });

  test("if the lease is taken over and given back within a try, it is a new term with a new epoch", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a");
    await clock.advance(1);
    server.set({ ...heldBy("", 1, 5), metadata: { ...name } });
    await clock.advance(2_000);
    expect(a.events).toEqual(["leader a", "started 0", "stopped", "started 6"]);
    await a.running[Symbol.asyncDispose]();
  });

  test("stopping ends the term, waits for leading to end while it still renews, then releases the lease", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a", {
      callbacks: {
        onStartedLeading: ({ signal }) =>
          clock.sleep(1e9, signal).catch(() => clock.sleep(30_000, new AbortController().signal)),
      },
    });
    await clock.advance(1);
    const stopped = a.running[Symbol.asyncDispose]();
    await clock.advance(29_000);
    expect([server.lease?.spec?.holderIdentity, a.elector.isLeader]).toEqual(["a", true]);
    await clock.advance(2_000);
    await stopped;
    expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 0 });
    expect([a.elector.isLeader, clock.pendingTimers]).toEqual([false, 0]);
  });

  test("release tries again after a conflict, and never clears a lease that is not ours", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a");
    await clock.advance(1);
    const update = server.update;
    let conflicts = 2;
    server.update = (lease) => {
      if (conflicts-- > 0) server.set({ ...(server.lease as Lease) });
      return update(lease);
    };
    await a.running[Symbol.asyncDispose]();
    expect(server.lease?.spec?.holderIdentity).toBe("");

    const b = start(server, clock, "b");
    await clock.advance(1);
    server.set(heldBy("thief"));
    await b.running[Symbol.asyncDispose]();
    expect(server.lease?.spec?.holderIdentity).toBe("thief");
  });

  test("a deleted lease is not taken from a holder who may not know yet", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    server.set(heldBy("other", 15, 3));
    const a = start(server, clock, "a");
    await clock.advance(5_000);
    server.lease = undefined;
    await clock.advance(9_000);
    expect(a.elector.isLeader).toBe(false);
    await clock.advance(6_000);
    expect([a.elector.isLeader, a.elector.term?.epoch]).toEqual([true, 4]);
    await a.running[Symbol.asyncDispose]();
  });

  test("onStoppedLeading is called at the stop even if it never led", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    server.set(heldBy("other"));
    const a = start(server, clock, "a");
    await clock.advance(1);
    await a.running[Symbol.asyncDispose]();
    expect(a.events).toEqual(["leader other", "stopped"]);
  });

  test("a failure of leading, and of onNewLeader, harms nobody", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a", {
      callbacks: {
        onStartedLeading: () => Promise.reject(new Error("boom")),
        onNewLeader: () => {
          throw new Error("boom");
        },
      },
    });
    await clock.advance(30_000);
    expect(a.elector.isLeader).toBe(true);
    await a.running[Symbol.asyncDispose]();
  });

  test("the liveness check complains only if we should have stepped down long ago", async () => {
    const clock = new FakeClock();
    const server = new LeaseServer();
    const a = start(server, clock, "a");
    await clock.advance(1);
    expect(a.elector.problem()).toBeUndefined();
    await a.running[Symbol.asyncDispose]();
    await clock.advance(100_000);
    expect(a.elector.problem()).toBeUndefined();
  });

  test("taking and losing the lease are told as events on it", async () => {
    const clock = new FakeClock();
    const told: string[] = [];
    const a = start(new LeaseServer(), clock, "a", {
      onEvent: (lease, message) => told.push(`${lease.metadata.name}: ${message}`),
    });
    await clock.advance(1);
    await a.running[Symbol.asyncDispose]();
    expect(told).toEqual(["lock: a became leader", "lock: a stopped leading"]);
  });
});
