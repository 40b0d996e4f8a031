// Carries out an import, one bounded step a request: each part in an order in which nothing names what is missing, then the sessions, which
// begin to exist last. Every step may be repeated: what exists stays as it is. Called by import.ts.
import { type Result, err, ok } from "../../../core/errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../../core/map-limit.ts";
import { DAY_MS, type ProfileId, dayOf } from "../../../core/schemas/ids.ts";
import type { MovedLine, MovedSection } from "../../../core/schemas/moving/lines.ts";
import type { CommitPlace, CommittedImport, MovedPart, StoredImport } from "../../../core/schemas/moving/manifest.ts";
import { createCurationStore } from "../../../stores/curation/curation-store.ts";
import { isGone, profileGone } from "../../../stores/deleted.ts";
import { keyOf } from "../../../stores/keys.ts";
import { placeMemory, placeObject, putMemory, putPlaced } from "../../../stores/moving/import-objects.ts";
import { toKeyValue } from "../../../stores/platform/kv.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { openAccount, openArchive, openSession } from "../sessions/session-rpc.ts";
import { FOREIGN_ORDER, writeForeign } from "./foreign.ts";
import { type WriteScope, type Written, writeSessions } from "./write-sessions.ts";
import { openDesk } from "./open-desk.ts";
import { readLines, toOverlayLine } from "./read-part.ts";
import { type Import, assertEmpty, discardParts, listMissing } from "./staging.ts";

/** Sessions that begin to exist in one step: each is a call that wakes an object. */
const SESSIONS_A_STEP = 50;
/** The Account first: sessions of which it has no row are left out. */
const ORDER: MovedSection[] = ["account", "archive", "object", "memory", "session"];
const START: CommitPlace = { step: 0, after: "", report: { sessions: 0, skills: 0, facts: 0 } };

/** Failures: `import_incomplete`, `profile_not_empty`, `profile_gone`, and those of a part that cannot be read. */
export async function commitStep(
  env: Env,
  profile: ProfileId,
  { stored, manifest, etag }: Import,
  place: CommitPlace = START,
): Promise<Result<CommittedImport>> {
  const bucket = toBucket(env.SKILLS);
  if (await isGone(bucket, profile)) throw profileGone();
  const order = stored.trusted ? ORDER : FOREIGN_ORDER;
  const parts = order.flatMap((section) => {
    const own = manifest.parts.filter((part) => part.section === section);
    return !stored.trusted && section === "object" ? own.toReversed() : own;
  });
  const steps = parts.length + 1;
  if (stored.phase === "done") return ok({ steps, skipped: [], ...(stored.report && { report: stored.report }) });
  if (stored.phase === "staged") {
    const missing = await listMissing(bucket, profile, manifest);
    if (missing.length > 0) {
      return err("import_incomplete", `${missing.length} parts are still missing. Upload them, then commit.`, {
        missing: missing.length,
      });
    }
    const empty = await assertEmpty(env, profile);
    if (!empty.ok) return empty;
    const begun: StoredImport = { ...stored, phase: "writing" };
    const swapped = await bucket.put(keyOf("importState", { profile }), JSON.stringify(begun), { ifMatch: etag });
    if (!swapped)
      return err("import_running", "The import was changed by another request. Ask for its state, then commit again.");
  }
  const part = parts[place.step];
  if (!part) return adoptSome(env, profile, { stored, place, steps });
  const lines = await readStaged(env, profile, { part, manifest });
  if (!lines.ok) return lines;
  const scope = { env, profile, from: manifest.profile };
  const written = stored.trusted ? await writeTrusted(scope, lines.value) : await writeForeign(scope, lines.value);
  if (!written.ok) return written;
  const { skills, facts, skipped } = written.value;
  const report = { ...place.report, skills: place.report.skills + skills, facts: place.report.facts + facts };
  return ok({ next: { step: place.step + 1, after: "", report }, steps, skipped });
}

async function readStaged(
  env: Env,
  profile: ProfileId,
  { part, manifest }: { part: MovedPart; manifest: Import["manifest"] },
): Promise<Result<MovedLine[]>> {
  const staged = await toBucket(env.SKILLS).get(keyOf("importPart", { profile, sha256: part.sha256 }));
  if (!staged) return err("import_incomplete", "A part of the archive is no longer there. Begin the import again.");
  return readLines(await staged.text(), part, manifest, profile);
}

async function writeTrusted(scope: WriteScope, lines: MovedLine[]): Promise<Result<Written>> {
  const { env, profile } = scope;
  const rows = <Section extends "account" | "archive">(section: Section) =>
    lines.flatMap((line) => (line.in === section ? [{ table: line.table, row: line.row }] : []));
  const [account, archive] = [rows("account"), rows("archive")];
  if (account.length > 0) {
    const put = await openDesk(env, profile).importPage(account);
    if (!put.ok) return put;
  }
  if (archive.length > 0) {
    const put = (await openArchive(env, profile).importPage(archive)) as Result<null>;
    if (!put.ok) return put;
  }
  const skills = await writeObjects(scope, lines);
  const facts = await writeFacts(scope, lines);
  const sessions = await writeSessions(scope, lines, true);
  return sessions.ok ? ok({ skills, facts, skipped: [] }) : sessions;
}

/** Returns how many skills they are. */
async function writeObjects({ env, profile, from }: WriteScope, lines: MovedLine[]): Promise<number> {
  const bucket = toBucket(env.SKILLS);
  const placed = lines.flatMap((line) => {
    const object = line.in === "object" ? placeObject(line, { from, to: profile }) : null;
    return object?.ok ? [object.value] : [];
  });
  await mapLimit(placed, MAX_CONNECTIONS, (object) => putPlaced(bucket, object));
  return placed.filter(({ kind }) => kind === "head").length;
}

/** Also those that a session had written a moment before. Returns how many were added. */
async function writeFacts({ env, profile, from }: WriteScope, lines: MovedLine[]): Promise<number> {
  const kv = toKeyValue(env.MEMORY);
  const values = new Map<string, string>();
  let added = 0;
  for (const line of lines) {
    const isOverlay = line.in === "session" && !("whole" in line) && line.table === "overlay";
    const fact = line.in === "memory" ? line : isOverlay ? toOverlayLine(line.row, from) : null;
    const placed = fact && placeMemory(fact, profile);
    if (!placed?.ok) continue;
    values.set(placed.value.key, fact!.value);
    if (line.in === "memory" && placed.value.kind === "memoryAdd") added += 1;
  }
  await mapLimit([...values], MAX_CONNECTIONS, ([key, value]) => putMemory(kv, systemClock, key, value));
  return added;
}

/** The last step, as often as it takes. When all sessions exist, the import is done, and what was uploaded is deleted. */
async function adoptSome(
  env: Env,
  profile: ProfileId,
  { stored, place, steps }: { stored: StoredImport; place: CommitPlace; steps: number },
): Promise<Result<CommittedImport>> {
  const desk = openDesk(env, profile);
  const listed = await desk.sessions(place.after);
  if (!listed.ok) return listed;
  const some = listed.value.slice(0, SESSIONS_A_STEP);
  const adopted = await mapLimit(some, MAX_CONNECTIONS, async (session) => {
    const isAdopted = await openSession(env, profile, session).adopt();
    // It began while the profile was exported: the archive has none of its rows.
    if (!isAdopted) await openDesk(env, profile).dropSession(session);
    return isAdopted;
  });
  const report = { ...place.report, sessions: place.report.sessions + adopted.filter(Boolean).length };
  if (some.length > 0) return ok({ next: { step: place.step, after: some.at(-1)!, report }, steps, skipped: [] });

  const bucket = toBucket(env.SKILLS);
  const curation = createCurationStore({ bucket });
  await curation.markSweep(dayOf(Date.now() + parseEnvSettings(env).review.keepDays * DAY_MS), profile);
  await openAccount(env, profile).noteActivity();
  const done: StoredImport = { ...stored, phase: "done", report };
  await bucket.put(keyOf("importState", { profile }), JSON.stringify(done));
  await discardParts(bucket, profile);
  return ok({ steps, skipped: [], report });
}
