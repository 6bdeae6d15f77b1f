/** The machinery at work: a lane for each watched kind, from the server to its listeners, joined with the controllers that they wake. */
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { ControllerLine, Lane } from "../../../src/dashboard/wire.js";
import { Empty, Find } from "../parts/small.js";
import { adjust } from "../state/route.js";
import { useClock, type Watched } from "../state/store.js";
import { ControllerRow } from "./flow-controller.js";
import { LaneRow } from "./flow-lane.js";
import { Recent } from "./flow-recent.js";
import { Wires } from "./flow-wires.js";

export interface ViewProps {
  readonly watched: Watched;
  readonly settings: Readonly<Record<string, string>>;
}

export function Flow({ watched, settings }: ViewProps): JSX.Element {
  const now = useClock();
  const [pointed, point] = useState("");
  const text = settings["find"] ?? "";
  const lanes = useSorted(watched.lanes, (lane) => `${lane.cluster} ${lane.kind} ${lane.id}`);
  const controllers = useSorted(watched.controllers, ({ name }) => name);
  const joins = useMemo(() => joinsOf(lanes, controllers), [namesOf(lanes), namesOf(controllers)]);
  const followed = useFollowed(watched, text);
  if (lanes.length === 0 && controllers.length === 0) {
    return <Empty title="Nothing is watched yet">Lanes appear when the first informer starts.</Empty>;
  }
  const focus = pointed === "" ? followed : related(pointed, joins);
  const shade = (id: string): string => (focus === undefined ? "" : focus.has(id) ? " lit" : " dim");
  return (
    <>
      <div class="tools">
        <Find value={text} label="follow an object: default/web" onFind={(find) => adjust({ find })} />
        <p class="legend" aria-hidden="true">
          server → reflector → delta FIFO → indexer → listeners → queue → workers
        </p>
      </div>
      <Recent runs={watched.runs} controllers={watched.controllers} text={text} />
      <div class="flow-board" onMouseLeave={() => point("")}>
        <section class="lanes" aria-label="informers">
          <div class="lane head" aria-hidden="true">
            <span>kind</span>
            <span>reflector</span>
            <span>fifo</span>
            <span>indexer</span>
            <span>listeners</span>
          </div>
          {lanes.map((lane) => (
            <LaneRow
              key={lane.id}
              lane={lane}
              now={now}
              shade={shade(`lane ${lane.id}`)}
              onPoint={() => point(`lane ${lane.id}`)}
            />
          ))}
        </section>
        <Wires lanes={lanes} controllers={controllers} joins={joins} focus={focus} />
        <section class="controllers" aria-label="controllers">
          <div class="controller head" aria-hidden="true">
            <span>controller</span>
            <span>runs/s</span>
            <span>queue</span>
            <span>workers</span>
          </div>
          {controllers.map((line) => (
            <ControllerRow
              key={line.name}
              line={line}
              now={now}
              shade={shade(`controller ${line.name}`)}
              onPoint={() => point(`controller ${line.name}`)}
            />
          ))}
        </section>
      </div>
    </>
  );
}

/** A listener's name is its controller's. */
export interface Join {
  readonly lane: string;
  readonly controller: string;
}

function joinsOf(lanes: readonly Lane[], controllers: readonly ControllerLine[]): readonly Join[] {
  const names = new Set(controllers.map(({ name }) => name));
  return lanes.flatMap((lane) =>
    [...new Set(lane.listeners.map(({ name }) => name))]
      .filter((name) => names.has(name))
      .map((controller) => ({ lane: lane.id, controller })),
  );
}

const namesOf = (lines: readonly (Lane | ControllerLine)[]): string =>
  lines.map((line) => ("id" in line ? `${line.id}${line.listeners.length}` : line.name)).join();

function useSorted<T>(lines: ReadonlyMap<string, T>, orderOf: (line: T) => string): readonly T[] {
  return useMemo(() => [...lines.values()].sort((a, b) => orderOf(a).localeCompare(orderOf(b))), [lines]);
}

/** The pointed line and those on the other side that it is joined with. */
function related(pointed: string, joins: readonly Join[]): ReadonlySet<string> {
  const lit = new Set([pointed]);
  for (const { lane, controller } of joins) {
    if (pointed === `lane ${lane}`) lit.add(`controller ${controller}`);
    if (pointed === `controller ${controller}`) lit.add(`lane ${lane}`);
  }
  return lit;
}

/** The controllers that ran for keys with this text lately, and the lanes of the objects that woke them. */
function useFollowed({ runs, lanes }: Watched, text: string): ReadonlySet<string> | undefined {
  return useMemo(() => {
    if (text === "") return undefined;
    const lit = new Set<string>();
    for (const { controller, key, because } of runs) {
      if (!key.includes(text) && !because.includes(text)) continue;
      lit.add(`controller ${controller}`);
      const kind = because.split(" ", 1)[0];
      for (const lane of lanes.values()) if (lane.kind === kind) lit.add(`lane ${lane.id}`);
    }
    return lit;
  }, [runs, lanes, text]);
}
