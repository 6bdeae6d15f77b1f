/** The behaviour of simulated containers, from a pod's annotations, rules, command and probes. */
import { defined } from "../../base/defined.js";
import { messageOf } from "../../base/index.js";
import { lookup, own } from "../../base/members.js";
import { type Container, controllerOf, durationToMs, type Pod, type Probe } from "../../api/index.js";
import { type Ending, textOf } from "../command/ending.js";
import { outcomeOf } from "../command/outcome.js";
import { parseLevel } from "./level.js";

/** The prefix of annotations. For one container, its name follows the annotation's: `coxswain.dev/run-for.web`. */
const annotationPrefix = "coxswain.dev/";

/**
 * A level of usage: a text as the annotations `cpu` and `memory` take it, or a function from the time (milliseconds of
 * the clock, times `speed`) to cores or bytes.
 */
export type Load = string | ((time: number) => number);

/** The behaviour of one container. Times are simulated milliseconds: `speed` divides them. */
export interface Behaviour {
  /** From the moment it may start until it runs: pulling the image and creating it. 0 by default. */
  readonly startAfterMs: number;
  /** The time until it exits by itself; for ever by default. */
  readonly runForMs: number;
  /** The exit code when it exits by itself. */
  readonly exitCode: number;
  /** The message that it leaves when it exits by itself. */
  readonly terminationMessage?: string;
  /** `fail` if its image cannot be pulled. */
  readonly imagePull: "ok" | "fail";
  /** False if it runs but is never ready. May change while the container runs. */
  readonly ready: boolean;
  /** The time from its start until its startup probe passes. */
  readonly startedAfterMs: number;
  /** The time from its start until it is ready; not before the startup probe has passed. */
  readonly readyAfterMs: number;
  /** The time from the request to stop until it has stopped; beyond the grace period it is killed. 0 by default. */
  readonly stopAfterMs: number;
  /** The exit code when it stops in time after the request. */
  readonly stopExitCode: number;
  /** The time from the grant of other resources until it has them. 0 by default. */
  readonly resizeAfterMs: number;
  /** The CPU that it uses, in cores; next to none by default. */
  readonly cpu?: Load;
  /** The memory that it uses, in bytes; next to none by default. */
  readonly memory?: Load;
}

/**
 * A rule that may decide about a container, in part or in whole. Fields that it leaves out are decided by the next
 * rule, then by the annotations, then by the command if commands are followed, then by the defaults. It must give the
 * same answer for the same pod.
 */
export type BehaviourRule = (pod: Pod, container: Container) => Partial<Behaviour> | undefined;

const defaults: Behaviour = {
  startAfterMs: 0,
  runForMs: Number.POSITIVE_INFINITY,
  exitCode: 0,
  imagePull: "ok",
  ready: true,
  startedAfterMs: 0,
  readyAfterMs: 0,
  stopAfterMs: 0,
  // the exit code of a program that does not handle SIGTERM
  stopExitCode: 143,
  resizeAfterMs: 0,
};

/** The run time of a container that is expected to end without a given time: in a Job, or with an exit code. */
const defaultRunMs = 1_000;

/** The rule, made safe: one that throws has nothing to say, and is reported. */
export function guardedRule(rule: BehaviourRule, report: (pod: Pod, message: string) => void): BehaviourRule {
  return (pod, container) => {
    try {
      return rule(pod, container);
    } catch (error) {
      report(pod, `a rule failed for container ${container.name}: ${messageOf(error)}`);
      return undefined;
    }
  };
}

export interface BehaviourOptions {
  readonly rules: readonly BehaviourRule[];
  readonly speed: number;
  /** Whether a command decides that can be followed (`command/outcome.ts`); otherwise no command is looked at. */
  readonly followCommands?: boolean;
}

/**
 * The behaviour of a container. Annotations, for all containers of the pod or, with a trailing `.<container>`, for one:
 * - `start-after`, `run-for`, `ready-after`, `stop-after`, `resize-after`: durations such as `1m30s`
 * - `exit-code`: the exit code after `run-for`; without `run-for`, after a second
 * - `crash-every`: a duration; short for that `run-for` with exit code 1
 * - `image-pull: fail`
 * - `ready: "false"`: never ready, until the annotation is changed
 * - `stop-exit-code`
 * - `cpu`, `memory`: levels of usage, as `parseLevel` reads them
 *
 * For init containers, only annotations with the container's name count. A malformed value counts as absent;
 * `annotationProblems` lists it.
 */
export function behaviourOf(pod: Pod, container: Container, options: BehaviourOptions): Behaviour {
  const { rules, speed, followCommands = false } = options;
  const isInit = isInitContainer(pod, container);
  const isSidecar = isInit && container.restartPolicy === "Always";
  const said = saidOf(pod, container, rules);
  const endsByDefault = isInit ? !isSidecar : said.exitCode !== undefined || controllerOf(pod)?.kind === "Job";
  const shortMs = isInit ? 0 : defaultRunMs;
  const runForMs = endsByDefault ? shortMs : defaults.runForMs;
  // if the end is given, in part or in whole, the command does not count
  const isTold = said.runForMs !== undefined || said.exitCode !== undefined;
  const followed = isTold || !followCommands ? {} : fromCommand(pod, container, shortMs);
  const probed = { ...fromProbes(container), ...(followCommands && fromProbeCommand(pod, container)) };
  const { startAfterMs, startedAfterMs, readyAfterMs, stopAfterMs, resizeAfterMs, ...rest } = {
    ...defaults,
    ...(isAbsent(container) && ({ imagePull: "fail" } as const)),
    runForMs,
    ...probed,
    ...fromHook(pod, container, followCommands),
    ...followed,
    ...said,
  };
  return {
    ...rest,
    startAfterMs: startAfterMs / speed,
    runForMs: rest.runForMs / speed,
    startedAfterMs: startedAfterMs / speed,
    readyAfterMs: Math.max(startedAfterMs, readyAfterMs) / speed,
    stopAfterMs: stopAfterMs / speed,
    resizeAfterMs: resizeAfterMs / speed,
  };
}

const isInitContainer = (pod: Pod, container: Container): boolean =>
  pod.spec?.initContainers?.includes(container) ?? false;

/** Tags that nobody gives to an image that is there. */
const absentTags: ReadonlySet<string> = new Set(["404", "does-not-exist", "non-existent", "nonexistent"]);

const isAbsent = ({ image = "" }: Container): boolean => absentTags.has(image.slice(image.lastIndexOf(":") + 1));

/** The part of the behaviour that rules and annotations decide. */
export function saidOf(pod: Pod, container: Container, rules: readonly BehaviourRule[]): Partial<Behaviour> {
  const told = fromAnnotations(pod, container.name, isInitContainer(pod, container));
  return rules.reduceRight<Partial<Behaviour>>((rest, rule) => ({ ...rest, ...rule(pod, container) }), told);
}

/** Probes are not run: each passes after its delay. */
function fromProbes({ startupProbe, readinessProbe }: Container): Partial<Behaviour> {
  if (startupProbe === undefined && readinessProbe === undefined) return {};
  const delayMs = ({ initialDelaySeconds = 0, successThreshold = 1, periodSeconds = 10 }: Probe = {}): number =>
    1_000 * (initialDelaySeconds + (successThreshold - 1) * periodSeconds);
  return { startedAfterMs: delayMs(startupProbe), readyAfterMs: delayMs(readinessProbe) };
}

/** A hook that sleeps keeps the container from stopping; one that runs a command, if its time is known. */
function fromHook(pod: Pod, container: Container, followCommands: boolean): Partial<Behaviour> {
  const { sleep, exec } = container.lifecycle?.preStop ?? {};
  if (sleep !== undefined) return { stopAfterMs: 1_000 * sleep.seconds };
  if (!followCommands || exec?.command === undefined) return {};
  const outcome = outcomeOf(pod, { ...container, command: exec.command, args: [] });
  return outcome === undefined ? {} : { stopAfterMs: outcome.slept };
}

/** A container whose readiness probe is known to fail is never ready. */
function fromProbeCommand(pod: Pod, container: Container): Partial<Behaviour> {
  const { command } = container.readinessProbe?.exec ?? {};
  const fails = command !== undefined && (outcomeOf(pod, { ...container, command, args: [] })?.exitCode ?? 0) !== 0;
  return fails ? { ready: false } : {};
}

/** A program that does not wait takes a moment all the same. */
function fromCommand(pod: Pod, container: Container, shortMs: number): Partial<Behaviour> {
  const outcome = outcomeOf(pod, container);
  if (outcome === undefined) return {};
  const { slept, exitCode = 0 } = outcome;
  const terminationMessage = lastWordsOf(container, outcome);
  return { runForMs: Math.max(slept, shortMs), exitCode, ...defined({ terminationMessage }) };
}

/** The limits of the kubelet. */
const maxMessage = { ofFile: 4096, ofLog: 2048, logLines: 80 };

/** The content of the container's file for it; without one, the end of the log of a container that failed, if that is asked for. */
function lastWordsOf(container: Container, { exitCode, files, output }: Ending): string | undefined {
  const { terminationMessagePath = "/dev/termination-log", terminationMessagePolicy } = container;
  const content = files?.get(terminationMessagePath) ?? "";
  if (content !== "") return content.slice(0, maxMessage.ofFile);
  if (terminationMessagePolicy !== "FallbackToLogsOnError" || exitCode === 0 || output.length === 0) return undefined;
  return textOf(output.slice(-maxMessage.logLines)).slice(-maxMessage.ofLog);
}

type Reader = (text: string) => Partial<Behaviour> | undefined;

const duration =
  (as: (ms: number) => Partial<Behaviour>): Reader =>
  (text) => {
    try {
      const ms = durationToMs(text);
      return ms >= 0 ? as(ms) : undefined;
    } catch {
      return undefined;
    }
  };

const exitCode =
  (as: (code: number) => Partial<Behaviour>): Reader =>
  (text) =>
    /^\d{1,3}$/.test(text) && Number(text) <= 255 ? as(Number(text)) : undefined;

const level =
  (as: (text: string) => Partial<Behaviour>): Reader =>
  (text) => {
    try {
      parseLevel(text);
      return as(text);
    } catch {
      return undefined;
    }
  };

/** In the order of application. */
const readers: Readonly<Record<string, Reader>> = lookup({
  "start-after": duration((startAfterMs) => ({ startAfterMs })),
  "run-for": duration((runForMs) => ({ runForMs })),
  "exit-code": exitCode((code) => ({ exitCode: code })),
  "crash-every": duration((runForMs) => ({ runForMs, exitCode: 1 })),
  "image-pull": (text) => (text === "ok" || text === "fail" ? { imagePull: text } : undefined),
  ready: (text) => (text === "true" || text === "false" ? { ready: text === "true" } : undefined),
  "ready-after": duration((readyAfterMs) => ({ readyAfterMs })),
  "stop-after": duration((stopAfterMs) => ({ stopAfterMs })),
  "resize-after": duration((resizeAfterMs) => ({ resizeAfterMs })),
  "stop-exit-code": exitCode((code) => ({ stopExitCode: code })),
  cpu: level((cpu) => ({ cpu })),
  memory: level((memory) => ({ memory })),
});

function fromAnnotations(pod: Pod, container: string, isInit: boolean): Partial<Behaviour> {
  const { annotations } = pod.metadata;
  if (annotations === undefined) return {};
  let behaviour: Partial<Behaviour> = {};
  for (const [name, read] of Object.entries(readers)) {
    const general = isInit ? undefined : annotations[`${annotationPrefix}${name}`];
    const text = annotations[`${annotationPrefix}${name}.${container}`] ?? general;
    if (text !== undefined) behaviour = { ...behaviour, ...read(text) };
  }
  return behaviour;
}

/** The problems with a pod's annotations, in words for its owner. */
export function annotationProblems(pod: Pod): readonly string[] {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  return Object.entries(pod.metadata.annotations ?? {}).flatMap(([key, text]) => {
    if (!key.startsWith(annotationPrefix)) return [];
    const [name = "", container] = key.slice(annotationPrefix.length).split(".", 2);
    const read = own(readers, name);
    if (read === undefined) return [`annotation ${key}: simulated nodes know no such setting`];
    if (container !== undefined && !containers.includes(container)) return [`annotation ${key}: no such container`];
    return read(text) === undefined ? [`annotation ${key}: cannot read ${JSON.stringify(text)}`] : [];
  });
}
