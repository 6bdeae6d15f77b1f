/** Rules for the containers of a pod: regular, init and ephemeral. */
import {
  type Container,
  type ContainerRestartRule,
  type EphemeralContainer,
  type FieldError,
  type PodOS,
} from "../../../../../api/index.js";
import { dns1123Label, type Issues, oneOf, optionalOneOf, type Path, required } from "../../rules/issues.js";
import { resourceRequirements } from "../../rules/resources.js";
import { containerPorts, environment, environmentFrom } from "./environment.js";
import { lifecycle, probe } from "./handlers.js";
import { type Volumes, volumeDevices, volumeMounts } from "./mounts.js";
import { containerSecurity } from "./security.js";
import { repeats } from "../../../../../base/members.js";

/** The facts about its pod that a container's rules need. */
export interface PodContext {
  readonly volumes: Volumes;
  readonly claims: ReadonlySet<string>;
  readonly grace: number | undefined;
  readonly os: PodOS | undefined;
  readonly restartPolicy: string;
  readonly hostUsers: boolean;
}

const messagePolicies = ["File", "FallbackToLogsOnError"];
const pullPolicies = ["Always", "IfNotPresent", "Never"];

function* common(at: Path, container: Container, pod: PodContext): Issues {
  const { name, image = "" } = container;
  yield* required(at.child("name"), name, dns1123Label);
  if (image === "") yield at.child("image").required();
  yield* oneOf(at.child("terminationMessagePolicy"), container.terminationMessagePolicy, messagePolicies);
  if (container.ports !== undefined) yield* containerPorts(at.child("ports"), container.ports);
  if (container.env !== undefined) yield* environment(at.child("env"), container.env);
  if (container.envFrom !== undefined) yield* environmentFrom(at.child("envFrom"), container.envFrom);
  if (container.volumeMounts !== undefined) yield* volumeMounts(at.child("volumeMounts"), container, pod.volumes);
  if (container.volumeDevices !== undefined) yield* volumeDevices(at.child("volumeDevices"), container, pod.volumes);
  yield* oneOf(at.child("imagePullPolicy"), container.imagePullPolicy, pullPolicies);
  yield* resourceRequirements(at.child("resources"), container.resources, { podClaims: pod.claims });
  if (container.resizePolicy !== undefined) yield* resizePolicy(at.child("resizePolicy"), container, pod.restartPolicy);
  if (container.securityContext !== undefined) {
    yield* containerSecurity(at.child("securityContext"), container.securityContext, pod.hostUsers);
  }
}

function* resizePolicy(at: Path, container: Container, podRestartPolicy: string): Issues {
  const isRepeat = repeats();
  for (const [here, policy] of at.items(container.resizePolicy)) {
    const resourceName: string = policy.resourceName ?? "";
    const restartPolicy: string = policy.restartPolicy ?? "";
    if (isRepeat(resourceName)) yield here.duplicate(resourceName);
    yield* oneOf(at, resourceName, ["cpu", "memory"]);
    yield* oneOf(at, restartPolicy, ["NotRequired", "RestartContainer"]);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      yield at.invalid(restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

function* hostPorts(at: Path, containers: readonly Container[]): Issues {
  const isRepeat = repeats();
  for (const [here, { ports = [] }] of at.items(containers)) {
    for (const [place, { hostPort, protocol = "", hostIP = "" }] of here.child("ports").items(ports)) {
      if (!hostPort) continue;
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (isRepeat(key)) yield place.child("hostPort").duplicate(key);
    }
  }
}

function* handlers(at: Path, container: Container, pod: PodContext): Issues {
  if (container.lifecycle !== undefined) yield* lifecycle(at.child("lifecycle"), container.lifecycle, pod);
  for (const kind of ["liveness", "readiness", "startup"] as const) {
    const given = container[`${kind}Probe`];
    if (given !== undefined) yield* probe(at.child(`${kind}Probe`), kind, given, pod.grace);
  }
}

export function* regularContainers(at: Path, containers: readonly Container[], pod: PodContext): Issues {
  if (containers.length === 0) {
    yield at.required();
    return;
  }
  const isRepeat = repeats();
  for (const [here, container] of at.items(containers)) {
    const { name } = container;
    yield* common(here, container, pod);
    if (isRepeat(name)) yield here.child("name").duplicate(name);
    yield* handlers(here, container, pod);
    yield* restartRules(here, container.restartPolicy, container.restartPolicyRules);
  }
  yield* hostPorts(at, containers);
}

function* restartRules(at: Path, policy: string | undefined, rules: readonly ContainerRestartRule[] = []): Issues {
  if (policy === undefined) {
    if (rules.length === 0) return;
    yield noPolicy(at);
  } else yield* optionalOneOf(at.child("restartPolicy"), policy, ["Always", "Never", "OnFailure"]);
  if (rules.length > 20) yield at.child("restartPolicyRules").tooMany(rules.length, 20);
  for (const [here, { action = "", exitCodes }] of at.child("restartPolicyRules").items(rules)) {
    yield* optionalOneOf(here.child("action"), action, ["Restart", "RestartAllContainers"]);
    if (exitCodes === undefined) {
      yield here.child("exitCodes").required("must be specified");
      continue;
    }
    const { operator, values = [] } = exitCodes;
    const codesAt = here.child("exitCodes");
    yield* optionalOneOf(codesAt.child("operator"), operator ?? "", ["In", "NotIn"]);
    if (values.length > 255) yield codesAt.child("values").tooMany(values.length, 255);
  }
}

export function* initContainers(
  at: Path,
  containers: readonly Container[],
  pod: PodContext & { readonly regular: readonly Container[] },
): Issues {
  const names = new Set(pod.regular.map(({ name }) => name));
  for (const [here, container] of at.items(containers)) {
    yield* common(here, container, pod);
    yield* initRestartRules(here, container);
    if (names.has(container.name)) yield here.child("name").duplicate(container.name);
    else if (container.name) names.add(container.name);
    yield* hostPorts(at, [container]);
    const sidecar = container.restartPolicy === "Always";
    if (sidecar) yield* handlers(here, container, pod);
    else yield* onlyForSidecars(here, container);
  }
}

/** Of an init container without a policy the rules are not judged, as upstream. */
function* initRestartRules(at: Path, { restartPolicy, restartPolicyRules = [] }: Container): Issues {
  if (restartPolicy !== undefined) yield* restartRules(at, restartPolicy, restartPolicyRules);
  else if (restartPolicyRules.length > 0) yield noPolicy(at);
}

const noPolicy = (at: Path): FieldError =>
  at.child("restartPolicy").required("must specify restartPolicy when restart rules are used");

function* onlyForSidecars(at: Path, container: Container): Issues {
  for (const field of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const) {
    if (container[field] === undefined) continue;
    yield at.child(field).forbidden("may not be set for init containers without restartPolicy=Always");
  }
  for (const [place, { restartPolicy }] of at.child("resizePolicy").items(container.resizePolicy)) {
    if (restartPolicy !== "RestartContainer") continue;
    const here = place.child("restartPolicy");
    yield here.invalid(restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers");
  }
}

const ephemeralForbidden = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  "livenessProbe",
  "readinessProbe",
  "startupProbe",
  "lifecycle",
] as const;

export function* ephemeralContainers(
  at: Path,
  containers: readonly EphemeralContainer[],
  pod: PodContext & { readonly others: readonly Container[] },
): Issues {
  const others = new Set(pod.others.map(({ name }) => name));
  const names = new Set(others);
  const why = "cannot be set for an Ephemeral Container";
  for (const [here, container] of at.items(containers)) {
    const { name, targetContainerName = "" } = container;
    yield* common(here, container as Container, pod);
    yield* trimmedImage(here, container.image);
    if (names.has(name)) yield here.child("name").duplicate(name);
    names.add(name);
    if (targetContainerName !== "" && !others.has(targetContainerName)) {
      yield here.child("targetContainerName").notFound(targetContainerName);
    }
    for (const field of ephemeralForbidden) {
      const value: unknown = container[field];
      // typed form always has resources
      const empty = field === "resources" && Object.keys(container.resources ?? {}).length === 0;
      if (value !== undefined && !empty) yield here.child(field).forbidden(why);
    }
    for (const [mountAt, mount] of here.child("volumeMounts").items(container.volumeMounts)) {
      if (mount.subPath) yield mountAt.child("subPath").forbidden(why);
      if (mount.subPathExpr) yield mountAt.child("subPathExpr").forbidden(why);
    }
  }
}

/** Only for pods; templates may hold an image with surrounding space. */
export function* trimmedImage(at: Path, image = ""): Issues {
  if (image.trim() !== image) yield at.child("image").invalid(image, "must not have leading or trailing whitespace");
}
