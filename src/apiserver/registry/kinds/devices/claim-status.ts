/** Takes the status of a device claim and the one before; gives the status to store, and its faults. */
import {
  type AllocatedDeviceStatus,
  type AllocationResult,
  byteLength,
  type DeviceAllocationConfiguration,
  type DeviceRequestAllocationResult,
  fieldPath,
  type NetworkDeviceData,
  type ResourceClaim,
  type ResourceClaimConsumerReference,
  type ResourceClaimStatus,
} from "../../../../api/index.js";
import { interfaceAddress } from "../rules/addresses.js";
import { conditionRules } from "../rules/conditions.js";
import { changed, having } from "../rules/fill.js";
import { dns1123Label, immutable, type Issues, oneOf, type Path, requiredFields } from "../rules/issues.js";
import { nodeSelector } from "../rules/node-selector.js";
import { distinct, driverName, limited, poolName } from "./names.js";
import { claimConfigurationRules, referenceRules, requestNames } from "./requests.js";
import { documentRules, maxConfigurations, maxParameterBytes } from "./selectors.js";
import { bindingRules, tolerationDefaults } from "./taints.js";

const at = fieldPath("status");
const maxConsumers = 256;
const maxResults = 32;
const maxConditions = 8;
const maxAddresses = 16;

export const statusDefaults = (status: ResourceClaimStatus): ResourceClaimStatus =>
  changed(status, "allocation", (allocation) =>
    changed(allocation, "devices", (devices) =>
      changed(devices, "results", (results) =>
        results.map((result) => changed(result, "tolerations", tolerationDefaults)),
      ),
    ),
  );

type DeviceKey = Pick<AllocatedDeviceStatus, "driver" | "pool" | "device" | "shareID">;

/** The identity of an allocated device, as messages print it. */
const identityOf = ({ driver = "", pool = "", device = "", shareID = "" }: Partial<DeviceKey>): unknown => ({
  Driver: driver,
  Pool: pool,
  Device: device,
  ShareID: shareID,
});

const keyOf = (device: DeviceKey): string => JSON.stringify(identityOf(device));

const allocated = (status: ResourceClaimStatus | undefined): ReadonlySet<string> =>
  new Set((status?.allocation?.devices?.results ?? []).map(keyOf));

/** A device that is no longer allocated loses its status. */
export function withoutFreedDevices(claim: ResourceClaim, old: ResourceClaim): ResourceClaim {
  const { status } = claim;
  if (status?.devices === undefined || status.devices === null) return claim;
  const [now, before] = [allocated(status), allocated(old.status)];
  const kept = status.devices.filter((device) => now.has(keyOf(device)) || !before.has(keyOf(device)));
  if (kept.length === status.devices.length && kept.length > 0) return claim;
  return { ...claim, status: having(status, "devices", kept.length === 0 ? undefined : kept) };
}

export function* statusRules(claim: ResourceClaim, old: ResourceClaim): Issues {
  const { reservedFor = [], devices, allocation }: ResourceClaimStatus = claim.status ?? {};
  yield* distinct(at.child("reservedFor"), reservedFor, {
    limit: maxConsumers,
    rule: consumerRules,
    key: ({ uid }) => uid,
  });
  const known = allocated(claim.status);
  yield* distinct(at.child("devices"), devices, {
    limit: Number.POSITIVE_INFINITY,
    rule: (here, device) => deviceRules(here, device, known),
    key: keyOf,
    shown: identityOf,
  });
  if (reservedFor.length > 0) yield* reservationRules(claim, old);
  const here = at.child("allocation");
  const before = old.status?.allocation;
  if (allocation === undefined) return;
  if (before !== undefined) yield* immutable(here, allocation, before);
  else yield* allocationRules(here, allocation, requestNames(claim.spec?.devices ?? {}));
}

function* reservationRules({ metadata, status }: ResourceClaim, old: ResourceClaim): Issues {
  const here = at.child("reservedFor");
  if (status?.allocation === undefined) {
    yield here.forbidden("may not be specified when `allocated` is not set");
  } else if (metadata.deletionTimestamp !== undefined) {
    const content = ({ apiGroup, resource, name, uid }: ResourceClaimConsumerReference): string =>
      JSON.stringify([apiGroup || undefined, resource, name, uid]);
    const before = new Set(old.status?.reservedFor?.map(content));
    const isNew = (one: ResourceClaimConsumerReference): boolean => !before.has(content(one));
    const why = "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set";
    if (status.reservedFor?.some(isNew)) yield here.forbidden(why);
  }
}

const consumerRules = (here: Path, consumer: ResourceClaimConsumerReference): Issues =>
  requiredFields(here, consumer, "resource", "name", "uid");

function* deviceRules(here: Path, device: AllocatedDeviceStatus, known: ReadonlySet<string>): Issues {
  yield* driverName(here.child("driver"), device.driver);
  yield* poolName(here.child("pool"), device.pool);
  yield* dns1123Label(here.child("device"), device.device);
  yield* shareRules(here.child("shareID"), device.shareID);
  if (!known.has(keyOf(device))) {
    yield here.invalid(identityOf(device), "must be an allocated device in the claim");
  }
  const { conditions = [], data } = device;
  const there = here.child("conditions");
  if (conditions.length > maxConditions) yield there.tooMany(conditions.length, maxConditions);
  yield* conditionRules(there, conditions);
  if (data !== undefined) yield* documentRules(here.child("data"), data, maxParameterBytes);
  yield* networkRules(here.child("networkData"), device.networkData);
}

function* networkRules(here: Path, network: NetworkDeviceData | undefined): Issues {
  if (network === undefined) return;
  const { interfaceName = "", hardwareAddress = "", ips } = network;
  if (byteLength(interfaceName) > 256) yield here.child("interfaceName").tooLong(256);
  if (byteLength(hardwareAddress) > 128) yield here.child("hardwareAddress").tooLong(128);
  yield* distinct(here.child("ips"), ips, { limit: maxAddresses, rule: interfaceAddress, key: (address) => address });
}

function* allocationRules(here: Path, allocation: AllocationResult, known: ReadonlySet<string>): Issues {
  const devices = here.child("devices");
  yield* limited(devices.child("results"), allocation.devices?.results, maxResults, (place, result) =>
    resultRules(place, result, known),
  );
  // the configurations of the class and those of the claim
  yield* limited(devices.child("config"), allocation.devices?.config, 2 * maxConfigurations, (place, one) =>
    allocatedConfigurationRules(place, one, known),
  );
  if (allocation.nodeSelector !== undefined) yield* nodeSelector(here.child("nodeSelector"), allocation.nodeSelector);
}

function* allocatedConfigurationRules(
  here: Path,
  configuration: DeviceAllocationConfiguration,
  known: ReadonlySet<string>,
): Issues {
  yield* oneOf(here.child("source"), configuration.source, ["FromClaim", "FromClass"]);
  yield* claimConfigurationRules(here, configuration, known);
}

function* resultRules(here: Path, result: DeviceRequestAllocationResult, known: ReadonlySet<string>): Issues {
  yield* referenceRules(here.child("request"), result.request ?? "", known);
  yield* driverName(here.child("driver"), result.driver);
  yield* poolName(here.child("pool"), result.pool);
  yield* dns1123Label(here.child("device"), result.device ?? "");
  yield* bindingRules(here, result);
  yield* shareRules(here.child("shareID"), result.shareID);
}

const bareUid = /^[0-9a-f]{32}$/i;
const dashedUid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const normalForm =
  "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

function* shareRules(here: Path, uid: string | undefined): Issues {
  if (uid === undefined) return;
  const fault = uidFault(uid);
  if (fault !== undefined) yield here.invalid(uid, `error validating uid: ${fault}`);
  else if (uid.length !== 36 || uid !== uid.toLowerCase()) yield here.invalid(uid, normalForm);
}

/** A uid may be bare, dashed, in braces or a URN (RFC 9562, section 4): by its length it is known which. */
function uidFault(uid: string): string | undefined {
  const length = byteLength(uid);
  if (length === 32) return bareUid.test(uid) ? undefined : "invalid UUID format";
  let dashed = uid;
  if (length === 45) {
    if (!/^urn:uuid:/i.test(uid)) return `invalid urn prefix: ${JSON.stringify(uid.slice(0, 9))}`;
    dashed = uid.slice(9);
  } else if (length === 38) {
    if (!/^\{.*\}$/.test(uid)) return "invalid bracketed UUID format";
    dashed = uid.slice(1, -1);
  } else if (length !== 36) return `invalid UUID length: ${length}`;
  return dashedUid.test(dashed) ? undefined : "invalid UUID format";
}
