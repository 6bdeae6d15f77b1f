import { describe, expect, test } from "vitest";
import { type Replica, startReplica } from "../../../test/fixtures/replica.js";
import type { LeaseCandidate } from "../../api/generated/coordination-v1beta1.js";
import {
  formatMicroTime,
  type Lease,
  newAlreadyExists,
  newConflict,
  newNotFound,
  objectHasBeenModified,
  type ObjectMeta,
  parseMicroTime,
} from "../../api/index.js";
import { FakeClock, settledOn } from "../../base/index.js";
import type { CoordinatedElection } from "./candidacy.js";
import { LeaderElector, type LeaderElectorOptions } from "./elector.js";
import { newLease } from "./lease.js";

const name = { namespace: "default", name: "lock" };
const versions: CoordinatedElection = { binaryVersion: "1.4.0", emulationVersion: "1.3.0" };

/** Objects of one kind on a server, with the server's rules about names and revisions. Notes each write. */
class Kind<T extends { readonly metadata: ObjectMeta }> {
  readonly #resource: { readonly group: string; readonly resource: string };
  readonly #objects = new Map<string, T>();
  readonly #writes: string[];
  #revision = 0;

  constructor(resource: string, writes: string[]) {
    this.#resource = { group: "coordination.k8s.io", resource };
    this.#writes = writes;
  }

  find = async (found: string): Promise<T | undefined> => this.#objects.get(found);
  get = async (wanted: string): Promise<T> => this.#objects.get(wanted) ?? this.#missing(wanted);
  create = async (object: T): Promise<T> => {
    const { name: made } = object.metadata;
    if (this.#objects.has(made)) throw newAlreadyExists(this.#resource, made);
    return this.#store("create", object);
  };
  update = async (object: T): Promise<T> => {
    const { name: changed, resourceVersion } = object.metadata;
    const { metadata } = this.#objects.get(changed) ?? this.#missing(changed);
    if (metadata.resourceVersion !== resourceVersion) throw newConflict(this.#resource, changed, objectHasBeenModified);
    return this.#store("update", object);
  };
  delete = async (gone: string): Promise<void> => {
    if (!this.#objects.delete(gone)) this.#missing(gone);
    this.#writes.push(`delete ${this.#resource.resource}`);
  };

  #store(verb: string, object: T): T {
    this.#writes.push(`${verb} ${this.#resource.resource}`);
    this.#revision += 1;
    const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#revision) } };
    this.#objects.set(object.metadata.name, stored);
    return stored;
  }

  #missing(wanted: string): never {
    throw newNotFound(this.#resource, wanted);
  }
}

/** A server in this process, on the test's clock, without a coordinator: the test itself chooses the leader. */
function setup() {
  const clock = new FakeClock();
  const writes: string[] = [];
  const leases = new Kind<Lease>("leases", writes);
  const candidates = new Kind<LeaseCandidate>("leasecandidates", writes);
  const now = (): string => formatMicroTime(clock.now() * 1000);

  const start = (identity: string, options: Partial<LeaderElectorOptions> = {}): Replica =>
    startReplica({
      lease: name,
      leases: {
        get: () => leases.get(options.lease?.name ?? "lock"),
        create: leases.create,
        update: leases.update,
        candidates: {
          get: candidates.find,
          create: candidates.create,
          update: candidates.update,
          delete: candidates.delete,
        },
      },
      identity,
      coordinated: versions,
      clock,
      ...options,
    });

  /** As the coordinator does it: a holder without a time of acquiring, for 5 s, the epoch left as it is. */
  const choose = async (holderIdentity: string): Promise<Lease> => {
    const chosen = { holderIdentity, strategy: "OldestEmulationVersion", leaseDurationSeconds: 5, renewTime: now() };
    const found = await leases.find("lock");
    if (found === undefined) return leases.create(newLease(name, chosen));
    const { acquireTime: _, preferredHolder: __, ...kept } = found.spec ?? {};
    return leases.update({ ...found, spec: { ...kept, ...chosen } });
  };
  const prefer = async (preferredHolder: string): Promise<Lease> => {
    const found = await leases.get("lock");
    return leases.update({ ...found, spec: { ...found.spec, preferredHolder } });
  };
  const ping = async (identity: string, pingTime: string): Promise<LeaseCandidate> => {
    const found = await candidates.get(identity);
    return candidates.update({ ...found, spec: { ...found.spec, pingTime } });
  };
  return { clock, leases, candidates, writes, now, start, choose, prefer, ping };
}

describe("a coordinated election", () => {
  test("a lease is not taken because it is free: it is taken when it names us, for its whole duration", async () => {
    const { clock, leases, start, choose } = setup();
    const a = start("a");
    await clock.advance(60_000);
    expect([a.elector.isLeader, await leases.find("lock")]).toEqual([false, undefined]);
    await choose("other");
    await clock.advance(60_000);
    expect([a.elector.isLeader, a.events]).toEqual([false, ["leader other"]]);
    await choose("a");
    await clock.advance(5_000);
    expect([a.elector.isLeader, a.events]).toEqual([true, ["leader other", "leader a", "started 1"]]);
    const { spec } = await leases.get("lock");
    expect(spec).toMatchObject({ strategy: "OldestEmulationVersion", leaseDurationSeconds: 15, leaseTransitions: 1 });
    await clock.advance(60_000);
    const { spec: renewed } = await leases.get("lock");
    expect([a.elector.isLeader, renewed?.acquireTime]).toEqual([true, spec?.acquireTime]);
    expect(parseMicroTime(renewed?.renewTime ?? "")).toBeGreaterThan(parseMicroTime(spec?.renewTime ?? ""));
    await settledOn(clock, a.running.close());
  });

  test("a ping is answered in time, and an answer is never older than its ping", async () => {
    const { clock, candidates, now, start, ping } = setup();
    const a = start("a");
    await clock.advance(100);
    const { spec } = await candidates.get("a");
    expect(spec).toEqual({
      leaseName: "lock",
      binaryVersion: "1.4.0",
      emulationVersion: "1.3.0",
      strategy: "OldestEmulationVersion",
      renewTime: spec.renewTime,
    });
    await clock.advance(100_000);
    expect((await candidates.get("a")).spec.renewTime).toBe(spec.renewTime);
    for (const pingTime of [now(), formatMicroTime((clock.now() + 60_000) * 1000)]) {
      await ping("a", pingTime);
      await clock.advance(3_000);
      const { renewTime = "" } = (await candidates.get("a")).spec;
      expect(parseMicroTime(renewTime)).toBeGreaterThanOrEqual(parseMicroTime(pingTime));
    }
    const { resourceVersion } = (await candidates.get("a")).metadata;
    await clock.advance(100_000);
    expect((await candidates.get("a")).metadata.resourceVersion).toBe(resourceVersion);
    await clock.advance(300_000);
    expect((await candidates.get("a")).metadata.resourceVersion).not.toBe(resourceVersion);
    await settledOn(clock, a.running.close());
  });

  test("when another is preferred the term ends, then the lease is released and left alone until it names us again", async () => {
    const { clock, leases, start, choose, prefer } = setup();
    const a = start("a");
    await choose("a");
    await clock.advance(5_000);
    await prefer("a");
    await clock.advance(5_000);
    expect(a.elector.isLeader).toBe(true);
    await prefer("b");
    await clock.advance(3_000);
    expect([a.elector.isLeader, a.terms[0]?.signal.aborted]).toEqual([false, true]);
    expect((await leases.get("lock")).spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    await clock.advance(60_000);
    expect((await leases.get("lock")).spec?.holderIdentity).toBe("");
    await choose("a");
    await clock.advance(5_000);
    expect(a.events).toEqual(["leader a", "started 1", "stopped", "leader ", "leader a", "started 2"]);
    await settledOn(clock, a.running.close());
  });

  test("a leader that does not end when another is preferred no longer renews: its term runs out", async () => {
    const { clock, leases, start, choose, prefer } = setup();
    let finish = (): void => {};
    const onStartedLeading = (): Promise<void> => new Promise((resolve) => (finish = resolve));
    const a = start("a", { callbacks: { onStartedLeading } });
    await choose("a");
    await clock.advance(5_000);
    await prefer("b");
    await clock.advance(3_000);
    const { spec } = await leases.get("lock");
    expect([a.elector.isLeader, spec?.holderIdentity]).toEqual([true, "a"]);
    await clock.advance(15_000);
    expect([a.elector.isLeader, (await leases.get("lock")).spec]).toEqual([false, spec]);
    await choose("b");
    finish();
    await clock.advance(5_000);
    expect([a.elector.isLeader, (await leases.get("lock")).spec?.holderIdentity]).toEqual([false, "b"]);
    await settledOn(clock, a.running.close());
  });

  test("a stop first withdraws the candidate and then releases the lease", async () => {
    const { clock, leases, candidates, writes, start, choose } = setup();
    const a = start("a");
    await choose("a");
    await clock.advance(5_000);
    writes.length = 0;
    await settledOn(clock, a.running.close());
    expect(writes).toEqual(["delete leasecandidates", "update leases"]);
    expect(await candidates.find("a")).toBeUndefined();
    expect((await leases.get("lock")).spec?.holderIdentity).toBe("");
  });

  test("a candidate that somebody deleted is made again; one for another lease is not touched", async () => {
    const { clock, candidates, start } = setup();
    const a = start("a");
    await clock.advance(1_000);
    await candidates.delete("a");
    await clock.advance(3_000);
    expect((await candidates.get("a")).spec.leaseName).toBe("lock");
    const other = start("a", { lease: { ...name, name: "second" } });
    await clock.advance(3_000);
    expect(String(other.elector.candidacyFailure)).toContain(
      "the LeaseCandidate default/a is one for the lease lock: give the elector of second another identity",
    );
    expect(a.elector.candidacyFailure).toBeUndefined();
    await settledOn(clock, other.running.close());
    await settledOn(clock, a.running.close());
  });

  test("a deleted lease is not made again by its holder; when the coordinator does, the epochs go on", async () => {
    const { clock, leases, start, choose } = setup();
    const a = start("a");
    await choose("a");
    await clock.advance(5_000);
    await leases.delete("lock");
    await clock.advance(20_000);
    expect([a.elector.isLeader, await leases.find("lock")]).toEqual([false, undefined]);
    await choose("a");
    await clock.advance(5_000);
    expect(a.elector.term?.epoch).toBe(2);
    await settledOn(clock, a.running.close());
  });

  for (const [problem, identity, coordinated] of [
    ['the identity "a b" cannot name a LeaseCandidate: only letters, digits, "-", "_" and "." can', "a b", versions],
    ['coordinated.binaryVersion must be a semantic version such as 1.4.0, not "1.4"', "a", { binaryVersion: "1.4" }],
    [
      'coordinated.emulationVersion must be a semantic version such as 1.4.0, not "v1.3.0"',
      "a",
      { ...versions, emulationVersion: "v1.3.0" },
    ],
    ["coordinated, but its client of leases has no candidates", "a", versions],
  ] as const) {
    test(`refuses bad options: ${problem}`, () => {
      const refuse = (): Promise<never> => Promise.reject(new Error("not asked"));
      const leases = { get: refuse, create: refuse, update: refuse };
      expect(() => new LeaderElector({ lease: name, leases, identity, coordinated })).toThrow(
        `leader election default/lock: ${problem}`,
      );
    });
  }
});
