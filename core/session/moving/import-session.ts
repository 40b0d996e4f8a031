// A session on its way in: takes its rows page by page, and begins to exist with `adoptSession`. Until then its record says `moving`, and
// the engine answers that there is no such session. A session that exists is never changed. Called by the engine.
import { type Result, err, ok } from "../../errors.ts";
import { SESSION_FATES, travellingTables } from "../../moving/stored.ts";
import { putMovedRow } from "../../moving/table-pages.ts";
import type { MovedRow, MovedSessionRow } from "../../schemas/moving/lines.ts";
import type { SessionMeta } from "../context.ts";
import { createImageTables } from "../images/image-rows.ts";
import { indexInherited } from "../index-messages.ts";
import { toForeignRow } from "./foreign-rows.ts";
import type { Engine } from "../open-engine.ts";
import { SCHEMA_VERSION, createTables, hasTables } from "../schema.ts";

const TABLES = travellingTables(SESSION_FATES);
const IMAGE_TABLES = ["image", "image_part"];
/** What the origin still had to do that only its deployment can. */
const JOBS_STAY = ["hook", "drive", "deliver"];

/** `trusted`: else the rows become what anyone may bring (foreign-rows.ts). Idempotent. Failures: `archive_version`, `archive_invalid`. */
export function importSession(engine: Engine, rows: MovedSessionRow[], trusted: boolean): Result<"taken" | "exists"> {
  const { context } = engine;
  const { sql } = context.host;
  if (engine.known) return ok("exists");
  try {
    sql.transaction(() => {
      if (!hasTables(sql)) createTables(sql);
      for (const moved of rows) {
        const taken = trusted ? ok(moved) : toForeignRow(moved, context.host.clock.now());
        if (!taken.ok) throw new Refused(taken.failure.code, taken.failure.message);
        if (taken.value) put(engine, taken.value);
      }
    });
  } catch (error) {
    if (error instanceof Refused) return error.failure;
    throw error;
  } finally {
    context.log.forget(); // rows were written past its caches
    context.jobs.forget();
    context.images.forget();
  }
  return ok("taken");
}

/**
 * From here on the session exists. Turns that were open are stopped: at the origin they may go on, and what they do outside must not
 * happen twice. All messages are to be indexed. Idempotent. False: no row of the session has arrived.
 */
export function adoptSession(engine: Engine): boolean {
  if (engine.known) return true;
  const { context, driver } = engine;
  const { host, log } = context;
  if (!hasTables(host.sql) || !log.meta<SessionMeta>("session")) return false;
  // All of this is one synchronous step: no other call meets a session that is half adopted.
  engine.known = true;
  try {
    driver.stop();
    host.sql.transaction(() => {
      // The goal stays with the Agenda of the origin, and its chat with the channels there.
      const { moving: _, indexYear: __, goal: ___, ...meta } = context.meta();
      log.setMeta("session", meta satisfies SessionMeta);
      const newest = log.newestBegun();
      if (newest > 0) indexInherited(context, newest);
    });
  } catch (error) {
    engine.known = false;
    throw error;
  }
  return true;
}

class Refused extends Error {
  readonly failure: { ok: false; failure: { code: string; message: string } };
  constructor(code: string, message: string) {
    super(message);
    this.failure = err(code, message);
  }
}

/** Throws `Refused`, which takes the transaction back. */
function put({ context }: Engine, { table, row }: MovedSessionRow): void {
  const { sql } = context.host;
  if (!TABLES.includes(table)) throw new Refused("archive_invalid", `A session has no table ${table.slice(0, 40)}.`);
  if (table === "overlay") return;
  if (table === "job" && JOBS_STAY.includes(kindOf(row))) return;
  if (table === "meta" && row.key === "schema") {
    if (row.value === JSON.stringify(SCHEMA_VERSION)) return;
    throw new Refused(
      "archive_version",
      "Another version of Talaria wrote the archive: its sessions have another form.",
    );
  }
  const isRecord = table === "meta" && row.key === "session";
  if (IMAGE_TABLES.includes(table)) createImageTables(sql);
  const result = putMovedRow(sql, table, isRecord ? { ...row, value: markMoving(row) } : row);
  if (!result.ok) throw new Refused(result.failure.code, result.failure.message);
}

function markMoving({ value }: MovedRow): string {
  try {
    return JSON.stringify({ ...(JSON.parse(String(value)) as SessionMeta), moving: true } satisfies SessionMeta);
  } catch {
    throw new Refused("archive_invalid", "The record of a session is not JSON.");
  }
}

function kindOf({ body }: MovedRow): string {
  try {
    return String((JSON.parse(String(body)) as { kind?: unknown }).kind);
  } catch {
    throw new Refused("archive_invalid", "A job of a session is not JSON.");
  }
}
