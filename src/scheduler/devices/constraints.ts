/** Constraints of a claim on the attributes of all its devices. A constraint that refuses a device refuses it for any further ones. */
import { deepEqual, type Device, type DeviceAttribute, type DeviceConstraint } from "../../api/index.js";
import { own } from "../../base/members.js";

/** The request that a device is for: its name, and the name of the chosen alternative. */
export interface RequestName {
  readonly request: string;
  readonly alternative: string | undefined;
}

export interface Constraint {
  /** False if the device does not fit the devices before it; it is then not added. */
  add(of: RequestName, driver: string, device: Device): boolean;
  /** Takes the last added device back. */
  remove(of: RequestName): void;
}

export const fullName = ({ request, alternative }: RequestName): string =>
  alternative === undefined ? request : `${request}/${alternative}`;

/** Undefined for a constraint of an unknown kind. */
export function constraintOf({
  requests = [],
  matchAttribute,
  distinctAttribute,
}: DeviceConstraint): Constraint | undefined {
  const concerns = (of: RequestName): boolean =>
    requests.length === 0 || requests.includes(of.request) || requests.includes(fullName(of));
  if (matchAttribute !== undefined) return same(matchAttribute, concerns);
  return distinctAttribute === undefined ? undefined : distinct(distinctAttribute, concerns);
}

type Concerns = (of: RequestName) => boolean;

function same(name: string, concerns: Concerns): Constraint {
  let first: DeviceAttribute | undefined;
  let devices = 0;
  return {
    add(of, driver, device) {
      if (!concerns(of)) return true;
      const attribute = attributeOf(name, driver, device);
      if (attribute === undefined || (devices > 0 && !isSame(attribute, first))) return false;
      if (devices++ === 0) first = attribute;
      return true;
    },
    remove(of) {
      if (concerns(of)) devices--;
    },
  };
}

/** As upstream's, it compares a device with the last one of each request. */
function distinct(name: string, concerns: Concerns): Constraint {
  const known = new Map<string, DeviceAttribute>();
  return {
    add(of, driver, device) {
      if (!concerns(of)) return true;
      const attribute = attributeOf(name, driver, device);
      if (attribute === undefined || [...known.values()].some((one) => isSame(attribute, one))) return false;
      known.set(of.request, attribute);
      return true;
    },
    remove(of) {
      if (concerns(of)) known.delete(of.request);
    },
  };
}

const isSame = (one: DeviceAttribute, other: DeviceAttribute | undefined): boolean => deepEqual(one, other);

/** A name in the driver's domain may be written without the domain. */
function attributeOf(name: string, driver: string, { attributes }: Device): DeviceAttribute | undefined {
  const slash = name.indexOf("/");
  return (
    own(attributes, name) ?? (name.slice(0, slash) === driver ? own(attributes, name.slice(slash + 1)) : undefined)
  );
}
