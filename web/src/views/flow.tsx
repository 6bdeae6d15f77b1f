/** The machinery at work: a lane for each watched kind, from the server to its listeners, joined with the controllers that they wake. */
import type { JSX } from "preact";
import { useContext, useMemo, useState } from "preact/hooks";
import type { ControllerLine, Lane, RunLine } from "../../../src/dashboard/wire.js";
import { Empty, Find } from "../parts/small.js";
import { lazy } from "../parts/lazy.js";
import { useOpened } from "../recording/opened.js";
import { ShownMoment } from "../state/moment.js";
import { adjust } from "../state/route.js";
import { useRuns } from "../state/runs.js";
import { useClock, type Watched } from "../state/store.js";
import { ControllerRow } from "./flow-controller.js";
import { LaneRow } from "./flow-lane.js";
import { Recent } from "./flow-recent.js";
import { Wires } from "./flow-wires.js";

const Story = lazy(async () => (await import("./story.js")).Story);

export interface ViewProps {
  readonly watched: Watched;
  readonly settings: Readonly<Record<string, string>>;
}

export function Flow({ watched, settings }: ViewProps): JSX.Element {
  const now = useClock();
  const [pointed, point] = useState("");
  const text = settings["find"] ?? "";
  const [allLanes, allControllers] = useOrdered(watched);
  const runs = useRuns(watched, { text });
  const followed = useFollowed(runs, watched, text);
  const isOnWay = (id: string): boolean => followed === undefined || followed.has(id);
  const lanes = allLanes.filter(({ id }) => isOnWay(`lane ${id}`));
  const controllers = allControllers.filter(({ name }) => isOnWay(`controller ${name}`));
  const hidden = allLanes.length - lanes.length + (allControllers.length - controllers.length);
  const joins = useMemo(() => joinsOf(lanes, controllers), [namesOf(lanes), namesOf(controllers)]);
  const moment = useContext(ShownMoment);
  const opened = useOpened();
  const recording = opened.type === "open" ? opened.recording : undefined;
  if (lanes.length === 0 && controllers.length === 0 && recording === undefined) {
    return moment === undefined ? (
      <Empty title="Nothing is watched yet">Lanes appear when the first informer starts.</Empty>
    ) : (
      <Empty title="Nothing of this moment is remembered">Move the slider to a later one.</Empty>
    );
  }
  const focus = pointed === "" ? followed : related(pointed, joins);
  const shade = (id: string): string => (focus === undefined ? "" : focus.has(id) ? " lit" : " dim");
  return (
    <>
      <div class="tools">
        <Find value={text} label="follow an object: default/web" onFind={(find) => adjust({ find })} />
        <p class="legend" aria-hidden="true">
          server → reflector → delta FIFO → indexer → listeners → queue → workers · press ? for what they are
        </p>
      </div>
      {recording === undefined ? (
        <Recent runs={runs} controllers={watched.controllers} text={text} />
      ) : (
        <Story recording={recording} moment={moment} text={text} />
      )}
      {hidden > 0 && (
        <p class="note">
          {hidden} informers and controllers that are not on its way are hidden.
          <button type="button" onClick={() => adjust({ find: undefined })}>
            show all
          </button>
        </p>
      )}
      <div class="flow-board" onMouseLeave={() => point("")}>
        <section class="lanes" aria-label="informers">
          <LaneHead />
          {lanes.length === 0 && (
            <Empty title={moment === undefined ? "No informer yet" : "No informer is remembered"} />
          )}
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
          <ControllerHead />
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

function LaneHead(): JSX.Element {
  return (
    <div class="lane head" aria-hidden="true">
      <span>kind</span>
      <span title="lists the objects of a kind, then watches them">reflector</span>
      <span title="changes that wait to be applied to the cache">fifo</span>
      <span title="the cache: every object of the kind, with its indices">indexer</span>
      <span title="handlers that are told of each change: one dot each">listeners</span>
    </div>
  );
}

function ControllerHead(): JSX.Element {
  return (
    <div class="controller head" aria-hidden="true">
      <span>controller</span>
      <span title="reconciles in a second">runs/s</span>
      <span title="keys that wait for a worker">queue</span>
      <span title="reconciles that can run at once; those that run are lit">workers</span>
    </div>
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

/** Controllers stand in the order of their start, and each lane beside the first one that it wakes, the controller's own kind first. */
function useOrdered({ lanes, controllers }: Watched): readonly [readonly Lane[], readonly ControllerLine[]] {
  return useMemo(() => {
    const started = [...controllers.values()];
    return [besideTheirs([...lanes.values()], started), started];
  }, [lanes, controllers]);
}

function besideTheirs(lanes: readonly Lane[], controllers: readonly ControllerLine[]): readonly Lane[] {
  const places = new Map(controllers.map(({ name }, i) => [name, i]));
  const placeOf = ({ listeners }: Lane): number =>
    Math.min(controllers.length, ...listeners.map(({ name }) => places.get(name) ?? controllers.length));
  const placed = lanes.map((lane) => {
    const place = placeOf(lane);
    return { lane, place, isOwn: controllers[place]?.kind === lane.kind };
  });
  return placed
    .sort(
      (a, b) => a.lane.cluster.localeCompare(b.lane.cluster) || a.place - b.place || Number(b.isOwn) - Number(a.isOwn),
    )
    .map(({ lane }) => lane);
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

/** The controllers of these runs, and the lanes of the objects that woke them; undefined without runs. */
function useFollowed(runs: readonly RunLine[], { lanes }: Watched, text: string): ReadonlySet<string> | undefined {
  return useMemo(() => {
    if (text === "" || runs.length === 0) return undefined;
    const lit = new Set<string>();
    for (const { controller, because } of runs) {
      lit.add(`controller ${controller}`);
      const kind = because.split(" ", 1)[0];
      for (const lane of lanes.values()) if (lane.kind === kind) lit.add(`lane ${lane.id}`);
    }
    return lit;
  }, [runs, lanes, text]);
}
