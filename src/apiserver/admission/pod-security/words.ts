/** How the checks of pod security name what they object to. */
import type { Container, PodSpec } from "../../../api/index.js";

/** `details` say who and what; undefined from a check means that it has no objection. */
export interface Objection {
  readonly reason: string;
  readonly details: string;
}

export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(", ");

export const sorted = (items: Iterable<string>): readonly string[] => [...new Set(items)].toSorted();

export const plural = (one: string, many: string, { length }: { readonly length: number }): string =>
  length === 1 ? one : many;

/** `container "a"`, `containers "a", "b"`. */
export const containersNamed = (names: readonly string[]): string =>
  `${plural("container", "containers", names)} ${quoted(names)}`;

/** In the order in which pods run them. */
export function containersOf({
  initContainers = [],
  containers,
  ephemeralContainers = [],
}: PodSpec): readonly Container[] {
  return [...initContainers, ...containers, ...(ephemeralContainers as readonly Container[])];
}

/** Names of containers of which the rule holds. */
export function containersWhere(spec: PodSpec, rule: (container: Container) => unknown): readonly string[] {
  return containersOf(spec)
    .filter((container) => Boolean(rule(container)))
    .map(({ name }) => name);
}

/** `pod`, containers, or both with `and` between them; "" if nobody did it. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(" and ");
}
