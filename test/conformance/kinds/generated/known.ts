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

const knownDifferences: readonly KnownDifference[] = [
  { value: /922337203685477580[78]/, why: "the largest whole numbers are not told apart, and shown rounded" },
  {
    mode: /apply|strategic/,
    value: /^2147483648$/,
    why: "a real server lets the number of a patch wrap around into a negative one",
  },
  {
    value: /^(\[\]|\{\}|"")$/,
    mode: /update|merge|json|strategic|apply/,
    why: "an empty value that was not there before is no change, whereas some kinds count it as one",
  },
  {
    place: /^(EphemeralContainer|ResourceRequirements|PodSpec\.overhead|JSONSchemaProps\.dependencies)|ObjectMeta\.finalizers|\.(capacity|versions|scopes|cidrs|sharedCounters|binding(Failure)?Conditions)$|ObjectMeta\.(ownerReferences|managedFields)$/,
    value: /^(\[\]|\{\})$/,
    why: "an empty list or map counts as absent, which is what protobuf makes of it in a real server's storage",
  },
  {
    kind: / ResourceClaim(Template)?$/,
    place: /CapacityRequirements\.requests$/,
    value: /^null$/,
    mode: /update|merge|json|strategic|apply/,
    why: "a request for no capacity that was not there before is no change, whereas a real server counts it as one",
  },
  {
    place: /CustomResourceDefinition(\.spec|Spec\.versions)|ServiceCIDR(\.spec|Spec\.cidrs)/,
    value: /^(null|undefined|\{\})$/,
    why: "a list that is missing is shown as [] instead of null",
  },
  {
    mode: /merge|strategic/,
    value: /^\{"k":null\}$/,
    why: "a map that a patch leaves empty counts as absent, for the same reason",
  },
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
