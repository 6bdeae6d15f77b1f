/** A node's clock that was set back: the lives of its pods move with it, so that each lasts as long as it was meant to. */
import type { ContainerLife, ContainerState, PodLife, Terminated } from "./life.js";

/** The life with every time earlier by this number of milliseconds. */
export function setBack(life: PodLife, byMs: number): PodLife {
  const all = (lives: readonly ContainerLife[]): readonly ContainerLife[] => lives.map((own) => container(own, byMs));
  const { startedAt, init, main, ephemeral, stopping } = life;
  return {
    startedAt: startedAt - byMs,
    init: all(init),
    main: all(main),
    ...(ephemeral === undefined ? {} : { ephemeral: all(ephemeral) }),
    ...(stopping === undefined ? {} : { stopping: { ...stopping, since: stopping.since - byMs } }),
  };
}

function container(life: ContainerLife, byMs: number): ContainerLife {
  const { state, last } = life;
  return { ...life, state: moved(state, byMs), ...(last === undefined ? {} : { last: ended(last, byMs) }) };
}

function moved(state: ContainerState, byMs: number): ContainerState {
  if (state.type === "waiting") return { ...state, until: state.until - byMs };
  return state.type === "running" ? { ...state, since: state.since - byMs } : ended(state, byMs);
}

const ended = (state: Terminated, byMs: number): Terminated => ({
  ...state,
  at: state.at - byMs,
  ...(state.since === undefined ? {} : { since: state.since - byMs }),
});
