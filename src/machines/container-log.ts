/** The log of a simulated container: the events of its life, and a note that it is simulated. */
import {
  type Container,
  type ContainerState,
  type ContainerStatus,
  formatTime,
  newBadRequest,
  parseTime,
  type Pod,
} from "../api/index.js";
import { allContainers, containerStatus } from "../api/pods/containers.js";
import type { Sources } from "./command/environment.js";
import { outcomeOf } from "./command/outcome.js";

export interface ContainerLogOptions {
  /** Required if the pod has several containers. */
  readonly container?: string;
  /** Whether to read the previous run. */
  readonly previous?: boolean;
  readonly timestamps?: boolean;
  readonly tailLines?: number;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  /** Milliseconds since the epoch: later output of a followed command is not there yet. */
  readonly now?: number;
  /** Whether the log has the output of commands that can be followed; the option of the nodes. */
  readonly followCommands?: boolean;
  /** For followed commands that print their environment. */
  readonly sources?: Sources;
}

export interface ContainerLog {
  readonly text: string;
  /** False while the container runs, since more may follow. */
  readonly ended: boolean;
}

/** Throws a 400 in the kubelet's words if the container does not exist or has not run. */
export function containerLog(pod: Pod, options: ContainerLogOptions = {}): ContainerLog {
  const name = chosenContainer(pod, options.container);
  const status = containerStatus(pod.status, name);
  const state = runOf(pod, status, { name, previous: options.previous ?? false });
  const container = allContainers(pod.spec).find((each) => each.name === name);
  const { now = Number.POSITIVE_INFINITY, followCommands = false, sources } = options;
  const written = container && followCommands ? outputOf(pod, container, { state, now, sources }) : undefined;
  const lines = (written ?? linesOf(pod, container, state)).filter(
    ({ at }) => options.since === undefined || at >= options.since,
  );
  const { tailLines = lines.length, timestamps = false } = options;
  const shown = tailLines <= 0 ? [] : lines.slice(-tailLines);
  const text = shown.map(({ at, line }) => `${timestamps ? `${formatTime(at)} ` : ""}${line}\n`).join("");
  return { text, ended: state.running === undefined };
}

function chosenContainer(pod: Pod, asked: string | undefined): string {
  const { metadata, spec } = pod;
  const { containers = [], initContainers = [] } = spec ?? {};
  const names = containers.map(({ name }) => name);
  if (asked) {
    if (allContainers(pod.spec).some(({ name }) => name === asked)) return asked;
    throw newBadRequest(`container ${asked} is not valid for pod ${metadata.name}`);
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const inits = initContainers.map(({ name }) => name);
  const init = inits.length === 0 ? "" : ` or one of the init containers: [${inits.join(" ")}]`;
  throw newBadRequest(
    `a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(" ")}]${init}`,
  );
}

/** The state of the requested run. */
function runOf(
  { metadata }: Pod,
  status: ContainerStatus | undefined,
  { name, previous }: { readonly name: string; readonly previous: boolean },
): ContainerState {
  const { state, lastState } = status ?? {};
  const where = `container ${JSON.stringify(name)} in pod ${JSON.stringify(metadata.name)}`;
  if (previous) {
    if (lastState?.terminated !== undefined) return lastState;
    throw newBadRequest(`previous terminated ${where} not found`);
  }
  if (state?.running !== undefined || state?.terminated !== undefined) return state;
  if (lastState?.terminated !== undefined) return lastState;
  const reason = state?.waiting?.reason;
  throw newBadRequest(
    reason === "ErrImagePull" || reason === "ImagePullBackOff"
      ? `${where} is waiting to start: trying and failing to pull image`
      : `${where} is waiting to start: ${reason ?? "ContainerCreating"}`,
  );
}

interface Line {
  readonly at: number;
  readonly line: string;
}

interface Looking {
  readonly state: ContainerState;
  readonly now: number;
  readonly sources: Sources | undefined;
}

/** The output so far of a command that can be followed; undefined if it cannot. */
function outputOf(
  pod: Pod,
  container: Container,
  { state: { running, terminated }, now, sources }: Looking,
): readonly Line[] | undefined {
  const startedAt = running?.startedAt ?? terminated?.startedAt;
  const outcome = outcomeOf(pod, container, sources);
  if (!startedAt || outcome === undefined || outcome.output.length === 0) return undefined;
  const start = parseTime(startedAt);
  const end = terminated?.finishedAt ? parseTime(terminated.finishedAt) : now;
  return outcome.output.map(({ at, text }) => ({ at: start + at, line: text })).filter(({ at }) => at <= end);
}

function linesOf(
  { metadata }: Pod,
  container: Container | undefined,
  { running, terminated }: ContainerState,
): readonly Line[] {
  const { name = "", image = "" } = container ?? {};
  const startedAt = running?.startedAt ?? terminated?.startedAt;
  const lines: Line[] = [];
  if (startedAt) {
    const title = `container ${name} of pod ${metadata.namespace ?? ""}/${metadata.name}`;
    const line = `simulated ${title} started from image ${image}; no program runs in it, so this is all it writes`;
    lines.push({ at: parseTime(startedAt), line });
  }
  if (terminated?.finishedAt) {
    const { exitCode, reason = "" } = terminated;
    lines.push({ at: parseTime(terminated.finishedAt), line: `exited with code ${exitCode} (${reason})` });
  }
  return lines;
}
