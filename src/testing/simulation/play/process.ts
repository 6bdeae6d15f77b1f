/**
 * One replica of the operator: started, killed, started again. Takes the operator's factory; gives a process that
 * faults can end.
 */
import { isForbidden } from "../../../api/index.js";
import {
  exponentialBackoff,
  type FakeClock,
  linkedAbort,
  messageOf,
  type Random,
  type Running,
  shown,
  silentLogger,
  type Transport,
} from "../../../base/index.js";
import { Client } from "../../../client/index.js";
import type { Operator, SimulateOptions } from "../options.js";
import { ProcessClock } from "./process-clock.js";
import type { HistoryRecord } from "../record.js";
import { Wire, type WireHost } from "./wire.js";

export interface ReplicaHost {
  readonly replica: number;
  readonly operator: SimulateOptions["operator"];
  readonly transport: Transport;
  readonly clock: FakeClock;
  readonly random: Random;
  /** Names the random numbers that the operator draws. */
  readonly draws: string;
  readonly record: HistoryRecord;
  wireHost(kill: (downMs: number) => void): WireHost;
}

interface Incarnation {
  readonly clock: ProcessClock;
  readonly wire: Wire;
  readonly client: Client;
  operator: Operator | undefined;
  running: Running | undefined;
}

/** A process that ends by itself is started again, later each time, as the kubelet does. */
const restartAfterExit = { baseMs: 1_000, capMs: 60_000 };
/** An operator that cannot be started this often is not tried again. */
const mostExits = 50;

/**
 * Invariants:
 * 1. At most one incarnation has a wire that is not severed.
 * 2. `#endings` settles when every incarnation that was killed has stopped.
 */
export class Replica {
  readonly #host: ReplicaHost;
  readonly #endings: Promise<void>[] = [];
  /** The clocks of the processes that have ended and stopped. */
  readonly #stopped: ProcessClock[] = [];
  #current: Incarnation | undefined;
  #number = 0;
  #exits = 0;
  readonly #restarts = exponentialBackoff(restartAfterExit);
  readonly #over = linkedAbort();
  /** The reasons why the process ended by itself, except that it was refused its first write. */
  readonly exits: string[] = [];

  constructor(host: ReplicaHost) {
    this.#host = host;
  }

  get name(): `operator-${number}` {
    return `operator-${this.#host.replica}`;
  }

  get current(): Pick<Incarnation, "clock" | "wire" | "operator"> | undefined {
    return this.#current;
  }

  /** Replaces the process by a new one on the same machine, whose clock is as wrong as before. */
  startAgain(): void {
    const jumpMs = this.#current?.clock.jumpMs ?? 0;
    this.kill(undefined);
    this.start();
    this.#current?.clock.jump(jumpMs);
  }

  start(): void {
    if (this.#current !== undefined || this.#over.signal.aborted) return;
    const { clock, record, random, replica, draws } = this.#host;
    const number = this.#number++;
    const own = random.fork(`${this.name}/${number}`);
    const processClock = new ProcessClock(clock);
    const wire = new Wire(
      this.#host.transport,
      this.name,
      processClock,
      this.#host.wireHost((downMs) => this.kill(downMs)),
    );
    const client = new Client({
      transport: wire.transport,
      clock: processClock,
      random: own.fork("client"),
      freezeCaches: true,
      rememberCalls: false,
    });
    const incarnation: Incarnation = { clock: processClock, wire, client, operator: undefined, running: undefined };
    this.#current = incarnation;
    record.life(`${this.name} starts${number === 0 ? "" : ` again (${number})`}`);
    const tools = { client, clock: processClock, random: own.fork(`operator${draws}`), replica, log: silentLogger };
    void this.#run(incarnation, async () => this.#host.operator(tools));
  }

  async #run(incarnation: Incarnation, make: () => Promise<Operator>): Promise<void> {
    const { record } = this.#host;
    try {
      const operator = await make();
      checkOperator(operator);
      incarnation.operator = operator;
      operator.journal?.watch((entry) => {
        if (incarnation !== this.#current) return;
        record.add({ type: "reconcile", atMs: record.nowMs, actor: this.name, run: entry });
      });
      const running = "start" in operator ? operator.start() : operator;
      incarnation.running = running;
      if (incarnation !== this.#current) {
        await running.close().catch(() => {});
        return;
      }
      await running.done;
      if (incarnation !== this.#current) return;
      this.#exited(incarnation, "it ended by itself");
    } catch (error) {
      if (incarnation !== this.#current) return;
      // a program that lacks a permission to begin says so and ends: it is started again until it has it
      const isRefused = isForbidden(error) && !incarnation.wire.hasWritten;
      this.#exited(incarnation, messageOf(error), isRefused);
    }
  }

  #exited(incarnation: Incarnation, why: string, isRefused = false): void {
    this.#exits += 1;
    if (!isRefused) this.exits.push(why);
    this.#host.record.life(`${this.name} exits: ${why}`);
    this.#end(incarnation);
    if (this.#exits < mostExits) this.#startAfter(this.#restarts.next());
  }

  /** Ends the process without warning, and starts it again after a while; never if the time is undefined. */
  kill(downMs: number | undefined): void {
    const incarnation = this.#current;
    if (incarnation === undefined) return;
    this.#host.record.life(`${this.name} is killed${downMs ? `, for ${downMs} ms` : ""}`);
    this.#end(incarnation);
    if (downMs !== undefined) this.#startAfter(downMs);
  }

  #startAfter(ms: number): void {
    this.#host.clock.sleep(ms, this.#over.signal).then(
      () => this.start(),
      () => {},
    );
  }

  #end(incarnation: Incarnation): void {
    this.#current = undefined;
    incarnation.wire.sever();
    const ending = async (): Promise<void> => {
      // it has already reported its failure, or stops on a dead connection: neither error is new
      await incarnation.running?.close().catch(() => {});
      await incarnation.client[Symbol.asyncDispose]();
      incarnation.wire[Symbol.dispose]();
      this.#stopped.push(incarnation.clock);
    };
    this.#endings.push(ending());
  }

  /** Whether a process has been asked for and is still not there: its `operator` waits for something. */
  get isStarting(): boolean {
    return this.#current !== undefined && this.#current.operator === undefined;
  }

  /** The number of timers that processes have left behind after they were stopped. */
  get leftTimers(): number {
    return this.#stopped.reduce((sum, { pendingTimers }) => sum + pendingTimers, 0);
  }

  /** Ends it for good; resolves when all its incarnations have stopped. */
  async close(): Promise<void> {
    this.#over.abort(new Error("the history is over"));
    if (this.#current !== undefined) this.#end(this.#current);
    await Promise.all(this.#endings);
  }
}

function checkOperator(operator: Partial<Operator & { start: unknown; done: unknown }> | undefined): void {
  if (typeof operator?.start === "function" || operator?.done instanceof Promise) return;
  throw new TypeError(
    `operator gave ${shown(operator)}: it must give a Manager, something with start(), or something that runs, with done and close()`,
  );
}
