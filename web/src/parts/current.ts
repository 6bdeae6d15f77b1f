/** Keeps the chosen one of a long list of links in sight. */
import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** For the box that scrolls; the link in it has `aria-current`. It moves when another one is chosen, not with its reader. */
export function useCurrentInSight<Box extends HTMLElement>(chosen: string, isReady = true): RefObject<Box | null> {
  const box = useRef<Box>(null);
  useEffect(() => {
    const { current } = box;
    const link = current?.querySelector<HTMLElement>("[aria-current]");
    if (current === null || link === undefined || link === null) return;
    const [outer, inner] = [current.getBoundingClientRect(), link.getBoundingClientRect()];
    const isSeen = inner.top >= outer.top && inner.bottom <= outer.bottom;
    if (!isSeen) current.scrollTop += inner.top - outer.top - (outer.height - inner.height) / 2;
  }, [chosen, isReady]);
  return box;
}
