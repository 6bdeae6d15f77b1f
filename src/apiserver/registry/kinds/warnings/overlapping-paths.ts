/** Warnings about files of one volume that would have the same path. */
import { getOrMake } from "../../../../base/containers/recent.js";
import { goQuote, type Volume, type VolumeProjection } from "../../../../api/index.js";

interface File {
  readonly path: string;
  readonly source: string;
}

export function* overlappingPaths(volumes: readonly Volume[]): Iterable<string> {
  for (const { name, configMap, secret, downwardAPI, projected } of volumes) {
    if (configMap) yield* overlaps(name, `ConfigMap ${goQuote(configMap.name ?? "")}`, files(configMap.items, ""));
    if (secret) yield* overlaps(name, `Secret ${goQuote(secret.secretName ?? "")}`, files(secret.items, ""));
    if (downwardAPI) yield* overlaps(name, "DownwardAPI", files(downwardAPI.items, ""));
    const sources = projected?.sources ?? [];
    for (const source of sources) {
      if (Object.keys(source).length === 0) yield `volume ${goQuote(name)} (Projected) has no sources provided`;
    }
    yield* overlaps(name, "Projected", sources.flatMap(projectedFiles));
  }
}

const files = (items: readonly { readonly path: string }[] | undefined, source: string): readonly File[] =>
  (items ?? []).map(({ path }) => ({ path, source }));

function projectedFiles(source: VolumeProjection): readonly File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken, clusterTrustBundle, podCertificate } = source;
  if (configMap?.items) return files(configMap.items, `ConfigMap ${goQuote(configMap.name ?? "")}`);
  if (secret?.items) return files(secret.items, `Secret ${goQuote(secret.name ?? "")}`);
  if (downwardAPI?.items) return files(downwardAPI.items, "DownwardAPI");
  if (serviceAccountToken) return files([serviceAccountToken], "ServiceAccountToken");
  if (clusterTrustBundle) {
    const name = clusterTrustBundle.name ?? clusterTrustBundle.signerName ?? "";
    return files([clusterTrustBundle], `ClusterTrustBundle ${goQuote(name)}`);
  }
  return [
    { path: podCertificate?.certificateChainPath ?? "", source: "PodCertificate chain" },
    { path: podCertificate?.keyPath ?? "", source: "PodCertificate key" },
    { path: podCertificate?.credentialBundlePath ?? "", source: "PodCertificate credential bundle" },
  ].filter(({ path }) => path !== "");
}

/** A directory or file of a volume: the files with this path, and the files with a path below it. */
interface Place {
  readonly here: Numbered[];
  readonly below: Numbered[];
  readonly members: Map<string, Place>;
}

/** A file with its number among all files of the volume, which orders warnings. */
interface Numbered extends File {
  readonly number: number;
}

const newPlace = (): Place => ({ here: [], below: [], members: new Map() });

/** Files beyond this number of steps in all paths of a volume are not compared, to bound the memory. */
const mostSteps = 100_000;

/** The work grows with the length of the paths and the number of warnings, not with the number of pairs. */
function* overlaps(volume: string, kind: string, all: readonly File[]): Iterable<string> {
  const root = newPlace();
  let stepsLeft = mostSteps;
  for (const [number, { path: given, source }] of all.entries()) {
    const file = { path: withoutEnd(given), source, number };
    if (file.path === "") continue;
    const steps = file.path.split("/");
    stepsLeft -= steps.length;
    if (stepsLeft < 0) return;
    const above = placesOf(root, steps);
    const place = above.pop() as Place;
    const clashing = [...above.flatMap(({ here }) => here), ...place.here, ...place.below];
    for (const other of clashing.sort((a, b) => a.number - b.number)) {
      yield `volume ${goQuote(volume)} (${kind}): overlapping paths: ${shown(file)} with ${shown(other)}`;
    }
    place.here.push(file);
    for (const one of above) one.below.push(file);
  }
}

/** The places from the first step of a path to its last. */
function placesOf(root: Place, steps: readonly string[]): Place[] {
  let place = root;
  return steps.map((step) => {
    const next = getOrMake(place.members, step, () => newPlace());
    return (place = next);
  });
}

function withoutEnd(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return path.slice(0, end);
}

const shown = ({ path, source }: File): string => (source === "" ? goQuote(path) : `${goQuote(path)} (${source})`);
