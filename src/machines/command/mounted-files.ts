/** The files that volumes bring into a simulated container: config maps, secrets, fields of the pod and tokens. */
import { posix } from "node:path";
import {
  type Container,
  type DownwardAPIVolumeSource,
  type KeyToPath,
  type Pod,
  ServiceAccount,
  type ServiceAccountTokenProjection,
  type TokenRequest,
  type Volume,
  type VolumeMount,
  type VolumeProjection,
} from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { own } from "../../base/members.js";
import type { Client } from "../../client/index.js";
import { type ContainerEnvironment, dereference, type Sources, valueOf } from "./environment.js";

export interface Mounting {
  readonly pod: Pod;
  readonly container: Container;
  readonly environment: ContainerEnvironment;
  /** Without them, each key that the pod names is taken to be there, and to be empty. */
  readonly sources: Sources | undefined;
}

/** A file, or the folder of an `emptyDir`. `mode` has the permission bits. */
export type MountedFile =
  | { readonly type: "file"; readonly content: Buffer; readonly mode: number }
  | { readonly type: "token"; readonly projection: ServiceAccountTokenProjection; readonly mode: number }
  | { readonly type: "folder"; readonly inMemory: boolean; readonly mode: number };

/** Undefined for a file that no volume of these sorts has. */
export function mountedFile(path: string, mounting: Mounting): MountedFile | undefined {
  const { pod, container } = mounting;
  const under = (folder: string): boolean => path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
  const [mount] = (container.volumeMounts ?? [])
    .map((one) => ({ ...one, folder: posix.resolve("/", one.mountPath) }))
    .filter(({ folder }) => under(folder))
    .toSorted((a, b) => b.folder.length - a.folder.length);
  const volume = pod.spec?.volumes?.find(({ name }) => name === mount?.name);
  if (mount === undefined || volume === undefined) return undefined;
  const file = posix.join(subPathOf(mount, mounting), posix.relative(mount.folder, path));
  const { emptyDir } = volume;
  if (emptyDir !== undefined) {
    return file === "." ? { type: "folder", inMemory: emptyDir.medium === "Memory", mode: 0o777 } : undefined;
  }
  const { defaultMode = 0o644, sources } = projectionsOf(volume);
  // the kubelet lets the group of the pod read its volumes
  const shared = pod.spec?.securityContext?.fsGroup === undefined ? 0 : 0o440;
  for (const source of sources) {
    const found = fileIn(source, file, mounting);
    if (found !== undefined) return { ...found.file, mode: (found.mode ?? defaultMode) | shared };
  }
  return undefined;
}

const subPathOf = ({ subPath = "", subPathExpr }: VolumeMount, { environment }: Mounting): string =>
  subPathExpr === undefined ? subPath : dereference(subPathExpr, environment);

interface Projections {
  readonly defaultMode?: number | undefined;
  readonly sources: readonly VolumeProjection[];
}

function projectionsOf({ configMap, downwardAPI, projected, secret }: Volume): Projections {
  if (projected !== undefined) return { defaultMode: projected.defaultMode, sources: projected.sources ?? [] };
  const ofSecret = secret && { ...defined({ items: secret.items }), name: secret.secretName ?? "" };
  const { defaultMode } = configMap ?? downwardAPI ?? secret ?? {};
  return { defaultMode, sources: [defined({ configMap, downwardAPI, secret: ofSecret })] };
}

type Unmoded<File> = File extends unknown ? Omit<File, "mode"> : never;

interface Found {
  readonly file: Unmoded<Exclude<MountedFile, { readonly type: "folder" }>>;
  readonly mode?: number | undefined;
}

function fileIn(
  { configMap, downwardAPI, secret, serviceAccountToken }: VolumeProjection,
  file: string,
  mounting: Mounting,
): Found | undefined {
  const { sources } = mounting;
  if (configMap !== undefined) {
    const { key, mode } = itemOf(configMap.items, file);
    const { data, binaryData } = sources?.configMap(configMap.name ?? "") ?? {};
    const known = bytesOf(own(data, key), "utf8") ?? bytesOf(own(binaryData, key), "base64");
    return withContent(sources === undefined && key !== "" ? Buffer.alloc(0) : known, mode);
  }
  if (secret !== undefined) {
    const { key, mode } = itemOf(secret.items, file);
    const known = bytesOf(own(sources?.secret(secret.name ?? "")?.data, key), "base64");
    return withContent(sources === undefined && key !== "" ? Buffer.alloc(0) : known, mode);
  }
  if (downwardAPI !== undefined) return fieldAt(downwardAPI, file, mounting);
  if (serviceAccountToken?.path === file) return { file: { type: "token", projection: serviceAccountToken } };
  return undefined;
}

const withContent = (content: Buffer | undefined, mode: number | undefined): Found | undefined =>
  content && { file: { type: "file", content }, mode };

const bytesOf = (text: string | undefined, encoding: "utf8" | "base64"): Buffer | undefined =>
  text === undefined ? undefined : Buffer.from(text, encoding);

/** The key behind a file: its own name, or as the items say; empty if there is none. */
const itemOf = (items: readonly KeyToPath[] | undefined, file: string): Pick<KeyToPath, "key" | "mode"> =>
  items === undefined ? { key: file } : (items.find(({ path }) => posix.normalize(path) === file) ?? { key: "" });

function fieldAt({ items = [] }: DownwardAPIVolumeSource, file: string, mounting: Mounting): Found | undefined {
  const item = items.find(({ path }) => posix.normalize(path) === file);
  if (item === undefined) return undefined;
  const { fieldRef, resourceFieldRef, mode } = item;
  const map = /^metadata\.(?<map>annotations|labels)$/.exec(fieldRef?.fieldPath ?? "")?.groups?.["map"];
  if (map === "annotations" || map === "labels") {
    const entries = Object.entries(mounting.pod.metadata[map] ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const text = entries.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join("\n");
    return withContent(Buffer.from(text), mode);
  }
  const text = valueOf({ name: "", valueFrom: defined({ fieldRef, resourceFieldRef }) }, mounting);
  return withContent(mounting.sources === undefined ? Buffer.from(text ?? "") : bytesOf(text, "utf8"), mode);
}

export interface Reading extends Mounting {
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** The content of a file, with a new token where it has one; undefined for a folder, and if no volume has it. */
export async function readMountedFile(path: string, reading: Reading): Promise<Buffer | undefined> {
  const found = mountedFile(path, reading);
  if (found?.type === "token") return Buffer.from(await tokenFor(found.projection, reading));
  return found?.type === "file" ? found.content : undefined;
}

async function tokenFor(
  { audience, expirationSeconds }: ServiceAccountTokenProjection,
  { client, pod, signal }: Reading,
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
