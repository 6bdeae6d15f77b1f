/** The files that volumes bring into a simulated container: config maps, secrets, fields of the pod and tokens. */
import { posix } from "node:path";
import {
  ConfigMap,
  type Container,
  type DownwardAPIVolumeSource,
  type KeyToPath,
  type Pod,
  Secret,
  ServiceAccount,
  type ServiceAccountTokenProjection,
  type TokenRequest,
  type VolumeProjection,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { own } from "../../base/members.js";
import type { Client } from "../../client/index.js";
import { type Sources, valueOf } from "./environment.js";

export interface Mounting {
  readonly pod: Pod;
  readonly container: Container;
  readonly client: Client;
  readonly sources: Sources;
  readonly signal: AbortSignal;
}

/** Undefined for a file that no volume of these sorts has. Objects are read as they are now, as a kubelet refreshes files. */
export async function mountedFile(path: string, mounting: Mounting): Promise<Buffer | undefined> {
  const { pod, container } = mounting;
  const under = (folder: string): boolean => path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
  const [mount] = (container.volumeMounts ?? [])
    .map((one) => ({ ...one, folder: posix.resolve("/", one.mountPath) }))
    .filter(({ folder }) => under(folder))
    .toSorted((a, b) => b.folder.length - a.folder.length);
  const volume = pod.spec?.volumes?.find(({ name }) => name === mount?.name);
  if (mount === undefined || volume === undefined) return undefined;
  const file = posix.join(mount.subPath ?? "", posix.relative(mount.folder, path));
  const { configMap, downwardAPI, projected, secret } = volume;
  const ofSecret = secret && { ...defined({ items: secret.items }), name: secret.secretName ?? "" };
  const only = defined({ configMap, downwardAPI, secret: ofSecret });
  for (const source of projected?.sources ?? [only]) {
    const content = await contentOf(source, file, mounting);
    if (content !== undefined) return content;
  }
  return undefined;
}

async function contentOf(
  { configMap, downwardAPI, secret, serviceAccountToken }: VolumeProjection,
  file: string,
  mounting: Mounting,
): Promise<Buffer | undefined> {
  const { client, pod, signal } = mounting;
  const { namespace = "" } = pod.metadata;
  if (configMap !== undefined) {
    const found = await client.resource(ConfigMap, { namespace }).getOrUndefined(configMap.name ?? "", { signal });
    const key = keyOf(configMap.items, file);
    return bytesOf(own(found?.data, key), "utf8") ?? bytesOf(own(found?.binaryData, key), "base64");
  }
  if (secret !== undefined) {
    const found = await client.resource(Secret, { namespace }).getOrUndefined(secret.name ?? "", { signal });
    return bytesOf(own(found?.data, keyOf(secret.items, file)), "base64");
  }
  if (downwardAPI !== undefined) return bytesOf(fieldAt(downwardAPI, file, mounting), "utf8");
  if (serviceAccountToken?.path === file) return Buffer.from(await tokenFor(serviceAccountToken, mounting));
  return undefined;
}

const bytesOf = (text: string | undefined, encoding: "utf8" | "base64"): Buffer | undefined =>
  text === undefined ? undefined : Buffer.from(text, encoding);

/** The key behind a file: its own name, or as the items say. */
const keyOf = (items: readonly KeyToPath[] | undefined, file: string): string =>
  items === undefined ? file : (items.find(({ path }) => posix.normalize(path) === file)?.key ?? "");

function fieldAt({ items = [] }: DownwardAPIVolumeSource, file: string, mounting: Mounting): string | undefined {
  const item = items.find(({ path }) => posix.normalize(path) === file);
  if (item === undefined) return undefined;
  const { fieldRef, resourceFieldRef } = item;
  const map = /^metadata\.(?<map>annotations|labels)$/.exec(fieldRef?.fieldPath ?? "")?.groups?.["map"];
  if (map === "annotations" || map === "labels") {
    const entries = Object.entries(mounting.pod.metadata[map] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join("\n");
  }
  return valueOf({ name: "", valueFrom: defined({ fieldRef, resourceFieldRef }) }, mounting);
}

async function tokenFor(
  { audience, expirationSeconds }: ServiceAccountTokenProjection,
  { client, pod, signal }: Mounting,
): Promise<string> {
  const { namespace = "", name, uid } = pod.metadata;
  const accounts = client.resource(ServiceAccount, { namespace }).subresource("token");
  const { status } = await accounts.create<TokenRequest>(
    pod.spec?.serviceAccountName ?? "default",
    {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: {
        ...defined({ expirationSeconds }),
        audiences: audience === undefined || audience === "" ? [] : [audience],
        boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid },
      },
    },
    { signal },
  );
  return status?.token ?? "";
}
