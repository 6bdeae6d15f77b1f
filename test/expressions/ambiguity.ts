/**
 * Takes a regular expression and tells whether a backtracking engine may need more than linear work for it. The engine
 * tries each way over a text at most once, so its work is linear if the number of ways has a bound. The two reasons for
 * which it has none are known from finite automata: a place that one text leads back to itself in two ways (then the
 * ways double with each repetition), and two places, each of which a text leads back to itself, and the first of them
 * to the second (then each repetition is a further moment to go over).
 */
import { type Automaton, automatonOf, type Step } from "./automaton.js";

/** The steps of a place by the letters of the alphabet. */
type Steps = (place: number) => readonly (readonly Step[])[];

/** `isOver`: with the steps by which the search goes on after a match. */
function stepsIn({ alphabet, places }: Automaton, isOver: boolean): Steps {
  const table = places.map(({ steps, again }) => {
    const all = isOver ? [...steps, ...again] : steps;
    return alphabet.map((_, letter) => all.filter((step) => step.letter === letter));
  });
  return (place) => table[place] ?? [];
}

/** For each place the places that it leads to. */
function reachable({ places }: Automaton, steps: Steps): readonly ReadonlySet<number>[] {
  return places.map((_, start) => {
    const reached = new Set<number>();
    const stack = [start];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      for (const { to } of steps(at).flat()) {
        if (!reached.has(to)) stack.push(to);
        reached.add(to);
      }
    }
    return reached;
  });
}

/** For each place the places that it leads to and that lead back; none for a place that does not lead to itself. */
function cycles(automaton: Automaton, steps: Steps): readonly ReadonlySet<number>[] {
  const reach = reachable(automaton, steps);
  return reach.map((reached, place) => new Set([...reached].filter((other) => reach[other]?.has(place))));
}

/** The steps that lead to these places. */
function among(steps: Steps, allowed: ReadonlySet<number>): Steps {
  const known = new Map<number, ReturnType<Steps>>();
  return (place) => {
    const found = known.get(place) ?? steps(place).map((some) => some.filter(({ to }) => allowed.has(to)));
    known.set(place, found);
    return found;
  };
}

/** The places from which the engine may have to go back: behind a place of a match, no other way is tried. */
const unsure = ({ places }: Automaton): ReadonlySet<number> =>
  new Set(places.flatMap(({ isMatch }, place) => (isMatch ? [] : [place])));

interface Hunt {
  readonly alphabet: readonly string[];
  readonly start: readonly number[];
  readonly goal: readonly number[];
  /** The steps of each member. */
  readonly members: readonly Steps[];
}

interface Found {
  readonly tuple: readonly number[];
  readonly earlier?: Found;
  readonly sign: string;
}

/** A text that leads from each place of the start to that of the goal; undefined if none does. */
function hunted({ alphabet, start, goal, members }: Hunt): string | undefined {
  const wanted = keyOf(goal);
  const seen = new Set([keyOf(start)]);
  const queue: Found[] = [{ tuple: start, sign: "" }];
  for (const earlier of queue) {
    const steps = members.map((stepsAt, i) => stepsAt(earlier.tuple[i] as number));
    for (const [letter, sign] of alphabet.entries()) {
      for (const tuple of combinations(steps.map((some) => some[letter] ?? []))) {
        const key = keyOf(tuple);
        if (key === wanted) return textOf({ tuple, earlier, sign });
        if (!seen.has(key)) queue.push({ tuple, earlier, sign });
        seen.add(key);
      }
    }
  }
  return undefined;
}

/** No expression has this number of places. */
const mostPlaces = 2 ** 16;

const keyOf = (tuple: readonly number[]): number => tuple.reduce((key, place) => key * mostPlaces + place, 0);

const textOf = ({ earlier, sign }: Found): string => (earlier === undefined ? "" : textOf(earlier)) + sign;

function combinations(sets: readonly (readonly Step[])[]): readonly (readonly number[])[] {
  if (sets.some((set) => set.length === 0)) return [];
  return sets.reduce<readonly (readonly number[])[]>(
    (tuples, set) => tuples.flatMap((tuple) => set.map(({ to }) => [...tuple, to])),
    [[]],
  );
}

/** A text that, repeated, doubles the work each time; undefined if there is none. */
function doubling(automaton: Automaton): string | undefined {
  const { alphabet, places } = automaton;
  const steps = among(stepsIn(automaton, false), unsure(automaton));
  const cycle = cycles(automaton, steps);
  for (const [place, { isMatch }] of places.entries()) {
    if (isMatch) continue;
    const round = among(steps, cycle[place] as ReadonlySet<number>);
    // two ways part by the places that they lead to, or between two places, and meet again
    for (const [letter, some] of round(place).entries()) {
      for (const [i, { to, ways }] of some.entries()) {
        const others = some.slice(ways > 1 ? i : i + 1);
        for (const start of others.map((other) => [to, other.to])) {
          const isHome = start.every((one) => one === place);
          const rest = isHome ? "" : hunted({ alphabet, start, goal: [place, place], members: [round, round] });
          if (rest !== undefined) return (alphabet[letter] as string) + rest;
        }
      }
    }
  }
  return undefined;
}

/** A text that, repeated n times, takes n² work; undefined if there is none. */
function crossing(automaton: Automaton): string | undefined {
  const { alphabet, places } = automaton;
  const [within, over] = [stepsIn(automaton, false), stepsIn(automaton, true)];
  const failing = among(within, unsure(automaton));
  const [cycle, longCycle] = [cycles(automaton, failing), cycles(automaton, over)];
  const reach = reachable(automaton, within);
  for (const [second, { isMatch }] of places.entries()) {
    if (isMatch || cycle[second]?.size === 0) continue;
    const stays = among(failing, cycle[second] as ReadonlySet<number>);
    const leading = among(within, new Set([...places.keys()].filter((place) => reach[place]?.has(second))));
    for (const first of places.keys()) {
      if (first === second || longCycle[first]?.size === 0 || reach[first]?.has(second) !== true) continue;
      const remains = among(over, longCycle[first] as ReadonlySet<number>);
      const members = [remains, leading, stays];
      const text = hunted({ alphabet, start: [first, first, second], goal: [first, second, second], members });
      if (text !== undefined) return text;
    }
  }
  return undefined;
}

/** The complaint about an expression whose work is not linear, with a text that shows it; undefined if it is. */
export function superlinearWork(expression: RegExp): string | undefined {
  const automaton = automatonOf(expression);
  const doubled = doubling(automaton);
  if (doubled !== undefined) return `each further ${JSON.stringify(doubled)} doubles its work`;
  const crossed = crossing(automaton);
  return crossed === undefined ? undefined : `n times ${JSON.stringify(crossed)} cost n² of work`;
}
