/** Where our answers to generated objects differ from a real server's, and why. docs/compatibility.md says the same in words. */
import type { Cases } from "../differential.js";
import type { Trial } from "./trials.js";

/** A trial that fits all that is given is not compared. */
interface KnownDifference {
  /** Of apiVersion and kind. */
  readonly kind?: RegExp;
  readonly place?: RegExp;
  readonly mode?: RegExp;
  readonly subresource?: RegExp;
  /** Of the value as JSON; of an absent one, `undefined`. */
  readonly value?: RegExp;
  readonly why: string;
}

const changing = /update|merge|json|strategic|apply/;
const empty = /^(\[\]|\{\}|\{"k":null\})$/;

/**
 * A real server tells an empty list or map from none until its storage makes them the same. Here they are the same from
 * the start, except where an empty one is always refused.
 */
const emptyValues: readonly KnownDifference[] = [
  {
    kind: / NetworkPolicy$/,
    place: /^(LabelSelector\.matchExpressions|NetworkPolicyIngressRule\.(ports|from)|NetworkPolicySpec\.egress)$/,
    mode: changing,
    value: empty,
    why: "a real server counts one more generation",
  },
  {
    kind: / (Mutating|Validating)WebhookConfiguration$/,
    place: /^(LabelSelector\.match(Expressions|Labels)|WebhookClientConfig\.caBundle|\w+Webhook\.matchConditions)$/,
    mode: changing,
    value: /^(\[\]|\{\}|\{"k":null\}|"")$/,
    why: "a real server counts one more generation",
  },
  {
    kind: / ConfigMap$/,
    place: /^ConfigMap\.binaryData$/,
    mode: changing,
    value: empty,
    why: "to a real server this is a change of the immutable base",
  },
  {
    kind: / ResourceClaim(Template)?$/,
    place: /^(ExactDeviceRequest\.capacity|CapacityRequirements\.requests)$/,
    mode: changing,
    value: /^(\{\}|null|\{"k":null\})$/,
    why: "a request for no capacity is to a real server a change of an immutable spec",
  },
  {
    kind: / ResourceQuota$/,
    place: /^ResourceQuotaSpec\.scopes$/,
    mode: changing,
    value: empty,
    why: "the refused change of scopes is shown as null instead of []",
  },
  {
    kind: / (Deployment|ReplicaSet|ReplicationController|DaemonSet|StatefulSet|Job)$/,
    place: /^ObjectMeta\.labels$/,
    mode: /create|update|json/,
    value: /^\{\}$/,
    why: "labels that the selector does not match are shown as null instead of {}",
  },
  {
    kind: / (Cron)?Job$/,
    place: /^SuccessPolicy\.rules$/,
    value: empty,
    why: "refused rules are shown as null instead of []",
  },
  { kind: / (Cron)?Job$/, place: /^PodFailurePolicy\.rules$/, value: empty, why: "they are shown as [] instead of null" },
  {
    place: /^ProjectedVolumeSource\.sources$/,
    mode: /create/,
    value: empty,
    why: "they are shown as [] instead of null",
  },
  {
    kind: / Pod$/,
    place: /^PodSpec\.overhead$/,
    mode: /create/,
    value: empty,
    why: "a real server refuses an overhead that no runtime class gives, even of nothing",
  },
  {
    kind: / Pod$/,
    place: /^PodSpec\.runtimeClassName$/,
    mode: /create/,
    value: /^""$/,
    why: "a real server answers 500: it looks for a runtime class without a name",
  },
  { place: /^Capabilities\.add$/, mode: /create/, value: empty, why: "a refused security context is shown without it" },
  {
    kind: / ResourceSlice$/,
    place: /^(ResourceSliceSpec\.sharedCounters|Device\.binding(Failure)?Conditions)$/,
    value: empty,
    why: "a real server refuses shared counters beside devices, even none; shows none as [] instead of null",
  },
  {
    kind: / CustomResourceDefinition$/,
    place: /^JSONSchemaProps\.oneOf$/,
    mode: /create/,
    value: empty,
    why: "a real server refuses it at the root of a schema with a status, where alternatives are refused",
  },
  {
    kind: / CustomResourceDefinition$/,
    place: /^JSONSchemaProps\.items$/,
    mode: changing,
    value: empty,
    why: "a real server counts one more generation",
  },
  {
    kind: / CustomResourceDefinition$/,
    place: /^WebhookConversion\.conversionReviewVersions$/,
    mode: /merge|strategic|update/,
    value: empty,
    why: "a real server names the owner of a webhook that it drops",
  },
  {
    kind: / CustomResourceDefinition$/,
    place: /^(CustomResourceDefinition\.spec|CustomResourceDefinitionSpec\.versions)$/,
    value: /^(null|undefined|\{\})$/,
    why: "missing versions are shown as [] instead of null",
  },
];

const knownDifferences: readonly KnownDifference[] = [
  { value: /922337203685477580[78]/, why: "the largest whole numbers are not told apart, and shown rounded" },
  {
    mode: /apply|strategic/,
    value: /^2147483648$/,
    why: "a real server lets the number of a patch wrap around into a negative one",
  },
  ...emptyValues,
  {
    kind: / (APIService|FlowSchema|ServiceCIDR)$/,
    place: /ManagedFieldsEntry/,
    mode: /json/,
    why: "at a real server the first owner of its fields is a controller",
  },
  {
    kind: / PersistentVolumeClaim$/,
    value: /"A b"/,
    why: "a refused change is followed by what changed, which the comparison takes out only where a path has no spaces",
  },
  { place: /JSONSchemaProps\.items$/, value: /^(true|false|"x"|1)$/, why: "a real server counts it as a change, although it means nothing" },
  {
    place: /ObjectReference\.name|^ServiceAccount\.secrets|ManagedFieldsEntry\.fieldsV1/,
    why: "a real server that cannot tell who owns a field of an object forgets all owners, and logs that this should not happen",
  },
  {
    place: /Lifecycle\.stopSignal|[sS]chedulingGroup|[nN]odeAllocatable|RollingUpdateStatefulSetStrategy\.maxUnavailable/,
    why: "a real server notes who owns a field of a feature that is off, and drops the field",
  },
  { place: /ServiceSpec\.clusterIP$/, value: /1\.2\.3\.4/, why: "only a dry run of a real server words it so" },
  {
    kind: / EndpointSlice$/,
    place: /deprecatedTopology/,
    mode: /update|merge|json|strategic|apply/,
    why: "a real server counts a change of a field that it drops",
  },
  {
    kind: / (APIService|FlowSchema|ServiceCIDR)$/,
    subresource: /status/,
    why: "a real server's own controllers write this status at some moment",
  },
  { value: /(\{\},){99}/, why: "of very many causes a part is named" },
  { place: /ExpressionWarning\.fieldRef/, why: "paths of warnings are not parsed" },
  { place: /^PersistentVolumeClaim\.(kind|apiVersion)$/, why: "the Go struct that holds them is not named" },
];

/** By the message of a real server's 500, why we answer otherwise. */
const knownFailures: readonly { readonly message: RegExp; readonly why: string }[] = [
  {
    message: /^failed to convert new object .* to proper version/,
    why: "a value of the wrong type in an applied object is the sender's fault",
  },
];

export const isKnownFailure = (message: string): boolean => knownFailures.some((known) => known.message.test(message));

export function isKnown({ apiVersion, kind }: Cases, { mode, subresource, place, value }: Trial): boolean {
  const subject = { kind: `${apiVersion} ${kind}`, place, mode, subresource, value: JSON.stringify(value) ?? "undefined" };
  return knownDifferences.some((known) =>
    (["kind", "place", "mode", "subresource", "value"] as const).every((field) => known[field]?.test(subject[field]) ?? true),
  );
}

const knownCustom: readonly Exception[] = [
  {
    value: /u0001(-?\d+\.\d+|-?[\d.]+e-?\d{1,2}|1e-400|-?922337203685477580[89])\\/,
    why: "a whole number that is written with a fraction or an exponent is an integer; beyond 64 bits others are named",
  },
  { place: /format-/, value: /^\[/, why: "a real server owns nothing of an object with a list in place of a text" },
  { place: /integerEnum/, value: /\.\d/, why: "a real server cuts fractions off before it compares with integers" },
  { place: /embedded/, value: /labels/, why: "the members of refused metadata are shown in another order" },
];

type Exception = Pick<KnownDifference, "place" | "value" | "why">;

const isAmong = (exceptions: readonly Exception[], { place, value }: Trial): boolean =>
  exceptions.some(
    (known) =>
      (known.place?.test(place) ?? true) && (known.value?.test(JSON.stringify(value) ?? "undefined") ?? true),
  );

export const isKnownCustom = (trial: Trial): boolean => isAmong(knownCustom, trial);

const knownReviews: readonly Exception[] = [
  { value: /922337203685477580[78]/, why: "the largest whole numbers are shown rounded" },
  {
    place: /TokenReviewSpec\.token/,
    value: /^" /,
    why: "a real server finds no token behind a space, and then answers that the anonymous user is authenticated",
  },
];

export const isKnownReview = (trial: Trial): boolean => isAmong(knownReviews, trial);
