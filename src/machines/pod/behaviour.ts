/** What simulated containers do: taken from a pod's annotations and from rules of whoever runs the nodes; given to the pod's life. */
import { lookup } from "../../base/members.js";
import { type Container, controllerOf, durationToMs, type Pod, type Probe } from "../../api/index.js";
import { outcomeOf } from "../command/outcome.js";

/** Before the container's name, if the annotation is for one container: `coxswain.dev/run-for.web`. */
export const annotationPrefix = "coxswain.dev/";

/** How one container fares. Times are those of the simulation, in milliseconds: `speed` divides them. */
export interface Behaviour {
  /** From the moment it may start until it runs: pulling the image and creating it. 0 unless told. */
  readonly startAfterMs: number;
  /** How long it runs before it exits by itself; for ever unless told. */
  readonly runForMs: number;
  /** With which it exits by itself. */
  readonly exitCode: number;
  /** `fail`: its image cannot be pulled. */
  readonly imagePull: "ok" | "fail";
  /** False: it runs, but is never ready. It may change while the container runs. */
  readonly ready: boolean;
  /** From its start until it counts as started. */
  readonly startedAfterMs: number;
  /** From its start until it is ready: not before it counts as started. */
  readonly readyAfterMs: number;
  /** From the request to stop until it has stopped; beyond the grace period it is killed. 0 unless told. */
  readonly stopAfterMs: number;
  /** With which it exits when it is asked to stop and does so in time. */
  readonly stopExitCode: number;
}

/**
 * A stage rule: may decide about a container, in part or in whole. What it leaves out is decided by the next rule, then by the
 * annotations, then by the command where it can be followed, then by the defaults. It must give the same answer for the same pod.
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
  // what a program ends with that leaves SIGTERM to the system
  stopExitCode: 143,
};

/** How long something runs that is expected to end but is not told when: a container of a Job, or one with an exit code. */
const defaultRunMs = 1_000;

export interface BehaviourOptions {
  readonly rules: readonly BehaviourRule[];
  readonly speed: number;
}

/**
 * The behaviour of a container. Annotations, for all containers of the pod or, with `.<container>` behind, for one:
 * - `start-after`, `run-for`, `ready-after`, `stop-after`: durations such as `1m30s`
 * - `exit-code`: with which it exits after `run-for`; alone, after a second
 * - `crash-every`: a duration; short for that `run-for` with the exit code 1
 * - `image-pull: fail`
 * - `ready: "false"`: never ready, until the annotation is changed
 * - `stop-exit-code`
 *
 * Only annotations with the container's name concern init containers. A value that cannot be read counts as absent: it is listed by `annotationProblems`.
 */
export function behaviourOf(pod: Pod, container: Container, { rules, speed }: BehaviourOptions): Behaviour {
  const isInit = pod.spec?.initContainers?.includes(container) ?? false;
  const isSidecar = isInit && container.restartPolicy === "Always";
  const told = fromAnnotations(pod, container.name, isInit);
  const ruled = rules.reduceRight<Partial<Behaviour>>((rest, rule) => ({ ...rest, ...rule(pod, container) }), {});
  const said = { ...told, ...ruled };
  const endsByDefault = isInit ? !isSidecar : said.exitCode !== undefined || controllerOf(pod)?.kind === "Job";
  const shortMs = isInit ? 0 : defaultRunMs;
  const runForMs = endsByDefault ? shortMs : defaults.runForMs;
  // what is said about its end counts whole: a command has no part in it then
  const isTold = said.runForMs !== undefined || said.exitCode !== undefined;
  const followed = isTold ? {} : fromCommand(pod, container, shortMs);
  const probed = fromProbes(pod, container);
  const { startAfterMs, startedAfterMs, readyAfterMs, stopAfterMs, ...rest } = {
    ...defaults,
    runForMs,
    ...probed,
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
  };
}

/** Probes are not run: each counts as passed after its delay, unless its command is one that fails. */
function fromProbes(pod: Pod, container: Container): Partial<Behaviour> {
  const { startupProbe, readinessProbe } = container;
  if (startupProbe === undefined && readinessProbe === undefined) return {};
  const delayMs = ({ initialDelaySeconds = 0, successThreshold = 1, periodSeconds = 10 }: Probe = {}): number =>
    1_000 * (initialDelaySeconds + (successThreshold - 1) * periodSeconds);
  const { command } = readinessProbe?.exec ?? {};
  const fails = command !== undefined && (outcomeOf(pod, { ...container, command, args: [] })?.exitCode ?? 0) !== 0;
  return {
    startedAfterMs: delayMs(startupProbe),
    readyAfterMs: delayMs(readinessProbe),
    ...(fails && { ready: false }),
  };
}

/** A program that does not wait takes a moment all the same. */
function fromCommand(pod: Pod, container: Container, shortMs: number): Partial<Behaviour> {
  const outcome = outcomeOf(pod, container);
  if (outcome === undefined) return {};
  return { runForMs: Math.max(outcome.slept, shortMs), exitCode: outcome.exitCode ?? 0 };
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

/** In the order in which they are applied. */
const readers: Readonly<Record<string, Reader>> = lookup({
  "start-after": duration((startAfterMs) => ({ startAfterMs })),
  "run-for": duration((runForMs) => ({ runForMs })),
  "exit-code": exitCode((code) => ({ exitCode: code })),
  "crash-every": duration((runForMs) => ({ runForMs, exitCode: 1 })),
  "image-pull": (text) => (text === "ok" || text === "fail" ? { imagePull: text } : undefined),
  ready: (text) => (text === "true" || text === "false" ? { ready: text === "true" } : undefined),
  "ready-after": duration((readyAfterMs) => ({ readyAfterMs })),
  "stop-after": duration((stopAfterMs) => ({ stopAfterMs })),
  "stop-exit-code": exitCode((code) => ({ stopExitCode: code })),
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

/** What is wrong with a pod's annotations, in words for its owner. */
export function annotationProblems(pod: Pod): readonly string[] {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])].map(({ name }) => name);
  return Object.entries(pod.metadata.annotations ?? {}).flatMap(([key, text]) => {
    if (!key.startsWith(annotationPrefix)) return [];
    const [name = "", container] = key.slice(annotationPrefix.length).split(".", 2);
    const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (read === undefined) return [`annotation ${key}: simulated nodes know no such setting`];
    if (container !== undefined && !containers.includes(container)) return [`annotation ${key}: no such container`];
    return read(text) === undefined ? [`annotation ${key}: cannot read ${JSON.stringify(text)}`] : [];
  });
}
