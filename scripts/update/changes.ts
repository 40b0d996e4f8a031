// What a new version brings, for a person: the lines that CHANGELOG.md gained, and whether stored forms change. Reads git's objects only.
import { toSeenLine } from "../../cli/output/plain-text.ts";
import { askGit } from "./command.ts";
import { blobOf } from "./checkout.ts";

/** The record of all tables; a test keeps it whole (test/update/tables.test.ts). */
const TABLES = "test/fixtures/update/tables.json";
const CHANGELOG = "CHANGELOG.md";
const SHOWN = 40;
const SHOWN_COLUMNS = 8;

/** The entries that were added between two commits, without their continuation lines cut: at most 40, then how many more. */
export function listChanges(root: string, from: string, to: string): string[] {
  const diff = askGit(root, ["diff", "--unified=0", "--no-color", from, to, "--", CHANGELOG]);
  const added = diff.split("\n").flatMap((line) => (/^\+(?!\+\+)/.test(line) ? [line.slice(1)] : []));
  const entries: string[] = [];
  for (const line of added) {
    if (/^(?:- |#)/.test(line)) entries.push(line);
    else if (entries.length > 0 && line.trim() !== "") entries.push(`${entries.pop()} ${line.trim()}`);
  }
  const changes = entries.filter((line) => line.startsWith("- ")).map(toSeenLine);
  const more = changes.length - SHOWN;
  return more > 0 ? [...changes.slice(0, SHOWN), `… and ${more} more in ${CHANGELOG}`] : changes;
}

/** A sentence about the SQLite tables of the two versions. */
export function describeStoredForms(root: string, from: string, to: string): string {
  if (blobOf(root, from, TABLES) === blobOf(root, to, TABLES)) return "Stored forms: the tables stay as they are.";
  const [old, next] = [from, to].map((commit) => readTables(root, commit)) as [Set<string>, Set<string>];
  const list = (columns: string[]) =>
    columns.slice(0, SHOWN_COLUMNS).join(", ") + (columns.length > SHOWN_COLUMNS ? ", …" : "");
  const added = [...next].filter((column) => !old.has(column));
  const gone = [...old].filter((column) => !next.has(column));
  const changes = [
    ...(added.length > 0 ? [`${added.length} columns are added (${list(added)})`] : []),
    ...(gone.length > 0 ? [`${gone.length} columns are gone (${list(gone)})`] : []),
  ];
  return `Stored forms: ${changes.join("; ") || "the tables stay as they are"}.`;
}

function readTables(root: string, commit: string): Set<string> {
  try {
    const tables = JSON.parse(askGit(root, ["show", `${commit}:${TABLES}`])) as Record<
      string,
      Record<string, string[]>
    >;
    return new Set(
      Object.entries(tables).flatMap(([object, all]) =>
        Object.entries(all).flatMap(([table, columns]) => columns.map((column) => `${object}.${table}.${column}`)),
      ),
    );
  } catch {
    return new Set(); // that version kept no record
  }
}
