import { describe, expect, test } from "vitest";
import type { Lease } from "../../api/index.js";
import { newAlreadyExists, newConflict, newNotFound, objectHasBeenModified } from "../../api/index.js";
import { FakeClock, type Random, type Running, seededRandom } from "../../base/index.js";
import { LeaderElector } from "./elector.js";
import { networkMs, speedError, UnsteadyProcess } from "../../../test/simulation/unsteady-process.js";
import { fencedTransport } from "./fence.js";

const resource = { group: "coordination.k8s.io", resource: "leases" };
const lease = { namespace: "kube-system", name: "lock" };
const faultsEndMs = 70_000;
/** A lease's duration on the slowest clock, the longest wait between two tries, two slow exchanges that may fail, and one more wait. */
const recoveryMs = 15_000 / (1 - speedError) + 2 * (4_400 / (1 - speedError)) + 4 * networkMs;

/** The world: one lease, one log of the leaders' writes, and the two orders that must hold. */
class World {
  readonly clock = new FakeClock();
  lease: Lease | undefined;
  #revision = 0;
  /** The greatest epoch whose leader has begun. */
  begun = -1;
  writes = 0;
  readonly violations: string[] = [];

  get(): Lease {
    if (this.lease === undefined) throw newNotFound(resource, lease.name);
    return this.lease;
  }

  put(next: Lease, create: boolean): Lease {
    if (create && this.lease !== undefined) throw newAlreadyExists(resource, lease.name);
    if (!create && this.lease?.metadata.resourceVersion !== next.metadata.resourceVersion) {
      throw newConflict(resource, lease.name, objectHasBeenModified);
    }
    this.#revision += 1;
    this.lease = { ...next, metadata: { ...next.metadata, resourceVersion: String(this.#revision) } };
    return this.lease;
  }

  landed(epoch: number, writer: string): void {
    this.writes += 1;
    if (epoch < this.begun) {
      this.violations.push(
        `${this.clock.monotonic()}: a write of ${writer}, epoch ${epoch}, landed after epoch ${this.begun} began`,
      );
    }
  }
}

class Replica extends UnsteadyProcess {
  readonly elector: LeaderElector;
  readonly #world: World;

  constructor(world: World, identity: string, random: Random) {
    super(world.clock, random);
    this.#world = world;
    this.elector = new LeaderElector({
      lease,
      identity,
      clock: this.clock,
      random: random.fork("elector"),
      leases: {
        get: (signal) => this.exchange(() => world.get(), signal),
        create: (next, signal) => this.exchange(() => world.put(next, true), signal),
        update: (next, signal) => this.exchange(() => world.put(next, false), signal),
      },
      callbacks: { onStartedLeading: ({ epoch, signal }) => this.#lead(epoch, signal) },
    });
  }

  /** Writes all the time, and goes on a little after the end, as careless code does. */
  async #lead(epoch: number, signal: AbortSignal): Promise<void> {
    this.#world.begun = Math.max(this.#world.begun, epoch);
    const fenced = fencedTransport(
      async (_request, sending) => {
        await this.exchange(() => this.#world.landed(epoch, this.elector.identity), sending);
        return { status: 200, headers: {}, body: new Uint8Array() };
      },
      { leader: this.elector, clock: this.clock },
    );
    const forever = new AbortController().signal;
    for (let after = 0; after < 5; after += signal.aborted ? 1 : 0) {
      void fenced({ method: "PUT", path: "/x", headers: {} }, new AbortController().signal).catch(() => {});
      await this.clock.sleep(800, forever);
    }
  }
}

interface Outcome {
  readonly violations: readonly string[];
  readonly terms: number;
  readonly writes: number;
}

async function simulate(seed: number): Promise<Outcome> {
  const random = seededRandom(seed);
  const world = new World();
  const replicas = Array.from({ length: 5 }, (_, i) => new Replica(world, `replica-${i}`, random.fork(`replica ${i}`)));
  const running: Running[] = replicas.map(({ elector }) => elector.start());
  const check = (): void => {
    const leaders = replicas.filter(({ elector }) => elector.isLeader).map(({ elector }) => elector.identity);
    if (leaders.length > 1) world.violations.push(`${world.clock.monotonic()}: two leaders: ${leaders.join(", ")}`);
  };
  const faults = random.fork("faults");
  while (world.clock.monotonic() < faultsEndMs) {
    // faults seek the leader out, because that is where they hurt
    const leader = replicas.find(({ elector }) => elector.isLeader);
    const victim = faults.int(2) === 0 && leader !== undefined ? leader : (replicas[faults.int(5)] as Replica);
    const fault = faults.int(8);
    if (fault === 0) victim.pause();
    else if (fault === 1) victim.cut = true;
    else if (fault < 4) for (const replica of replicas.slice(0, faults.int(6))) replica.resume();
    else if (fault < 6) for (const replica of replicas.slice(faults.int(6))) replica.cut = false;
    for (let step = faults.int(12); step >= 0; step--) {
      await world.clock.advance(250);
      check();
    }
  }
  for (const replica of replicas) {
    replica.cut = false;
    replica.resume();
  }
  for (let waited = 0; waited < recoveryMs; waited += 100) {
    await world.clock.advance(100);
    check();
    if (replicas.some(({ elector }) => elector.isLeader)) break;
  }
  if (!replicas.some(({ elector }) => elector.isLeader))
    world.violations.push(`no leader ${recoveryMs} ms after the faults`);
  const stopped = Promise.all(running.map((one) => one[Symbol.asyncDispose]()));
  await world.clock.advance(30_000);
  await stopped;
  return { violations: world.violations, terms: world.begun + 1, writes: world.writes };
}

describe("five replicas with pauses, partitions and clocks that disagree", () => {
  const full = process.env["COXSWAIN_FULL"] === "1";
  const first = Number(process.env["COXSWAIN_SEED"] ?? 1);
  const seeds = process.env["COXSWAIN_SEED"] === undefined ? (full ? 2_000 : 60) : 1;

  test(`${seeds} seeds: never two leaders, no write of an old leader after a new one began, and a leader soon after the faults`, async () => {
    let terms = 0;
    let writes = 0;
    for (let seed = first; seed < first + seeds; seed++) {
      const outcome = await simulate(seed);
      expect(outcome.violations, `seed ${seed} (COXSWAIN_SEED=${seed} runs it alone)`).toEqual([]);
      terms += outcome.terms;
      writes += outcome.writes;
    }
    // a simulation in which nobody ever loses the lease would prove nothing
    expect(terms).toBeGreaterThan(seeds);
    expect(writes).toBeGreaterThan(seeds * 30);
  }, 900_000);
});
