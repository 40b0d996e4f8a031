// The input files of bench:limits: as large as a workspace allows, in the most expensive shapes. The contents are generated and
// deterministic.
export type FixtureName = keyof typeof FIXTURES;

const SIZE = 10 << 20;

/** Fixtures by name. Each is a complete workspace. */
export const FIXTURES = {
  empty: () => ({}),
  /** Rows of a typical table. */
  lines: () => ({ big: fill((i) => `${i},name ${i % 997},${(i * 37) % 1000}.5,2026-01-${(i % 28) + 1}\n`) }),
  /** A server's log: about 100 bytes per line, all lines different. */
  log: () => ({ big: Array.from({ length: 100_000 }, (_, i) => logLine(i)).join("") }),
  /** Five million lines. */
  short: () => ({ big: fill((i) => `${i % 10}\n`) }),
  one: () => ({ big: fill((i) => `word${i % 1000} `) }),
  utf8: () => ({ big: fill((i) => `строка ${i} 日本語 🙂 ü\n`) }),
  utf8one: () => ({ big: fill((i) => `日本語${i % 10}🙂`) }),
  binary: () => ({ big: random() }),
  zeros: () => ({ big: new Uint8Array(SIZE) }),
  json: () => ({ big: toJson() }),
  jsonl: () => ({ big: fill((i) => `{"id":${i},"name":"n${i % 997}","tags":["a","b"],"n":${i % 13}}\n`) }),
  /** A full workspace of the largest files. */
  five: () =>
    Object.fromEntries([1, 2, 3, 4, 5].map((i) => [`d/${i}`, fill((j) => `${i} ${j} some words of a line\n`)])),
  /** A full workspace of files that are small enough for search_files. */
  searched: () =>
    Object.fromEntries(
      Array.from({ length: 24 }, (_, i) => [`d/${i}.txt`, fill((j) => `${i} ${j} some words\n`, 2 << 20)]),
    ),
  /** About the maximum number of files. */
  many: () =>
    Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`d${i % 100}/file-${i}.txt`, `line ${i}\n`])),
} satisfies Record<string, () => Record<string, Uint8Array | string>>;

function fill(line: (i: number) => string, size = SIZE): Uint8Array {
  const bytes = new Uint8Array(size);
  const encoder = new TextEncoder();
  let at = 0;
  for (let i = 0; ; i++) {
    const { read, written } = encoder.encodeInto(line(i), bytes.subarray(at));
    if (read < line(i).length) return bytes.subarray(0, at);
    at += written;
  }
}

function logLine(i: number): string {
  const at = `2026-01-${(i % 28) + 10} 12:${(i % 50) + 10}:07.${(i * 7919) % 1000}`;
  return `${at} INFO  worker-${i % 16} request ${i} GET /v1/items/${(i * 37) % 9973} status=200 took=${(i * 31) % 997}ms user=u${i % 4001}\n`;
}

function toJson(): Uint8Array {
  const rows = new TextDecoder().decode(fill((i) => `{"id":${i},"name":"n${i % 997}","n":${i % 13}},\n`, SIZE - 100));
  return new TextEncoder().encode(`[${rows.slice(0, rows.lastIndexOf("},\n") + 1)}]`);
}

function random(): Uint8Array {
  const bytes = new Uint8Array(SIZE);
  let x = 1;
  for (let i = 0; i < SIZE; i++) {
    x = (Math.imul(x, 1_103_515_245) + 12_345) | 0;
    bytes[i] = x >>> 16;
  }
  return bytes;
}
