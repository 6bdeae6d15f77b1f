/** A slider over the moments that the server may still remember: the view shows the chosen one, or now. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { MomentLine } from "../../../src/dashboard/wire.js";
import { timeOfDay } from "../parts/format.js";
import { ask } from "../state/ask.js";
import { adjust } from "../state/route.js";

const everyMs = 2_000;

export function TimeBar({ at }: { readonly at: string }): JSX.Element | null {
  const [moments, show] = useState<readonly MomentLine[]>([]);
  useEffect(() => {
    const ended = new AbortController();
    const load = (): void => void ask<readonly MomentLine[]>("moments", ended.signal).then(show, () => {});
    load();
    // the past does not move while somebody looks at it
    const timer = at === "" ? setInterval(load, everyMs) : undefined;
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, [at]);
  if (moments.length < 2 && at === "") return null;
  const found = moments.findIndex(({ revision }) => revision === at);
  const place = found < 0 ? moments.length - 1 : found;
  return (
    <div class="time-bar">
      <input
        type="range"
        aria-label="the moment that is shown"
        aria-valuetext={at === "" ? "now" : timeOfDay(moments[place]?.at ?? 0)}
        min="0"
        max={Math.max(0, moments.length - 1)}
        value={place}
        onInput={(event) => {
          const i = Number(event.currentTarget.value);
          adjust({ at: i >= moments.length - 1 ? undefined : moments[i]?.revision });
        }}
      />
      <output>{at === "" ? "now" : timeOfDay(moments[place]?.at ?? 0)}</output>
      <button type="button" disabled={at === ""} onClick={() => adjust({ at: undefined })}>
        back to now
      </button>
    </div>
  );
}
