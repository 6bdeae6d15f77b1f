/** Workloads by namespace, with the progress of their rollouts: the pods of the newest template, and the ready ones. */
import type { JSX } from "preact";
import type { Workload } from "../../../src/dashboard/wire.js";
import { Mark } from "../parts/small.js";
import { href } from "../state/route.js";

export interface WorkloadsProps {
  readonly workloads: readonly Workload[];
  readonly more: number;
}

export function Workloads({ workloads, more }: WorkloadsProps): JSX.Element | null {
  if (workloads.length === 0) return null;
  const namespaces = [...new Set(workloads.map(({ namespace }) => namespace))];
  return (
    <section class="workloads panel" aria-label="workloads and their rollouts">
      <h2>
        Workloads <small>the light bar: pods of the newest template; the full bar: ready</small>
      </h2>
      {namespaces.map((namespace) => (
        <section key={namespace} aria-label={`namespace ${namespace}`}>
          <h3>
            <a href={href("why", { resource: "v1/namespaces", name: namespace })}>{namespace}</a>
          </h3>
          {workloads
            .filter((one) => one.namespace === namespace)
            .map((one) => (
              <Rollout key={one.uid} workload={one} />
            ))}
        </section>
      ))}
      {more > 0 && <p class="note">and {more} more, which are not shown</p>}
    </section>
  );
}

function Rollout({ workload }: { readonly workload: Workload }): JSX.Element {
  const { kind, resource, namespace, name, wanted, updated, ready, tone } = workload;
  const share = (number: number): string => `${wanted === 0 ? 100 : Math.min(100, (number / wanted) * 100)}%`;
  const word = kind === "Job" ? "completed" : "ready";
  const isRolling = updated < wanted;
  return (
    <a class={`rollout ${tone}`} href={href("why", { resource, namespace, name })}>
      <Mark tone={tone} title={tone} />
      <span>
        <span class="soft">{kind}</span> {name}
      </span>
      <span class="progress" aria-hidden="true">
        <i class="updated" style={{ width: share(updated) }} />
        <i class="ready" style={{ width: share(Math.min(ready, updated)) }} />
      </span>
      <small>
        {ready}/{wanted} {word}
        {isRolling && ` · ${updated} of ${wanted} new`}
      </small>
    </a>
  );
}
