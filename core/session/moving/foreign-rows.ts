// What remains of a session's rows in an archive that no trusted deployment has signed. Anyone may have written it, so nothing in it was
// said by the person or measured by the harness: every part becomes `content`. What gives rights or runs later is left out: the prompt,
// allowances, questions, jobs, idempotency keys, ratings. Pure.
import { type Result, err, ok } from "../../errors.ts";
import { Entry, NO_STATS } from "../../schemas/entry.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { fromBase64 } from "../../schemas/base64.ts";
import type { MovedRow, MovedSessionRow } from "../../schemas/moving/lines.ts";
import type { SessionMeta } from "../context.ts";

const TITLE_CHARS = 200;
const STATES = ["done", "failed", "stopped"];

/** `null`: it is left out. `now`: for a session without a time. Failure: `archive_invalid`. */
export function toForeignRow({ table, row }: MovedSessionRow, now: number): Result<MovedSessionRow | null> {
  switch (table) {
    case "meta":
      return row.key === "session" ? toMeta(row, now) : ok(row.key === "schema" ? { table, row } : null);
    case "turn":
      return ok(toTurn(row));
    case "entry":
      return toEntry(row);
    case "file_node":
      return ok({ table, row: { ...row, writer: "content" } });
    case "file_part": {
      const { hash, data } = row;
      const bytes = data !== null && typeof data === "object" ? fromBase64(data.base64) : null;
      if (bytes && sha256Hex(bytes) === hash) return ok({ table, row });
      return err("archive_invalid", "A part of a file has another SHA-256 than its name.");
    }
    case "image":
      return ok({ table, row: { ...row, description: null, described_by: null } });
    case "image_part":
      return ok({ table, row });
    default:
      return ok(null);
  }
}

function toMeta(row: MovedRow, now: number): Result<MovedSessionRow> {
  const given = parse(row.value) as Partial<SessionMeta> | null;
  const meta: SessionMeta = {
    v: 1,
    learning: "off",
    title: typeof given?.title === "string" ? given.title.slice(0, TITLE_CHARS).toWellFormed() : "",
    createdAt: Number.isSafeInteger(given?.createdAt) ? given!.createdAt! : now,
  };
  return ok({ table: "meta", row: { key: "session", value: JSON.stringify(meta) } });
}

/** A turn that had not ended was never answered here. */
function toTurn(row: MovedRow): MovedSessionRow {
  const { n = null, input = null, final = null, started_at: startedAt = null, ended_at: endedAt = null } = row;
  const isOver = STATES.includes(String(row.state)) && final !== null;
  return {
    table: "turn",
    row: {
      ...{ n, state: isOver ? String(row.state) : "stopped", waiting: null, input, final, attempts: 1 },
      ...{ stats: JSON.stringify(NO_STATS), started_at: startedAt, ended_at: endedAt ?? startedAt },
      ...{ more: JSON.stringify({ reason: "imported" }), observed: null },
    },
  };
}

function toEntry({ n = null, turn = null, body = null }: MovedRow): Result<MovedSessionRow> {
  const parsed = Entry.safeParse(parse(body));
  if (!parsed.success || parsed.data.n !== n || parsed.data.turn !== turn) {
    return err("archive_invalid", "An entry of a session does not parse.");
  }
  const entry = { ...parsed.data, parts: parsed.data.parts.map((part) => ({ ...part, source: "content" as const })) };
  if (entry.kind === "assistant") delete entry.answer.native;
  return ok({ table: "entry", row: { n, turn, body: JSON.stringify(entry) } });
}

function parse(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null; // refused or replaced by the caller
  }
}
