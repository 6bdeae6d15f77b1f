/** All resources served now: built-in endpoints from the start, custom ones as they come and go. */
import type { ServedGroup, ServedResource } from "../contracts/served.js";
import type { Endpoint } from "../contracts/endpoint.js";
import { mergedGroups, type RemoteServed } from "../discovery/index.js";
import { apiVersionOf } from "../../api/index.js";
import { byEntryName } from "../../base/members.js";

const idOf = (group: string, version: string, plural: string): string => `${group}/${version}/${plural}`;

/**
 * Invariants:
 * 1. `#custom` and `#builtIn` share no resource.
 * 2. `generation` rises with every change of the served resources.
 * 3. `#derived` and the maps of endpoints are shared with forks that serve the same; a change replaces them.
 */
export class Registry {
  readonly #builtIn: ReadonlyMap<string, Endpoint>;
  readonly #groups: readonly ServedGroup[];
  #custom: ReadonlyMap<string, Endpoint> = new Map();
  #customGroups: readonly ServedGroup[] = [];
  #measuredGroups: readonly ServedGroup[] = [];
  #remote: readonly RemoteServed[] = [];
  /** All of the above as discovery lists it; undefined after a change. */
  #all: readonly ServedGroup[] | undefined;
  #derived = new Map<string, unknown>();
  #generation = 1;

  constructor(groups: readonly ServedGroup[], endpoints: ReadonlyMap<string, Endpoint>) {
    this.#groups = groups;
    this.#builtIn = endpoints;
  }

  static of(groups: readonly ServedGroup[], endpoints: readonly Endpoint[]): Registry {
    return new Registry(groups, byId(endpoints));
  }

  /** A registry that serves the same until one of the two changes. */
  fork(): Registry {
    const fork = new Registry(this.#groups, this.#builtIn);
    fork.#custom = this.#custom;
    fork.#customGroups = this.#customGroups;
    fork.#measuredGroups = this.#measuredGroups;
    fork.#remote = this.#remote;
    fork.#all = this.#all;
    fork.#derived = this.#derived;
    fork.#generation = this.#generation;
    return fork;
  }

  /** Makes a value from the served resources once, and gives it until they change. The name says all else that it depends on. */
  derived<T>(name: string, make: () => T): T {
    if (!this.#derived.has(name)) this.#derived.set(name, make());
    return this.#derived.get(name) as T;
  }

  get generation(): number {
    return this.#generation;
  }

  endpoint(group: string, version: string, plural: string): Endpoint | undefined {
    const id = idOf(group, version, plural);
    return this.#builtIn.get(id) ?? this.#custom.get(id);
  }

  /** The endpoint of a kind in a version; undefined if it is not served. */
  endpointOfKind(apiVersion: string, kind: string): Endpoint | undefined {
    return this.derived("endpoints by kind", () => byKind(this.endpoints())).get(`${apiVersion} ${kind}`);
  }

  /** Whether anything is served under the group and version. */
  serves(group: string, version: string): boolean {
    return this.groups().some((one) => one.group === group && one.versions.some((each) => each.version === version));
  }

  /** Every endpoint, built-in ones first. */
  *endpoints(): Generator<Endpoint> {
    yield* this.#builtIn.values();
    yield* this.#custom.values();
  }

  /**
   * Built-in groups in their order, then custom ones by name, then those without endpoints; versions that other servers
   * answer for stand among them by their priority.
   */
  groups(): readonly ServedGroup[] {
    this.#all ??= mergedGroups(this.local(), this.#remote, compareVersions);
    return this.#all;
  }

  /** The groups without the versions that other servers answer for. */
  local(): readonly ServedGroup[] {
    if (this.#customGroups.length === 0 && this.#measuredGroups.length === 0) return this.#groups;
    return [...this.#groups, ...this.#customGroups, ...this.#measuredGroups];
  }

  /** Replaces the versions that other servers answer for. */
  setRemote(remote: readonly RemoteServed[]): void {
    this.#remote = remote;
    this.#changed();
  }

  #changed(): void {
    this.#all = undefined;
    this.#derived = new Map();
    this.#generation++;
  }

  /** Replaces the groups that are listed here and served without endpoints. */
  setMeasured(groups: readonly ServedGroup[]): void {
    this.#measuredGroups = groups;
    this.#changed();
  }

  /** Replaces all custom endpoints. Within a group, versions are given with the most preferred first. */
  setCustom(endpoints: readonly Endpoint[]): void {
    this.#custom = byId(endpoints);
    const groups = new Map<string, Map<string, ServedResource[]>>();
    for (const endpoint of endpoints) {
      const { group, version } = endpoint.served;
      const versions = groups.get(group) ?? new Map<string, ServedResource[]>();
      groups.set(group, versions.set(version, [...(versions.get(version) ?? []), endpoint.served]));
    }
    this.#customGroups = [...groups].toSorted(byEntryName).map(([group, versions]) => ({
      group,
      versions: [...versions]
        .toSorted(([a], [b]) => compareVersions(a, b))
        .map(([version, resources]) => ({ version, resources })),
    }));
    this.#changed();
  }
}

function byId(endpoints: readonly Endpoint[]): ReadonlyMap<string, Endpoint> {
  return new Map(
    endpoints.map((endpoint) => {
      const { group, version, plural } = endpoint.served;
      return [idOf(group, version, plural), endpoint];
    }),
  );
}

/** The first endpoint of each kind, as built-in ones come first. */
function byKind(endpoints: Iterable<Endpoint>): ReadonlyMap<string, Endpoint> {
  const found = new Map<string, Endpoint>();
  for (const endpoint of endpoints) {
    const { served } = endpoint;
    const id = `${apiVersionOf(served)} ${served.kind}`;
    if (!found.has(id)) found.set(id, endpoint);
  }
  return found;
}

/** Stable before beta before alpha, then the higher number, then other names in order. */
export function compareVersions(a: string, b: string): number {
  const left = parseVersion(a);
  const right = parseVersion(b);
  if (left === undefined || right === undefined) {
    if (left === undefined && right === undefined) return a < b ? -1 : a > b ? 1 : 0;
    return left === undefined ? 1 : -1;
  }
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parseVersion(
  text: string,
): { readonly major: number; readonly stage: number; readonly minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(text);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === "beta" ? 1 : 0;
  return { major: Number(match[1]), stage, minor: Number(match[3] ?? 0) };
}
