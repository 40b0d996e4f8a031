// Separates pasted from typed lines by their timing: a terminal delivers both one by one. Used by converse.ts.

/** Nobody types two lines this fast. */
const PASTE_MS = 40;

/** Calls `take` with one typed line, or with all lines of a paste. */
export function gatherPasted(take: (lines: string[]) => void): { add(line: string): void; flush(): void } {
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    const gathered = lines;
    lines = [];
    if (gathered.length > 0) take(gathered);
  };
  return {
    add(line) {
      lines.push(line);
      clearTimeout(timer);
      timer = setTimeout(flush, PASTE_MS);
    },
    flush,
  };
}
