/** PodSecurity: holds pods to the level that their namespace's labels, or the settings, name. Pod templates only get warnings. */
import {
  controllerOf,
  deepEqual,
  type KubeObject,
  newForbidden,
  newInvalid,
  type ObjectMeta,
  type Pod,
  type PodSpec,
} from "../../../api/index.js";
import { objectsIn, type Store } from "../../storage/contract.js";
import type { AdmissionPlugin, AdmissionRequest } from "../../contracts/admission.js";
import { objections, printObjections } from "./evaluate.js";
import { joinedErrors } from "../../../api/errors/field-error.js";
import {
  isFree,
  type LevelVersion,
  type PodSecuritySettings,
  policyOf,
  prefix,
  printLevel,
  type SecurityPolicy,
  strictness,
} from "./policy.js";

const podEndpoints = ["", "ephemeralcontainers", "resize"];
const templated = new Set([
  "/replicationcontrollers",
  "/podtemplates",
  "apps/replicasets",
  "apps/deployments",
  "apps/statefulsets",
  "apps/daemonsets",
  "batch/jobs",
  "batch/cronjobs",
]);

interface Judging extends PodSecuritySettings {
  readonly store: Store;
}

export function podSecurity(store: Store, settings: PodSecuritySettings): AdmissionPlugin {
  const judging = { store, ...settings };
  return {
    name: "PodSecurity",
    validate(request) {
      const { operation, resource, subresource, object } = request;
      if (object === undefined || (operation !== "CREATE" && operation !== "UPDATE")) return;
      const id = `${resource.group}/${resource.resource}`;
      if (id === "/namespaces") {
        if (subresource === "") judgeNamespace(judging, request);
      } else if (id === "/pods") {
        if (podEndpoints.includes(subresource)) judgePod(judging, request, object as Pod);
      } else if (templated.has(id) && subresource === "") {
        judgeTemplate(judging, request, object);
      }
    },
  };
}

const policyIn = ({ store, defaults }: Judging, namespace: string): ReturnType<typeof policyOf> =>
  policyOf(store.get("namespaces", namespace)?.object.metadata.labels, defaults);

/** Whether the request is not judged for its namespace or its user; the audit event says for which. */
function isExempt({ exempt }: Judging, { namespace, user, annotate }: AdmissionRequest): boolean {
  const by = exempt.namespaces.has(namespace) ? "namespace" : exempt.users.has(user.username) ? "user" : undefined;
  if (by !== undefined) annotate?.(`${prefix}exempt`, by);
  return by !== undefined;
}

function isExemptClass({ exempt }: Judging, { runtimeClassName = "" }: PodSpec, request?: AdmissionRequest): boolean {
  if (runtimeClassName === "" || !exempt.runtimeClasses.has(runtimeClassName)) return false;
  request?.annotate?.(`${prefix}exempt`, "runtimeClass");
  return true;
}

function judgePod(judging: Judging, request: AdmissionRequest, pod: Pod): void {
  const { operation, resource, namespace, name, old, warn } = request;
  if (isExempt(judging, request)) return;
  const { policy, problems } = policyIn(judging, namespace);
  const enforced = (): void => request.annotate?.(`${prefix}enforce-policy`, printLevel(policy.enforce));
  if (problems.length === 0 && isFree(policy)) return enforced();
  if (operation === "UPDATE" && !isSignificant(pod, old as Pod)) return;
  const spec = pod.spec ?? { containers: [] };
  if (isExemptClass(judging, spec, request)) return;
  enforced();
  auditOf({ policy, problems }, request, { metadata: pod.metadata, spec });
  const found = objections(policy.enforce, pod.metadata, spec);
  if (found.length > 0) {
    throw newForbidden(
      resource,
      name,
      `violates PodSecurity "${printLevel(policy.enforce)}": ${printObjections(found)}`,
    );
  }
  warnOf(policy.warn, { metadata: pod.metadata, spec, warn });
}

/** Only a new image or a new container needs another check. */
function isSignificant({ spec }: Pod, { spec: old }: Pod): boolean {
  const images = (one: PodSpec | undefined): readonly string[] =>
    [...(one?.containers ?? []), { name: "/", image: "" }, ...(one?.initContainers ?? [])].map(
      ({ image = "" }) => image,
    );
  if (images(spec).join("\n") !== images(old).join("\n")) return true;
  const before = new Map((old?.ephemeralContainers ?? []).map(({ name, image }) => [name, image]));
  return (spec?.ephemeralContainers ?? []).some(({ name, image }) => !before.has(name) || before.get(name) !== image);
}

interface Template {
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: PodSpec;
}

type Templated = KubeObject & {
  readonly template?: Template;
  readonly spec?: {
    readonly template?: Template;
    readonly jobTemplate?: { readonly spec?: { readonly template?: Template } };
  };
};

function judgeTemplate(judging: Judging, request: AdmissionRequest, object: Templated): void {
  const { namespace, warn } = request;
  if (isExempt(judging, request)) return;
  const { policy, problems } = policyIn(judging, namespace);
  const { warn: warned, audit } = policy;
  if (problems.length === 0 && warned.level === "privileged" && audit.level === "privileged") return;
  const template = object.template ?? object.spec?.template ?? object.spec?.jobTemplate?.spec?.template;
  if (template?.spec === undefined || isExemptClass(judging, template.spec, request)) return;
  const judged = { metadata: template.metadata ?? {}, spec: template.spec };
  auditOf({ policy, problems }, request, judged);
  warnOf(warned, { ...judged, warn });
}

/** Tells the audit event of violations of the audit level, and of labels that cannot be read. */
function auditOf(
  { policy: { audit }, problems }: ReturnType<typeof policyOf>,
  { annotate }: AdmissionRequest,
  { metadata, spec }: { readonly metadata: Partial<ObjectMeta>; readonly spec: PodSpec },
): void {
  if (annotate === undefined) return;
  if (problems.length > 0) {
    const texts = problems.map(({ field, message }) => `${field}: ${message}`);
    annotate(`${prefix}error`, `Failed to parse policy: ${joinedErrors(texts)}`);
  }
  const found = objections(audit, metadata, spec);
  if (found.length === 0) return;
  annotate(`${prefix}audit-violations`, `would violate PodSecurity "${printLevel(audit)}": ${printObjections(found)}`);
}

function warnOf(
  level: LevelVersion,
  {
    metadata,
    spec,
    warn,
  }: { readonly metadata: Partial<ObjectMeta>; readonly spec: PodSpec; warn(text: string): void },
): void {
  const found = objections(level, metadata, spec);
  if (found.length > 0) warn(`would violate PodSecurity "${printLevel(level)}": ${printObjections(found)}`);
}

function judgeNamespace(judging: Judging, { operation, kind, name, object, old, warn }: AdmissionRequest): void {
  const { defaults, exempt } = judging;
  const { policy, problems } = policyOf(object?.metadata.labels, defaults);
  const passOver = (): void => {
    if (isFree(policy) || deepEqual(policy, defaults)) return;
    const shown = print(policy, object?.metadata.labels ?? {});
    warn(`namespace ${JSON.stringify(name)} is exempt from Pod Security, and the policy (${shown}) will be ignored`);
  };
  if (operation === "CREATE") {
    if (problems.length > 0) throw newInvalid(kind, name, problems);
    if (exempt.namespaces.has(name)) passOver();
    return;
  }
  const before = policyOf(old?.metadata.labels, defaults);
  if (problems.length > 0 && JSON.stringify(problems) !== JSON.stringify(before.problems)) {
    throw newInvalid(kind, name, problems);
  }
  const { enforce } = policy;
  const was = before.policy.enforce;
  if (enforce.level === "privileged" || (enforce.level === was.level && enforce.minor === was.minor)) return;
  if (enforce.minor === was.minor && strictness(enforce.level) <= strictness(was.level)) return;
  if (exempt.namespaces.has(name)) return passOver();
  for (const text of violationsIn(judging, name, enforce)) warn(text);
}

/** The modes that the labels name and that hold pods to anything. */
function print(policy: SecurityPolicy, labels: Readonly<Record<string, string>>): string {
  const isNamed = (mode: string): boolean => [mode, `${mode}-version`].some((one) => `${prefix}${one}` in labels);
  return (["enforce", "audit", "warn"] as const)
    .filter((mode) => policy[mode].level !== "privileged" && isNamed(mode))
    .map((mode) => `${mode}=${printLevel(policy[mode])}`)
    .join(", ");
}

const mostPods = 3000;

/** Existing pods stay when a namespace's level is tightened; the client gets warnings about them. */
function violationsIn(judging: Judging, namespace: string, enforce: LevelVersion): readonly string[] {
  const pods = firstOfEach(objectsIn<Pod>(judging.store, "pods", namespace));
  const checked = pods.slice(0, mostPods);
  const byReason = new Map<string, string[]>();
  for (const { metadata, spec = { containers: [] } } of checked) {
    if (isExemptClass(judging, spec)) continue;
    const reason = objections(enforce, metadata, spec)
      .map((one) => one.reason)
      .join(", ");
    if (reason !== "") byReason.set(reason, [...(byReason.get(reason) ?? []), metadata.name]);
  }
  const others = (count: number): string =>
    count === 0 ? "" : ` (and ${count} other ${count === 1 ? "pod" : "pods"})`;
  const found = [...byReason].map(([reason, names]) => {
    const [first = ""] = names.toSorted();
    return `${first}${others(names.length - 1)}: ${reason}`;
  });
  return [
    ...(checked.length < pods.length
      ? [
          `new PodSecurity enforce level only checked against the first ${checked.length} of ${pods.length} existing pods`,
        ]
      : []),
    ...(found.length > 0
      ? [`existing pods in namespace "${namespace}" violate the new PodSecurity enforce level "${printLevel(enforce)}"`]
      : []),
    ...found.toSorted(),
  ];
}

/** One pod of each controller first: its other pods are most likely the same. */
function firstOfEach(pods: readonly Pod[]): readonly Pod[] {
  const seen = new Set<string>();
  const [first, rest]: [Pod[], Pod[]] = [[], []];
  for (const pod of pods) {
    const owner = controllerOf(pod)?.uid;
    (owner !== undefined && seen.has(owner) ? rest : first).push(pod);
    if (owner !== undefined) seen.add(owner);
  }
  return [...first, ...rest];
}
