// One part of an export: reads the profile's objects and stores from a place on, until the part is full or its section ends. Called by
// export.ts. Sessions come first and the Account last, so that no row of the Account names a session that is missing.
import { type Failure, type Result, ok } from "../../../core/errors.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import { type ExportPlace, MOVED_SECTIONS, type MovedSection } from "../../../core/schemas/moving/lines.ts";
import { exportMemory } from "../../../stores/moving/export-memory.ts";
import { exportObjects } from "../../../stores/moving/export-objects.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { toKeyValue } from "../../../stores/platform/kv.ts";
import type { Env } from "../env.ts";
import { openArchive, openSession } from "../sessions/session-rpc.ts";
import { openDesk } from "./open-desk.ts";

/** [own] Characters of a part. Base64 and JSON included, it is far below the 32 MB of a call and the 128 MB of an isolate [cf]. */
const PART_CHARS = 4_000_000;
/** Sessions of one part: each is a call that wakes an object. */
const SESSIONS_A_PART = 50;
/** Codes of a session that was deleted, or never came to be. */
const MISSING = ["session_not_found", "session_gone"];

export interface ExportedPart {
  section: MovedSection;
  lines: string[];
  /** `null`: this was the last part. */
  next: ExportPlace | null;
}

export const EXPORT_START: ExportPlace = { in: "session", last: "", open: null };

/** A part may have no lines. Failures: `session_changing`, `profile_gone`. */
export async function readPart(env: Env, profile: ProfileId, place: ExportPlace): Promise<Result<ExportedPart>> {
  const read = await readSection(env, profile, place);
  if (!read.ok) return read;
  const { lines, next } = read.value;
  return ok({ section: place.in, lines, next: next ?? beginAfter(place) });
}

function beginAfter({ in: section, last }: ExportPlace): ExportPlace | null {
  const next = MOVED_SECTIONS[MOVED_SECTIONS.indexOf(section) + 1];
  switch (next) {
    case "object":
      return { in: next, last, place: { step: "index" } };
    case "memory":
      return { in: next, last, cursor: null };
    case "archive":
    case "account":
      return { in: next, last, place: null };
    default:
      return null;
  }
}

type Read = Result<{ lines: string[]; next: ExportPlace | null }, Failure>;

async function readSection(env: Env, profile: ProfileId, place: ExportPlace): Promise<Read> {
  switch (place.in) {
    case "session":
      return readSessions(env, profile, place);
    case "object": {
      const page = await exportObjects({ bucket: toBucket(env.SKILLS), profile }, place.place, PART_CHARS);
      return ok({ lines: page.lines, next: page.next && { ...place, place: page.next } });
    }
    case "memory": {
      const page = await exportMemory({ kv: toKeyValue(env.MEMORY), profile }, place.cursor);
      return ok({ lines: page.lines, next: page.next === null ? null : { ...place, cursor: page.next } });
    }
    case "archive": {
      const page = await openArchive(env, profile).exportPage(place.place, PART_CHARS);
      return ok({ lines: page.lines, next: page.next && { ...place, place: page.next } });
    }
    case "account": {
      const asked = { place: place.place, maxChars: PART_CHARS, last: place.last };
      const page = await openDesk(env, profile).exportPage(asked);
      if (!page.ok) return page;
      return ok({ lines: page.value.lines, next: page.value.next && { ...place, place: page.value.next } });
    }
  }
}

/** Whole sessions while they fit, then the beginning of the next one, which continues in the next part. */
async function readSessions(
  env: Env,
  profile: ProfileId,
  { last, open }: Extract<ExportPlace, { in: "session" }>,
): Promise<Read> {
  const lines: string[] = [];
  let chars = 0;
  let done = last;
  let ids: SessionId[] = open ? [open.id] : [];
  let from = open;
  for (let count = 0; ; count++) {
    if (ids.length === 0) {
      const listed = await openDesk(env, profile).sessions(done);
      if (!listed.ok) return listed;
      if (listed.value.length === 0) return ok({ lines, next: beginAfter({ in: "session", last: done, open: null }) });
      ids = listed.value;
    }
    if (count >= SESSIONS_A_PART || chars >= PART_CHARS)
      return ok({ lines, next: { in: "session", last: done, open: null } });
    const id = ids.shift()!;
    const asked = { place: from?.place ?? null, stamp: from?.stamp ?? null, maxChars: PART_CHARS - chars };
    from = null;
    const page = await openSession(env, profile, id).exportPage(asked);
    if (!page.ok && !MISSING.includes(page.failure.code)) return page;
    if (page.ok) {
      for (const line of page.value.lines) chars += line.length;
      lines.push(...page.value.lines);
      const { next, stamp } = page.value;
      if (next) return ok({ lines, next: { in: "session", last: done, open: { id, place: next, stamp } } });
    }
    done = id;
  }
}
