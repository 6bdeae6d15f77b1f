/** Warnings about files of one volume that would have the same path. */
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

function* overlaps(volume: string, kind: string, all: readonly File[]): Iterable<string> {
  const seen: File[] = [];
  for (const { path: given, source } of all) {
    const file = { path: given.replace(/\/+$/, ""), source };
    for (const other of file.path === "" ? [] : seen.filter((one) => clash(one, file))) {
      yield `volume ${goQuote(volume)} (${kind}): overlapping paths: ${shown(file)} with ${shown(other)}`;
    }
    seen.push(file);
  }
}

function clash(a: File, b: File): boolean {
  if (a.path === "") return false;
  return `${a.path}/`.startsWith(`${b.path}/`) || `${b.path}/`.startsWith(`${a.path}/`);
}

const shown = ({ path, source }: File): string => (source === "" ? goQuote(path) : `${goQuote(path)} (${source})`);
