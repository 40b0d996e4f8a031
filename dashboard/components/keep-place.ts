// How far each entry of the browser's history was scrolled: back and forward return there, as between documents.
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const places = new Map<string, number>();

/** Parts of the page are still being read. */
const TRY_MS = 50;
const TRIES = 20;

/** Call it with the address. */
export function useKeptPlace(box: RefObject<HTMLElement | null>, location: string): void {
  useLayoutEffect(() => {
    const element = box.current!;
    const key = keyOfHistory();
    if (key === undefined) return undefined;
    const place = places.get(key);
    let tries = 0;
    // Until the page is as high as it was.
    const timer = setInterval(() => {
      if (place !== undefined) element.scrollTop = place;
      if (place === undefined || element.scrollTop >= place - 1 || ++tries === TRIES) clearInterval(timer);
    }, TRY_MS);
    const keep = () => places.set(key, element.scrollTop);
    element.addEventListener("scroll", keep, { passive: true });
    return () => {
      clearInterval(timer);
      element.removeEventListener("scroll", keep);
    };
  }, [location]);
}

/** Absent in a browser that does not have the Navigation API. */
function keyOfHistory(): string | undefined {
  return (globalThis as { navigation?: { currentEntry: { key: string } | null } }).navigation?.currentEntry?.key;
}
