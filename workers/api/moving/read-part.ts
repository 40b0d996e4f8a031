// Reads an uploaded part of an archive, strictly: every line must parse, belong to the part's section, and be a row, an object or a fact
// that may travel. Called before a part is stored, and again before it is written. Pure.
import { type Result, err, ok } from "../../../core/errors.ts";
import { ACCOUNT_FATES, ARCHIVE_FATES, type Fate, SESSION_FATES } from "../../../core/moving/stored.ts";
import { Entry } from "../../../core/schemas/entry.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import { MovedLine } from "../../../core/schemas/moving/lines.ts";
import type { Manifest, MovedPart } from "../../../core/schemas/moving/manifest.ts";
import { placeMemory, placeObject } from "../../../stores/moving/import-objects.ts";

const TABLES: Record<"session" | "account" | "archive", Record<string, Fate>> = {
  session: SESSION_FATES,
  account: ACCOUNT_FATES,
  archive: ARCHIVE_FATES,
};
/** Tables of an Account that name a session by its id. */
const NAMES_SESSION = ["session", "session_kind", "session_origin"];

/** `to`: the profile that takes it. Failures: `archive_invalid`, `archive_foreign`. */
export function readLines(text: string, part: MovedPart, manifest: Manifest, to: string): Result<MovedLine[]> {
  const texts = text.split("\n");
  if (texts.pop() !== "" || texts.length !== part.lines)
    return invalid("A part does not have the lines that the manifest says.");
  const lines: MovedLine[] = [];
  for (const [at, one] of texts.entries()) {
    const line = MovedLine.safeParse(parse(one));
    if (!line.success || line.data.in !== part.section) return invalid(`Line ${at + 1} of a part does not parse.`);
    const checked = check(line.data, manifest.profile, to);
    if (!checked.ok) return checked;
    lines.push(line.data);
  }
  return ok(lines);
}

function check(line: MovedLine, from: string, to: string): Result<unknown> {
  switch (line.in) {
    case "object":
      return placeObject(line, { from, to });
    case "memory":
      return placeMemory(line, to);
    case "session":
      if ("whole" in line) return ok(null);
      if (line.table === "overlay") return placeMemory(toOverlayLine(line.row, from), to);
      if (line.table === "entry" && !Entry.safeParse(parse(String(line.row.body))).success) {
        return invalid("An entry of a session does not parse.");
      }
      return checkTable("session", line.table);
    case "account":
      if (NAMES_SESSION.includes(line.table) && !SessionId.safeParse(line.row.id).success) {
        return invalid("The archive lists a session without an id.");
      }
      return checkTable("account", line.table);
    case "archive":
      return checkTable("archive", line.table);
  }
}

/** A recent fact of a session as a line of KV. Its key names the profile that the archive is of. */
export function toOverlayLine(row: Record<string, unknown>, from: string) {
  const [key, root] = [String(row.key), `p/${from}/`];
  return { in: "memory" as const, key: key.startsWith(root) ? key.slice(root.length) : key, value: String(row.value) };
}

function checkTable(section: keyof typeof TABLES, table: string): Result<null> {
  const fates = TABLES[section];
  if (Object.hasOwn(fates, table) && fates[table] === "exported") return ok(null);
  return invalid(`The archive names a table that does not travel: ${JSON.stringify(table)}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema
  }
}

function invalid(message: string) {
  return err("archive_invalid", message);
}
