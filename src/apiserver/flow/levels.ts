/**
 * The configured priority levels and flow schemas: takes the stored objects; gives each request's flow, and each level
 * its seats.
 */
import type { FlowSchema, PriorityLevelConfiguration } from "../../api/index.js";
import type { RequestInfo } from "../contracts/request.js";
import type { UserInfo } from "../contracts/user.js";
import { allocate } from "./allocation.js";
import { Demand } from "./demand.js";
import { Drops } from "./drops.js";
import { applies, distinguisherOf } from "./matching.js";
import { type Queuing, QueueSet } from "./queue-set.js";
import { mandatory } from "./suggested.js";

/** One priority level at work. */
export interface Level {
  readonly name: string;
  readonly queues: QueueSet;
  readonly demand: Demand;
  readonly drops: Drops;
  uid: string;
  queuing: Queuing;
  shares: number;
  lendablePercent: number;
  /** Undefined for a level that may borrow all that others lend. */
  borrowingPercent: number | undefined;
  nominal: number;
  least: number;
  most: number;
  /** The demand that the latest division of seats reckoned with. */
  target: number;
  /** For people. */
  readonly counts: { dispatched: number; rejected: number; cancelled: number };
  /** True once the level's object is gone: the level ends with its last request. */
  isLeaving: boolean;
  /** Work done so far for each seat: the level that has had least goes first. */
  served: number;
}

interface Schema {
  readonly name: string;
  readonly uid: string;
  readonly spec: NonNullable<FlowSchema["spec"]>;
}

/** A request's place in the configuration. */
export interface Flow {
  readonly schema: string;
  readonly schemaUid: string;
  readonly level: Level;
  readonly distinguisher: string;
}

export interface FlowObjects {
  readonly levels: readonly PriorityLevelConfiguration[];
  readonly schemas: readonly FlowSchema[];
}

/** The share of a level's seats that one request may occupy at most. */
const widestShare = 0.15;

/**
 * Invariants:
 * 1. There is a level for each schema in `#schemas`, which is in matching order and ends with the schema `catch-all`.
 * 2. The levels `exempt` and `catch-all` exist, with or without their objects.
 */
export class Levels {
  readonly #total: number;
  readonly #levels = new Map<string, Level>();
  #schemas: readonly Schema[] = [];
  /** The proportion of demand that was met at the latest division; 0 if the seats did not suffice. */
  #fairShare = 0;

  /** `total` is the number of seats of the whole server. */
  constructor(total: number, now: number) {
    this.#total = total;
    this.configure({ levels: [], schemas: [] }, now);
  }

  get fairShare(): number {
    return this.#fairShare;
  }

  [Symbol.iterator](): Iterator<Level> {
    return this.#levels.values();
  }

  has(level: Level): boolean {
    return this.#levels.get(level.name) === level;
  }

  flowOf(user: UserInfo, request: RequestInfo): Flow {
    const found = this.#schemas.find(({ spec }) => applies(spec, user, request)) ?? this.#schemas.at(-1);
    const { name, uid, spec } = found as Schema;
    const level = this.#levels.get(spec.priorityLevelConfiguration.name) as Level;
    const isDivided = level.queuing.type === "queue" && level.queuing.queues > 1;
    const distinguisher = isDivided ? distinguisherOf(spec, user, request) : "";
    return { schema: name, schemaUid: uid, level, distinguisher };
  }

  /** The most seats of one request of the level. */
  widest({ nominal, queuing }: Level): number {
    if (queuing.type !== "queue") return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.min(Math.ceil(nominal * widestShare), Math.floor(nominal / queuing.handSize)));
  }

  /** Takes the objects as they are now. A level without an object goes on until its requests have ended. */
  configure({ levels, schemas }: FlowObjects, now: number): void {
    const wanted = new Map(levels.map((one) => [one.metadata.name, one]));
    for (const one of mandatory.levels) {
      if (!wanted.has(one.metadata.name)) wanted.set(one.metadata.name, one);
    }
    for (const [name, object] of wanted) {
      const level = this.#levels.get(name) ?? newLevel(name, queuingOf(object), now);
      this.#levels.set(name, Object.assign(level, settingsOf(object)));
    }
    for (const [name, level] of this.#levels) {
      if (wanted.has(name)) continue;
      level.isLeaving = true;
      if (level.queues.isIdle) this.#levels.delete(name);
    }
    this.#schemas = matchingOrder(schemas.filter((one) => wanted.has(one.spec?.priorityLevelConfiguration.name ?? "")));
    this.#divideNominally();
    this.divide(now);
  }

  /** Forgets a level whose object is gone and whose requests have ended. */
  reap(level: Level, now: number): void {
    if (!level.isLeaving || !level.queues.isIdle) return;
    this.#levels.delete(level.name);
    this.#divideNominally();
    this.divide(now);
  }

  /** Ends a period of demand, and divides the seats by it. */
  divide(now: number): void {
    const all = [...this.#levels.values()];
    for (const { queues, demand } of all) {
      queues.advance(now);
      demand.set(queues.demand, now);
      demand.endPeriod(now);
    }
    const limits = this.#limitsOf(all);
    for (const [i, level] of all.entries()) level.queues.configure(level.queuing, limits[i] as number, now);
  }

  #limitsOf(all: readonly Level[]): readonly number[] {
    const isExempt = ({ queuing }: Level): boolean => queuing.type === "exempt";
    const floor = (level: Level): number => {
      const { peak } = level.demand.figures;
      return Math.max(level.least, isExempt(level) ? peak : Math.min(level.nominal, peak));
    };
    const sum = (amounts: readonly number[]): number => amounts.reduce((a, b) => a + b, 0);
    const limited = all.filter((level) => !isExempt(level));
    const nominal = sum(all.map((level) => level.nominal));
    const left = nominal - sum(all.filter(isExempt).map(floor));
    const leastSum = sum(limited.map(({ least }) => least));
    const floorSum = sum(limited.map(floor));
    const claims = limited.map((level) => {
      const least = floor(level);
      level.target = Math.max(least, level.demand.figures.smoothed);
      return { least, most: level.most, target: level.target };
    });
    this.#fairShare = 0;
    if (left <= leastSum) return all.map((level) => (isExempt(level) ? floor(level) : level.least));
    if (left <= floorSum) {
      const share = (left - leastSum) / (floorSum - leastSum);
      return all.map((level) =>
        isExempt(level) ? floor(level) : level.least + Math.round((floor(level) - level.least) * share),
      );
    }
    const { amounts, proportion } = allocate(nominal, claims) ?? {
      amounts: limited.map(({ queues }) => queues.limit),
      proportion: 0,
    };
    this.#fairShare = proportion;
    return all.map((level) => (isExempt(level) ? floor(level) : Math.round(amounts[limited.indexOf(level)] as number)));
  }

  #divideNominally(): void {
    let shares = 0;
    for (const level of this.#levels.values()) shares += level.shares;
    for (const level of this.#levels.values()) {
      level.nominal = shares === 0 ? 0 : Math.ceil((this.#total * level.shares) / shares);
      level.least = level.nominal - Math.round((level.nominal * level.lendablePercent) / 100);
      const { borrowingPercent: borrowed } = level;
      level.most =
        level.nominal + (borrowed === undefined ? this.#total : Math.round((level.nominal * borrowed) / 100));
    }
  }
}

function newLevel(name: string, queuing: Queuing, now: number): Level {
  return {
    name,
    queues: new QueueSet(queuing, 0),
    demand: new Demand(now),
    drops: new Drops(),
    uid: "",
    queuing,
    shares: 0,
    lendablePercent: 0,
    borrowingPercent: undefined,
    nominal: 0,
    least: 0,
    most: 0,
    target: 0,
    counts: { dispatched: 0, rejected: 0, cancelled: 0 },
    isLeaving: false,
    served: 0,
  };
}

function settingsOf(object: PriorityLevelConfiguration): Partial<Level> {
  const { limited, exempt } = object.spec ?? {};
  const { nominalConcurrencyShares: shares = 0, lendablePercent = 0 } = limited ?? exempt ?? {};
  return {
    uid: object.metadata.uid ?? "",
    queuing: queuingOf(object),
    shares,
    lendablePercent,
    borrowingPercent: limited?.borrowingLimitPercent,
    isLeaving: false,
  };
}

function queuingOf({ spec }: PriorityLevelConfiguration): Queuing {
  if (spec?.type === "Exempt") return { type: "exempt" };
  const queuing = spec?.limited?.limitResponse?.queuing;
  if (queuing === undefined) return { type: "reject" };
  const { queues = 64, handSize = 8, queueLengthLimit: lengthLimit = 50 } = queuing;
  return { type: "queue", queues, handSize, lengthLimit };
}

/** By precedence, then by name; the mandatory schemas are there in any case, `catch-all` last. */
function matchingOrder(objects: readonly FlowSchema[]): readonly Schema[] {
  const byName = new Map([...mandatory.schemas, ...objects].map((one) => [one.metadata.name, one]));
  return [...byName.values()]
    .flatMap(({ metadata, spec }) =>
      spec === undefined ? [] : [{ name: metadata.name, uid: metadata.uid ?? "", spec }],
    )
    .toSorted((a, b) => precedence(a) - precedence(b) || (a.name < b.name ? -1 : 1));
}

const precedence = ({ name, spec }: Schema): number =>
  name === "catch-all" ? Number.POSITIVE_INFINITY : (spec.matchingPrecedence ?? 1000);
