/** Where our answers to generated objects differ from a real server's, and why. docs/compatibility.md says the same in words. */
import type { Cases } from "../differential.js";
import type { Trial } from "./trials.js";

/** What fits all that is given is not compared. */
interface KnownDifference {
  /** Of apiVersion and kind. */
  readonly kind?: RegExp;
  readonly place?: RegExp;
  readonly mode?: RegExp;
  /** Of the value as JSON; of an absent one, `undefined`. */
  readonly value?: RegExp;
  readonly why: string;
}

const largest = /9223372036854775807/;

const knownDifferences: readonly KnownDifference[] = [
  { value: largest, why: "the largest whole numbers are not told apart, and shown rounded" },
  {
    value: /^(\[\]|\{\}|"")$/,
    mode: /update/,
    why: "an empty list or map that was not there before is no change, whereas some kinds count it as one",
  },
  {
    place: /^(EphemeralContainer|ResourceRequirements|PodSpec\.overhead|JSONSchemaProps\.dependencies)/,
    value: /^(\[\]|\{\})$/,
    why: "an empty list or map counts as absent, whereas some rules object to it",
  },
  { place: /\.(capacity|versions|scopes|cidrs)$/, value: /^(\[\]|\{\}|null|undefined)$/, why: "none is shown as null or []" },
  {
    place: /ObjectMeta\.(deletionTimestamp|deletionGracePeriodSeconds|managedFields)|ManagedFieldsEntry/,
    why: "what only a server sets is dropped or kept, whereas a real one refuses some of it",
  },
  { place: /ObjectMeta\.uid/, mode: /update/, why: "a dry run names the key in storage without its beginning" },
  {
    kind: /^(v1|certificates.*|events.*) (Event|CertificateSigningRequest)$/,
    place: /metadata|ObjectMeta/,
    why: "names are judged by the rules of the older of two groups",
  },
  {
    kind: / ServiceAccount$/,
    place: /secrets|ObjectReference\.name/,
    why: "a real server owns nothing of an object with a list item that lacks its key",
  },
  { place: /Lifecycle\.stopSignal|[sS]chedulingGroup|RollingUpdateStatefulSetStrategy\.maxUnavailable/, why: "a field that is dropped is owned by nobody" },
  { place: /PodSpec\.runtimeClassName/, value: /^""$|\//, why: "a real server fails when it looks for such a class" },
  { place: /imagePullSecrets/, value: /(\{\},){9}/, why: "a real server cuts off many warnings" },
  { place: /ServiceSpec\.clusterIP$/, value: /1\.2\.3\.4/, why: "a dry run words an address out of range differently" },
  { kind: / EndpointSlice$/, place: /deprecatedTopology/, mode: /update/, why: "what is dropped again is no change" },
  {
    kind: / (APIService|CustomResourceDefinition|FlowSchema|ServiceCIDR)$/,
    mode: /status/,
    why: "a real server's own controllers write this status at some moment",
  },
  { place: /ExtendedResourceClaimStatus|ContainerExtendedResourceRequest/, why: "devices of pods are judged less strictly" },
  { kind: /CustomResourceDefinition|ServiceCIDR/, place: /\.(spec|schema)$/, why: "what is said where nothing is given" },
  { place: /^PersistentVolumeClaim\.(kind|apiVersion)$/, why: "the Go struct that holds them is not named" },
  { kind: / ReplicationController$/, place: /ObjectMeta\.(name|generateName)/, why: "new rules judge the names of one old kind" },
  { kind: / Job$/, place: /ObjectMeta\.name/, why: "the labels that a bad name becomes are complained of twice" },
  { place: /ObjectMeta\.finalizers/, value: /^\[\]$/, why: "an empty list counts as absent, whereas a claim's template may have none" },
  { kind: /CustomResourceDefinition/, place: /JSONSchemaProps\.default$/, why: "the default of a whole object" },
  { kind: / CSIDriver$/, place: /ObjectMeta\.generation/, why: "a generation that a client gives is dropped" },
  { kind: / Node$/, place: /podCIDRs/, value: /"x"/, why: "ranges that cannot be read are not named by family" },
  { place: /ExpressionWarning\.fieldRef/, why: "paths of warnings are not parsed" },
  { kind: /^resource\.k8s\.io/, why: "claims, classes and slices of devices are judged less strictly" },
];

export function isKnown({ apiVersion, kind }: Cases, { mode, place, value }: Trial): boolean {
  const subject = { kind: `${apiVersion} ${kind}`, place, mode, value: JSON.stringify(value) ?? "undefined" };
  return knownDifferences.some((known) =>
    (["kind", "place", "mode", "value"] as const).every((field) => known[field]?.test(subject[field]) ?? true),
  );
}

const knownCustom: readonly Pick<KnownDifference, "place" | "value" | "why">[] = [
  {
    value: /u0001(-?\d+\.\d+|-?[\d.]+e-?\d{1,2}|1e-400|-?922337203685477580\d)\\/,
    why: "a whole number that is written with a fraction or an exponent is an integer; the largest are not told apart",
  },
  { place: /format-/, value: /^\[/, why: "a real server owns nothing of an object with a list in place of a text" },
  { place: /integerEnum/, value: /\.\d/, why: "a real server cuts fractions off before it compares with integers" },
  { place: /embedded/, value: /labels/, why: "the members of refused metadata are shown in another order" },
];

export const isKnownCustom = ({ place, value }: Trial): boolean =>
  knownCustom.some(
    (known) =>
      (known.place?.test(place) ?? true) && (known.value?.test(JSON.stringify(value) ?? "undefined") ?? true),
  );
