/**
 * The server's own Lease: shows which servers a cluster has. It is renewed every ten seconds; leases of servers that have
 * gone are deleted. The names and times are kube-apiserver's.
 */
import { createHash } from "node:crypto";
import { formatMicroTime, isNotFound, type Lease, parseTime, unless } from "../../api/index.js";
import { inOneGo, type Logger, type Running, startRunning } from "../../base/index.js";
import type { Endpoint } from "../contracts/endpoint.js";
import { newUid, type RequestScope } from "../contracts/scope.js";
import type { Registry } from "../registry/registry.js";
import { deleteObject } from "../registry/write/delete.js";
import { modifyObject } from "../registry/write/modify.js";
import { ensure, systemObject } from "./bootstrap.js";

const namespace = "kube-system";
const identityLabel = "apiserver.kubernetes.io/identity";
const component = "kube-apiserver";
const leaseSeconds = 3_600;
const renewEveryMs = 10_000;
const collectEveryMs = 3_600_000;

export interface IdentityOptions {
  readonly registry: Registry;
  readonly scope: RequestScope;
  readonly log: Logger;
  /** The name of the machine. */
  readonly hostname: string;
}

/** Runs until it is disposed, or the scope's signal aborts. */
export function startIdentityLease(options: IdentityOptions): Running {
  const { scope, log } = options;
  return startRunning(async function identityLease(signal) {
    const { clock } = scope.machinery;
    let collectAt = clock.monotonic();
    for (;;) {
      try {
        await renew(options);
        if (clock.monotonic() >= collectAt) {
          collectAt += collectEveryMs;
          await collect(options);
        }
      } catch (error) {
        if (!signal.aborted) log.warn("the server's own lease was not renewed", { error });
      }
      await clock.sleep(renewEveryMs, signal);
    }
  }, scope.signal);
}

/** As upstream: the same for every server of a machine. */
export function leaseName(hostname: string): string {
  const prefixed = [hostname, component].map((text) => {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(Buffer.byteLength(text));
    return Buffer.concat([length, Buffer.from(text)]);
  });
  const hash = createHash("sha256").update(Buffer.concat(prefixed)).digest().subarray(0, 16);
  return `apiserver-${base32(hash)}`;
}

const letters = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648, section 6, in lower case and without padding. */
function base32(bytes: Uint8Array): string {
  let bits = "";
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => letters[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

const endpointOf = ({ registry }: IdentityOptions): Endpoint =>
  registry.endpoint("coordination.k8s.io", "v1", "leases") as Endpoint;

async function renew(options: IdentityOptions): Promise<void> {
  const { registry, scope, hostname } = options;
  const name = leaseName(hostname);
  const labels = { [identityLabel]: component, "kubernetes.io/hostname": hostname };
  const times = {
    leaseDurationSeconds: leaseSeconds,
    renewTime: formatMicroTime(scope.machinery.clock.now() * 1_000),
  };
  const endpoint = endpointOf(options);
  try {
    await modifyObject(endpoint, { namespace, name }, scope, (live) => {
      const { metadata, spec, ...rest } = live as Lease;
      const renewed = {
        ...rest,
        metadata: { ...metadata, labels: { ...metadata.labels, ...labels } },
        spec: { ...spec, ...times },
      };
      return inOneGo(endpoint.normalize(renewed)).object;
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const holderIdentity = `${name}_${newUid(scope.machinery.random)}`;
    const { metadata, ...object } = systemObject("coordination.k8s.io/v1", "Lease", `${namespace}/${name}`, {
      spec: { holderIdentity, ...times },
    });
    await ensure(registry, scope, { object: { ...object, metadata: { ...metadata, labels } }, manager: component });
  }
}

/** Deletes the expired leases of servers, and the ones without times. */
async function collect(options: IdentityOptions): Promise<void> {
  const { scope } = options;
  const { store, clock } = scope.machinery;
  const endpoint = endpointOf(options);
  const { items } = store.list({ collection: endpoint.collection, prefix: `${namespace}/`, from: "" });
  for (const { object, labels } of items) {
    if (labels?.[identityLabel] !== component) continue;
    const { metadata, spec } = object as Lease;
    const { renewTime, leaseDurationSeconds: seconds } = spec ?? {};
    const isOver =
      renewTime === undefined || seconds === undefined || parseTime(renewTime) + seconds * 1_000 < clock.now();
    if (!isOver) continue;
    const { name } = metadata;
    await deleteObject({ endpoint, namespace, name, options: {}, scope }).catch(unless(isNotFound));
  }
}
