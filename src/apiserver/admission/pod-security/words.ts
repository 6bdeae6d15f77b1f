/** The wording of objections in pod security. */
import type { Container, PodSpec } from "../../../api/index.js";
import { allContainers } from "../../../api/pods/containers.js";

/** An objection of a check, which gives undefined if it has none. `details` name the containers and fields. */
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

/** The names of the containers that satisfy the rule. */
export function containersWhere(spec: PodSpec, rule: (container: Container) => unknown): readonly string[] {
  return allContainers(spec)
    .filter((container) => Boolean(rule(container)))
    .map(({ name }) => name);
}

/** `pod`, containers, or both joined by `and`; "" if none. */
export function setters(pod: boolean, containers: readonly string[]): string {
  return [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersNamed(containers)] : [])].join(" and ");
}
