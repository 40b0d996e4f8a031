// A long list of which only the visible rows exist. Rows have one height, which the styles enforce.
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface WindowedListProps<Item> {
  label: string;
  items: Item[];
  /** Height of a row in px. */
  rowHeight: number;
  keyOf(item: Item): string;
  row(item: Item): ComponentChildren;
  /** Called when the end comes near. */
  onEnd?: (() => void) | undefined;
}

/** Rows beyond the window at both ends: the next ones by keyboard are there already. */
const SPARE = 10;

/** The list scrolls with the page's main part, and shows the rows in sight. */
export function WindowedList<Item>({ label, items, rowHeight, keyOf, row, onEnd }: WindowedListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [sight, setSight] = useState({ first: 0, last: 40 });
  const look = () => {
    const element = list.current;
    if (!element) return;
    const { top } = element.getBoundingClientRect();
    const first = Math.max(0, Math.floor(-top / rowHeight) - SPARE);
    const last = Math.ceil((innerHeight - top) / rowHeight) + SPARE;
    setSight((before) => (before.first === first && before.last === last ? before : { first, last }));
  };
  useLayoutEffect(look, [items.length, rowHeight]);
  useEffect(() => {
    // Whatever scrolls, the window or a part of it.
    const options = { capture: true, passive: true };
    document.addEventListener("scroll", look, options);
    window.addEventListener("resize", look);
    return () => {
      document.removeEventListener("scroll", look, options);
      window.removeEventListener("resize", look);
    };
  }, [rowHeight]);
  const isNearEnd = sight.last >= items.length;
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, items.length]);
  const shown = items.slice(sight.first, sight.last);
  return (
    <ul class="windowed" aria-label={label} ref={list} style={{ height: `${items.length * rowHeight}px` }}>
      {shown.map((item, i) => {
        const at = sight.first + i;
        return (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={at + 1}
            style={{ top: `${at * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(item)}
          </li>
        );
      })}
    </ul>
  );
}
