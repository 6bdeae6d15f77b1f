/** Finds out whether the server behind an APIService can be reached; gives the condition that says so, in upstream's words. */
import { type APIServiceCondition, formatTime, type Service, setCondition } from "../../api/index.js";
import { defined } from "../../base/defined.js";
import { type Clock, messageOf } from "../../base/index.js";
import { type Backend, ForwardError } from "../outbound/forward.js";
import { slicesOf } from "../outbound/service-address.js";
import { hostAndPort } from "../../base/net/go-words.js";
import type { Store } from "../storage/contract.js";
import { ask } from "./ask.js";
import { discoveryPath, type RemoteService } from "./remote-service.js";

type Finding = Pick<APIServiceCondition, "status" | "reason" | "message">;

export interface CheckOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** A way to one of the endpoints, another one each time. */
  backend(): Backend;
}

const limitMs = 5_000;
const limitBytes = 4 * 1024 * 1024;
/** Limit on the endpoints that are tried; one that answers is enough. */
const attempts = 5;

export async function checkAvailability(remote: RemoteService, options: CheckOptions): Promise<Finding> {
  const missing = missingPart(remote, options.store);
  if (missing !== undefined) return { status: "False", ...missing };
  let message = "";
  for (const addresses = new Set<string>(); addresses.size < attempts; ) {
    let backend: Backend;
    try {
      backend = options.backend();
    } catch (error) {
      message = messageOf(error);
      break;
    }
    const { host, port } = backend.address;
    const authority = hostAndPort(host, port);
    // by chance the same endpoint again, which stands for all
    if (addresses.has(authority)) break;
    addresses.add(authority);
    const url = `https://${authority}${discoveryPath(remote)}`;
    const fault = await faultOf(remote, backend, options).then((why) => why && worded(url, why));
    if (fault === undefined) return { status: "True", reason: "Passed", message: "all checks passed" };
    message = fault;
  }
  return { status: "False", reason: "FailedDiscoveryCheck", message };
}

type Missing = Pick<APIServiceCondition, "reason" | "message">;

/** The part of the service without which no request can be sent. */
function missingPart({ service: { namespace, name, port } }: RemoteService, store: Store): Missing | undefined {
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const service = store.get("services", `${namespace}/${name}`)?.object as Service | undefined;
  if (service === undefined) return { reason: "ServiceNotFound", message: `${where} is not present` };
  if ((service.spec?.type ?? "ClusterIP") !== "ClusterIP") return undefined;
  const served = service.spec?.ports?.find((one) => one.port === port);
  if (served === undefined) {
    return { reason: "ServicePortError", message: `${where} is not listening on port ${port}` };
  }
  const slices = slicesOf(store, namespace, name);
  if (slices.length === 0) {
    return { reason: "EndpointsNotFound", message: `cannot find endpointslices for ${where}` };
  }
  const portName = served.name ?? "";
  const isThere = slices.some(
    ({ endpoints, ports }) =>
      endpoints?.some(({ conditions }) => conditions?.ready !== false) &&
      ports?.some((one) => (one.name ?? "") === portName && one.port !== undefined),
  );
  if (isThere) return undefined;
  const message = `endpointslices for ${where} have no addresses with port name ${JSON.stringify(portName)}`;
  return { reason: "MissingEndpoints", message };
}

type Fault = { readonly type: "status"; readonly status: number } | { readonly type: "error"; readonly error: unknown };

async function faultOf(
  remote: RemoteService,
  backend: Backend,
  { clock, signal }: CheckOptions,
): Promise<Fault | undefined> {
  try {
    const asked = { path: discoveryPath(remote), limitBytes, limitMs };
    const { status } = await ask(backend, asked, { clock, signal });
    return status >= 200 && status < 300 ? undefined : { type: "status", status };
  } catch (error) {
    return { type: "error", error };
  }
}

function worded(url: string, fault: Fault): string {
  const why =
    fault.type === "status"
      ? `bad status from ${url}: ${fault.status}`
      : `Get ${JSON.stringify(url)}: ${overdue(fault.error) ?? messageOf(fault.error)}`;
  return `failing or missing response from ${url}: ${why}`;
}

const overdue = (error: unknown): string | undefined =>
  error instanceof ForwardError && error.late
    ? "net/http: request canceled while waiting for connection (Client.Timeout exceeded while awaiting headers)"
    : undefined;

/** The conditions with this finding; the time of the last change stays if the status does. */
export function withFinding(
  conditions: readonly APIServiceCondition[],
  finding: Finding,
  now: number,
): readonly APIServiceCondition[] {
  const { status, reason, message } = finding;
  return setCondition(conditions, defined({ type: "Available", status, reason, message }), formatTime(now));
}
