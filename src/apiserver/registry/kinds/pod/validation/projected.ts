/** Rules for volumes made of objects and of the pod itself: secrets, config maps, fields, tokens. */
import {
  type ClusterTrustBundleProjection,
  type ConfigMapVolumeSource,
  type DownwardAPIVolumeFile,
  type DownwardAPIVolumeSource,
  goQuote,
  isDns1123Label,
  isDns1123Subdomain,
  type KeyToPath,
  type PodCertificateProjection,
  type ProjectedVolumeSource,
  type SecretVolumeSource,
  type ServiceAccountTokenProjection,
  type VolumeProjection,
} from "../../../../../api/index.js";
import { objectField, resourceField } from "./environment.js";
import {
  type Issues,
  labelSelector,
  localNonReservedPath,
  optionalOneOf,
  type Path,
  required,
  requiredFields,
  type ValueRule,
} from "../../rules/issues.js";

function* fileMode(at: Path, mode: number | undefined): Issues {
  if (mode !== undefined && (mode > 0o777 || mode < 0)) {
    yield at.invalid(mode, "must be a number between 0 and 0777 (octal), both inclusive");
  }
}

function* keyToPath(at: Path, { key, path, mode }: KeyToPath): Issues {
  if (key === "") yield at.child("key").required();
  if (path === "") yield at.child("path").required();
  yield* localNonReservedPath(at.child("path"), path);
  yield* fileMode(at.child("mode"), mode);
}

/** A volume of the keys of one object, which is named in the field `name`. */
const keysOf = (name: string): ValueRule<ConfigMapVolumeSource | SecretVolumeSource> =>
  function* (at, source) {
    yield* requiredFields(at, source, name);
    yield* fileMode(at.child("defaultMode"), source.defaultMode);
    for (const [here, item] of at.child("items").items(source.items)) yield* keyToPath(here, item);
  };

export const secretVolume: ValueRule<SecretVolumeSource> = keysOf("secretName");
export const configMapVolume: ValueRule<ConfigMapVolumeSource> = keysOf("name");

const volumeFields = ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

function* downwardFile(at: Path, file: DownwardAPIVolumeFile): Issues {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  if (path === "") yield at.child("path").required();
  yield* localNonReservedPath(at.child("path"), path);
  if (fieldRef !== undefined) {
    yield* objectField(at.child("fieldRef"), fieldRef, volumeFields);
    if (resourceFieldRef !== undefined) {
      yield at.invalid("resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
    }
  } else if (resourceFieldRef !== undefined) yield* resourceField(at.child("resourceFieldRef"), resourceFieldRef, true);
  else yield at.required("one of fieldRef and resourceFieldRef is required");
  yield* fileMode(at.child("mode"), mode);
}

export function* downwardVolume(at: Path, source: DownwardAPIVolumeSource): Issues {
  yield* fileMode(at.child("defaultMode"), source.defaultMode);
  for (const file of source.items ?? []) yield* downwardFile(at, file);
}

export function* projectedVolume(at: Path, source: ProjectedVolumeSource): Issues {
  yield* fileMode(at.child("defaultMode"), source.defaultMode);
  const paths = new Set<string>();
  for (const [index, projection] of (source.sources ?? []).entries()) {
    yield* projectionRules(at, index, projection, paths);
  }
}

function* uniquePath(at: Path, path: string, shown: string, paths: Set<string>): Issues {
  if (paths.has(path)) yield at.invalid(shown, "conflicting duplicate paths");
  paths.add(path);
}

function* projectionRules(at: Path, index: number, projection: VolumeProjection, paths: Set<string>): Issues {
  const here = at.child("sources").index(index);
  for (const kind of ["secret", "configMap"] as const) {
    const object = projection[kind];
    if (object === undefined) continue;
    const { name = "", items = [] } = object;
    if (name === "") yield here.child(kind, "name").required();
    for (const [place, item] of here.child(kind, "items").items(items)) {
      yield* keyToPath(place, item);
      if (item.path) yield* uniquePath(at, item.path, name, paths);
    }
  }
  for (const file of projection.downwardAPI?.items ?? []) {
    yield* downwardFile(here.child("downwardAPI"), file);
    if (file.path) yield* uniquePath(at, file.path, file.path, paths);
  }
  const { serviceAccountToken, clusterTrustBundle, podCertificate } = projection;
  if (serviceAccountToken !== undefined) yield* token(at, here.child("serviceAccountToken"), serviceAccountToken);
  if (clusterTrustBundle !== undefined) {
    yield* trustBundle(here.child("clusterTrustBundle"), clusterTrustBundle);
    const path = clusterTrustBundle.path ?? "";
    yield* uniquePath(at, path, path, paths);
  }
  if (podCertificate !== undefined) yield* certificate(at, here.child("podCertificate"), podCertificate, paths);
  if (Object.values(projection).filter((one) => one !== undefined).length > 1) {
    yield here.forbidden("may not specify more than 1 volume type per source");
  }
}

/** As upstream, a token's path is reported at the volume and not at the source. */
function* token(at: Path, here: Path, { expirationSeconds = 0, path }: ServiceAccountTokenProjection): Issues {
  const seconds = here.child("expirationSeconds");
  if (expirationSeconds < 600) {
    yield seconds.invalid(expirationSeconds, "may not specify a duration less than 10 minutes");
  }
  if (expirationSeconds > 2 ** 32) {
    yield seconds.invalid(expirationSeconds, "may not specify a duration larger than 2^32 seconds");
  }
  yield* required(at.child("path"), path, localNonReservedPath);
}

function* trustBundle(at: Path, bundle: ClusterTrustBundleProjection): Issues {
  const { name, signerName, labelSelector: selector, path } = bundle;
  if (name !== undefined && signerName !== undefined) {
    yield at.invalid(asGo(bundle), "only one of name and signerName may be used");
  } else if (name !== undefined) {
    if (name === "") yield at.child("name").required("must be a valid object name");
    const plain = name.includes(":") ? name.slice(name.lastIndexOf(":") + 1) : name;
    for (const complaint of isDns1123Subdomain(plain)) {
      yield at.child("name").invalid(name, `not a valid clustertrustbundlename: ${complaint}`);
    }
    if (selector !== undefined) {
      yield at.child("labelSelector").invalid(selector, "labelSelector must be unset if name is specified");
    }
  } else if (signerName !== undefined) {
    if (signerName === "") yield at.child("signerName").required("must be a valid signer name");
    yield* signer(at.child("signerName"), signerName);
    yield* labelSelector(at.child("labelSelector"), selector);
  } else yield at.required("either name or signerName must be specified");
  if (path === "") yield at.child("path").required();
  yield* localNonReservedPath(at.child("path"), path);
}

function asGo(bundle: ClusterTrustBundleProjection): unknown {
  return {
    Name: bundle.name ?? null,
    SignerName: bundle.signerName ?? null,
    LabelSelector: bundle.labelSelector ?? null,
    Optional: bundle.optional ?? null,
    Path: bundle.path ?? "",
  };
}

const keyTypes = ["RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519"];
const bundlePaths = ["credentialBundlePath", "keyPath", "certificateChainPath"] as const;

function* certificate(at: Path, here: Path, given: PodCertificateProjection, paths: Set<string>): Issues {
  yield* signer(here.child("signerName"), given.signerName ?? "");
  yield* optionalOneOf(here.child("keyType"), given.keyType ?? "", keyTypes);
  const seconds = given.maxExpirationSeconds;
  const most = (given.signerName ?? "").startsWith("kubernetes.io/") ? 86_400 : 91 * 86_400;
  for (const [wrong, bound] of [
    [seconds !== undefined && seconds < 3600, ">= 3600"],
    [seconds !== undefined && seconds > most, `<= ${most}`],
  ] as const) {
    if (!wrong) continue;
    const why = `if provided, maxExpirationSeconds must be ${bound}`;
    yield here.child("maxExpirationSeconds").invalid(seconds, why);
  }
  let found = 0;
  for (const field of bundlePaths) {
    const path = given[field];
    if (!path) continue;
    found++;
    yield* localNonReservedPath(here.child(field), path);
    yield* uniquePath(at, path, path, paths);
  }
  if (found === 0) {
    yield here.required("specify at least one of credentialBundlePath, keyPath, and certificateChainPath");
  }
}

/** `example.com/name`: a domain of at least two parts, and one name. */
export function* signer(at: Path, name: string): Issues {
  if (name === "") {
    yield at.required();
    return;
  }
  const [domain = "", path = "", ...more] = name.split("/");
  if (!name.includes("/") || more.length > 0) {
    const why = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    yield at.invalid(name, why);
    return;
  }
  if (domain.length > 253) yield at.tooLong(253);
  const labels = domain.split(".");
  const bad = labels.find((label) => isDns1123Label(label).length > 0);
  if (bad !== undefined) {
    for (const complaint of isDns1123Label(bad)) {
      yield at.invalid(domain, `validating label ${goQuote(bad)}: ${complaint}`);
    }
  }
  if (labels.length < 2) {
    yield at.invalid(domain, "should be a domain with at least two segments separated by dots");
  }
  const badPath = path.split(".").find((label) => isDns1123Subdomain(label).length > 0);
  if (badPath === undefined) return;
  for (const complaint of isDns1123Subdomain(badPath)) {
    yield at.invalid(path, `validating label ${goQuote(badPath)}: ${complaint}`);
  }
}
