/** Rules for a service's cluster addresses and families: singular and plural fields must agree, and mostly cannot change. */
import { fieldPath, type ServiceSpec } from "../../../../api/index.js";
import { writtenFamily, ipAddress } from "../rules/addresses.js";
import { type Issues, optionalOneOf } from "../rules/issues.js";
import { repeats } from "../../../../base/members.js";

const spec = fieldPath("spec");
const at = {
  clusterIPs: spec.child("clusterIPs"),
  ipFamilies: spec.child("ipFamilies"),
  ipFamilyPolicy: spec.child("ipFamilyPolicy"),
};

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === "None";

export function* clusterAddresses(given: ServiceSpec, old: ServiceSpec | undefined): Issues {
  if (given.type === "ExternalName") return;
  const { clusterIPs = [] } = given;
  yield* bothSpellings(given.clusterIP ?? "", clusterIPs);
  yield* families(given);
  const wrong = [...eachAddress(clusterIPs, old?.clusterIPs ?? [])];
  yield* wrong;
  if (clusterIPs.length > 2) yield at.clusterIPs.invalid(clusterIPs, "may only hold up to 2 values");
  if (wrong.length > 0) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map((ip) => writtenFamily(ip))).size < 2) {
    yield at.clusterIPs.invalid(clusterIPs, "may specify no more than one IP for each IP family");
  }
  if (!isHeadless(given)) yield* addressesOfFamilies(clusterIPs, given.ipFamilies ?? []);
}

function* bothSpellings(clusterIP: string, clusterIPs: readonly string[]): Issues {
  if (clusterIP === "") {
    if (clusterIPs.length === 0) return;
    yield at.clusterIPs.invalid(clusterIPs, "must be empty when `clusterIP` is not specified");
  } else if (clusterIPs.length === 0) yield at.clusterIPs.required();
  else if (clusterIPs[0] !== clusterIP) {
    yield at.clusterIPs.invalid(clusterIPs, "first value must match `clusterIP`");
  }
}

function* addressesOfFamilies(clusterIPs: readonly string[], families: readonly string[]): Issues {
  for (const [index, family] of families.entries()) {
    const ip = clusterIPs[index];
    if (ip === undefined || writtenFamily(ip) === family || (family !== "IPv4" && family !== "IPv6")) continue;
    const why = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    yield at.clusterIPs.index(index).invalid(ip, why);
  }
}

function* families({ ipFamilies = [], ipFamilyPolicy }: ServiceSpec): Issues {
  const isRepeat = repeats();
  for (const [here, family] of at.ipFamilies.items(ipFamilies)) {
    yield* optionalOneOf(here, family, ["IPv4", "IPv6"]);
    if (isRepeat(family)) yield here.duplicate(family);
  }
  yield* optionalOneOf(at.ipFamilyPolicy, ipFamilyPolicy, ["PreferDualStack", "RequireDualStack", "SingleStack"]);
}

function* eachAddress(clusterIPs: readonly string[], old: readonly string[]): Issues {
  const before = new Set(old);
  for (const [index, ip] of clusterIPs.entries()) {
    if (index === 0 && ip === "None") {
      if (clusterIPs.length > 1) yield at.clusterIPs.invalid(clusterIPs, "'None' must be the first and only value");
    } else if (!before.has(ip)) yield* ipAddress(at.clusterIPs.index(index), ip);
  }
}

/** The first address and family stay; a second one may be added and, if the policy says so, removed. */
export function* addressChanges(now: ServiceSpec, old: ServiceSpec): Issues {
  if (now.type === "ExternalName" || old.type === "ExternalName") return;
  const [headless, wasHeadless] = [isHeadless(now), isHeadless(old)];
  if (!(headless && wasHeadless)) {
    yield* listChanges(now, { now: now.clusterIPs ?? [], old: old.clusterIPs ?? [], field: "clusterIPs" });
  }
  if (!headless && !wasHeadless) {
    yield* listChanges(now, { now: now.ipFamilies ?? [], old: old.ipFamilies ?? [], field: "ipFamilies" });
  }
}

interface Lists {
  readonly now: readonly string[];
  readonly old: readonly string[];
  readonly field: "clusterIPs" | "ipFamilies";
}

function* listChanges(given: ServiceSpec, { now, old, field }: Lists): Issues {
  const here = at[field];
  const word = field === "clusterIPs" ? "clusterIP" : "ipFamily";
  const changed = "may not change once set";
  const shown = field === "clusterIPs" ? now : (given.clusterIPs ?? []);
  if (now.length === old.length) {
    for (const [index, value] of old.entries()) {
      if (value === now[index]) continue;
      yield here.index(field === "clusterIPs" ? index : 0).invalid(now, changed);
    }
    return;
  }
  const moved = now.length > 0 && old.length > 0 && now[0] !== old[0];
  if (now.length < old.length) {
    const none = field === "clusterIPs" ? now.length === 0 : (given.clusterIPs ?? []).length === 0;
    if (none) yield here.index(0).invalid(now.length === 0 ? null : now, `primary ${word} can not be unset`);
    if (moved) yield here.index(0).invalid(shown, changed);
    if (now.length === 1 && given.ipFamilyPolicy !== "SingleStack") {
      const why = `must be set to 'SingleStack' when releasing the secondary ${word}`;
      yield at.ipFamilyPolicy.invalid(given.ipFamilyPolicy, why);
    }
  } else if (moved) yield here.index(0).invalid(shown, changed);
}
