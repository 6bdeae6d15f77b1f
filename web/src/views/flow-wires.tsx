/** The lines between lanes and controllers: takes the two lists in their order on the screen, whose rows have one height. */
import type { JSX } from "preact";
import type { ControllerLine, Lane } from "../../../src/dashboard/wire.js";
import type { Join } from "./flow.js";
import { problemsOf } from "./flow-lane.js";

const row = 44;
const problemRow = 33;
const head = 28;
const width = 72;

export interface WiresProps {
  readonly lanes: readonly Lane[];
  readonly controllers: readonly ControllerLine[];
  readonly joins: readonly Join[];
  readonly focus: ReadonlySet<string> | undefined;
}

export function Wires({ lanes, controllers, joins, focus }: WiresProps): JSX.Element {
  const laneAt = positions(
    lanes.map(({ id }) => id),
    (i) => row + (lanes[i] === undefined ? 0 : problemsOf(lanes[i]).length * problemRow),
  );
  const controllerAt = positions(
    controllers.map(({ name }) => name),
    () => row,
  );
  const height = head + Math.max(lanes.length * row, controllers.length * row) + row;
  return (
    <svg class="wires" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
      {joins.map(({ lane, controller }) => {
        const [from, to] = [laneAt.get(lane), controllerAt.get(controller)];
        if (from === undefined || to === undefined) return null;
        const isLit = focus?.has(`lane ${lane}`) === true && focus.has(`controller ${controller}`);
        const shade = focus === undefined ? "" : isLit ? "lit" : "dim";
        return (
          <path
            key={`${lane} ${controller}`}
            class={shade}
            d={`M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`}
          />
        );
      })}
    </svg>
  );
}

function positions(ids: readonly string[], heightOf: (i: number) => number): ReadonlyMap<string, number> {
  const at = new Map<string, number>();
  let y = head;
  ids.forEach((id, i) => {
    at.set(id, y + row / 2);
    y += heightOf(i);
  });
  return at;
}
