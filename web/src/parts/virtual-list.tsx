/** A list of any length of which only the visible rows exist: takes the number of rows and a function that draws one. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  readonly total: number;
  readonly rowHeight: number;
  readonly label: string;
  row(index: number): JSX.Element;
  /** A row that is scrolled into view whenever it becomes another one; -1 for none. */
  readonly reveal?: number;
  /** Called when other rows become visible. */
  onVisible?(first: number, last: number): void;
}

/** Rows above and below the visible ones, so that a small scroll shows no gap. */
const margin = 10;

export function VirtualList({ total, rowHeight, label, row, reveal = -1, onVisible }: VirtualListProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const [range, show] = useState({ first: 0, last: 50 });
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {};
    const first = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
    const last = Math.ceil((scrollTop + clientHeight) / rowHeight) + margin;
    show((known) => (known.first === first && known.last === last ? known : { first, last }));
  };
  useEffect(() => {
    measure();
    addEventListener("resize", measure);
    return () => removeEventListener("resize", measure);
  }, [rowHeight]);
  useEffect(() => {
    const { current } = box;
    if (current === null || reveal < 0) return;
    const [top, bottom] = [reveal * rowHeight, (reveal + 1) * rowHeight];
    const isSeen = top >= current.scrollTop && bottom <= current.scrollTop + current.clientHeight;
    if (!isSeen) current.scrollTop = top - (current.clientHeight - rowHeight) / 2;
  }, [reveal, rowHeight]);
  const last = Math.min(total, range.last);
  const first = Math.min(range.first, Math.max(0, total - 1));
  useEffect(() => onVisible?.(first, last), [first, last]);
  const rows: JSX.Element[] = [];
  for (let i = first; i < last; i++) rows.push(row(i));
  return (
    // a scrolling region must be reachable by the keyboard
    <div class="virtual" ref={box} onScroll={measure} tabIndex={0} role="region" aria-label={label}>
      <div role="list" style={{ height: `${total * rowHeight}px` }}>
        <div style={{ transform: `translateY(${first * rowHeight}px)` }}>{rows}</div>
      </div>
    </div>
  );
}
