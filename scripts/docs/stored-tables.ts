// The tables of the Durable Objects as the sources create them, and the statements by which they change tables of earlier versions. Read from
// the texts, as test/docs/storage.test.ts reads them. `npm run docs` adds them to the record in test/fixtures/update/tables.json.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const FOLDERS = ["core", "durable-objects"];
/** Which object a file's tables are in; the first that matches. */
const OBJECTS: [RegExp, string][] = [
  [/^(?:core\/(?:session|workspace)|durable-objects\/session)\//, "Session"],
  [/^(?:core\/archive\/|durable-objects\/archive)/, "Archive"],
  [/^(?:core\/webhooks|durable-objects\/webhooks)\//, "Webhooks"],
  [/^(?:core\/(?:agenda|goals|jobs)|durable-objects\/agenda)\//, "Agenda"],
  [/^(?:core\/board|durable-objects\/board)\//, "Board"],
  [/^(?:core\/experiments|durable-objects\/experiments)\//, "Experiments"],
  [/^(?:core\/channels|durable-objects\/channels)\//, "Channels"],
  [/^(?:core\/hooks|durable-objects)\//, "Account"],
];

/** Definitions of columns and constraints in their order, by table, by object. */
export type StoredTables = Record<string, Record<string, string[]>>;

export function readStoredTables(): StoredTables {
  const tables: StoredTables = {};
  for (const { path, text } of readSources()) {
    const object = OBJECTS.find(([pattern]) => pattern.test(path))?.[1] ?? path;
    for (const match of text.matchAll(/CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?(\w+)\s*(?:USING \w+)?\s*\(/g)) {
      const inner = readParentheses(text, match.index + match[0].length);
      ((tables[object] ??= {})[match[1]!] ??= []).push(...splitAtCommas(inner));
    }
  }
  return sortKeys(tables);
}

/** Statements that drop, rename or rewrite what an earlier version stored, each with its file. */
export function readRewrites(): string[] {
  const everywhere = /\b(?:ALTER TABLE \S+ (?:RENAME|DROP)[^"`]*|DROP TABLE[^"`]*)/g;
  const inUpgrades = /["`]((?:UPDATE|DELETE FROM|INSERT INTO \w+ SELECT)\b[^"`]*)/g;
  return readSources()
    .flatMap(({ path, text }) => {
      const upgrades = [...text.matchAll(/function (?:migrate|upgrade)\w*\([^)]*\)[^{]*\{/g)].map((match) =>
        text.slice(match.index, text.indexOf("\n}\n", match.index)),
      );
      const found = [
        ...[...text.matchAll(everywhere)].map(([statement]) => statement),
        ...upgrades.flatMap((body) => [...body.matchAll(inUpgrades)].map((match) => match[1]!)),
      ];
      return found.map((statement) => `${path}: ${normalise(statement)}`);
    })
    .sort();
}

/** The record of all tables with what is new, as a file. What is gone stays in it, so that a test fails. */
export function toTablesRecord(before: string): string {
  const recorded = before === "" ? {} : (JSON.parse(before) as StoredTables);
  return `${JSON.stringify(addTables(recorded, readStoredTables()), null, 1)}\n`;
}

export function addTables(recorded: StoredTables, present: StoredTables): StoredTables {
  const objects = [...new Set([...Object.keys(recorded), ...Object.keys(present)])];
  const merged = objects.map((object) => {
    const [before, now] = [recorded[object] ?? {}, present[object] ?? {}];
    const tables = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    const all = tables.map((table) => [table, addDefinitions(before[table] ?? [], now[table] ?? [])] as const);
    return [object, Object.fromEntries(all)] as const;
  });
  return sortKeys(Object.fromEntries(merged));
}

/** In the order of the present ones, if all recorded ones are among them. */
function addDefinitions(before: string[], now: string[]): string[] {
  const isGrown = before.every((definition) => now.includes(definition));
  return isGrown ? now : [...before, ...now.filter((definition) => !before.includes(definition))];
}

/** Tables and definitions of `before` that `after` does not have in the same order. Inserts without names depend on the order. */
export function findLosses(before: StoredTables, after: StoredTables): string[] {
  return Object.entries(before).flatMap(([object, tables]) =>
    Object.entries(tables).flatMap(([table, definitions]) => {
      const now = after[object]?.[table];
      if (now === undefined) return [`${object}.${table}`];
      let from = 0;
      return definitions.flatMap((definition) => {
        const at = now.indexOf(definition, from);
        if (at < 0) return [`${object}.${table}: ${definition}`];
        from = at + 1;
        return [];
      });
    }),
  );
}

function readSources(): { path: string; text: string }[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join(folder, path).replaceAll("\\", "/"))
      .sort()
      .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") })),
  );
}

/** From behind an opening parenthesis to its closing one. */
function readParentheses(text: string, start: number): string {
  let depth = 1;
  for (let i = start; i < text.length; i += 1) {
    if (text[i] === "(") depth += 1;
    if (text[i] === ")" && --depth === 0) return text.slice(start, i);
  }
  throw new Error(`no end of ${text.slice(start, start + 60)}`);
}

function splitAtCommas(text: string): string[] {
  const parts = [""];
  let depth = 0;
  for (const char of text) {
    depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    if (char === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += char;
  }
  return parts.map(normalise);
}

function normalise(sql: string): string {
  return sql.replace(/\s+/g, " ").replaceAll('\\"', '"').trim();
}

function sortKeys(tables: StoredTables): StoredTables {
  const sorted = <T>(record: Record<string, T>) => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted(tables).map(([object, all]) => [object, Object.fromEntries(sorted(all))]));
}
