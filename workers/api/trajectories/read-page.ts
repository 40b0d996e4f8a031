// One page of a profile's data to train on: reads sessions from a place on, newest first, until the page is full; pairs of skills' texts
// come last. Called by the route and by training. Consent is asked at each page, so a withdrawal holds at once.
import { err, ok } from "../../../core/errors.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { LeftOut, TrajectoryAsked, TrajectoryPage, TrajectoryPlace } from "../../../core/schemas/trajectories.ts";
import { compressTrajectory } from "../../../core/trajectories/compress.ts";
import { toTurnTest } from "../../../core/trajectories/filter.ts";
import { toOpenAi } from "../../../core/trajectories/openai.ts";
import type { ReadTrajectoryPage } from "../../../core/trajectories/pages.ts";
import { readTrajectories } from "../../../core/trajectories/read-session.ts";
import { type Redactor, countRedactions, createRedactor } from "../../../core/trajectories/redact.ts";
import { toShareGpt } from "../../../core/trajectories/sharegpt.ts";
import type { Env } from "../env.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { assertConsent } from "./consent.ts";
import { openPairFinder } from "./find-pairs.ts";
import { type ReadSession, openSessionSources } from "./session-sources.ts";
import { readSkillPairs } from "./skill-pairs.ts";

/** [own] Sessions of one page that are read on its own account: each is a call that wakes an object. */
const SESSIONS_A_PAGE = 25;
/** With those that are read for pairs and for their parents. */
const WOKEN_A_PAGE = 60;
/** [own] Characters of logs, and of lines, after which a page begins no further session. */
const PAGE_CHARS = 4_000_000;
/** [own] Characters of logs after which no further session is read for pairs: all are in memory at once. */
const PAIRED_CHARS = 8_000_000;
/** [own] Characters of one session's lines: each compaction begins a conversation, which may repeat much of the one before. */
const SESSION_CHARS = 12_000_000;

export function openTrajectoryReader(env: Env, profile: ProfileId): ReadTrajectoryPage {
  return async (asked, place) => {
    const consent = await assertConsent(env, profile);
    if (!consent.ok) return consent;
    const known = await env.CHANNELS.getByName(profile).knownIds();
    const redactor = createRedactor({ salt: consent.value, profile, known });
    if (place.in === "skills") {
      const { pairs, next } = await readSkillPairs({ env, profile, redactor }, asked, place.after);
      return ok(
        toPage(
          pairs.map((pair) => JSON.stringify(pair)),
          { next, leftOut: {} },
        ),
      );
    }
    return readSessions({ env, profile, redactor }, asked, place);
  };
}

interface PageScope {
  env: Env;
  profile: ProfileId;
  redactor: Redactor;
}

type SessionPlace = Extract<TrajectoryPlace, { in: "sessions" }>;

async function readSessions(
  { env, profile, redactor }: PageScope,
  asked: TrajectoryAsked,
  place: SessionPlace,
): ReturnType<ReadTrajectoryPage> {
  const listed = await listSessions(env, profile, asked, place);
  if (asked.session !== undefined && listed.length === 0) {
    return err(
      "session_not_found",
      "This profile has no session with that id. List the sessions with GET /v1/sessions.",
    );
  }
  const sources = openSessionSources(env, profile, redactor);
  const mayWake = () => sources.woken() < WOKEN_A_PAGE && sources.chars() < PAIRED_CHARS;
  const pairs = openPairFinder({ env, profile, sources, mayWake });
  const lines: string[] = [];
  const leftOut: LeftOut = {};
  let chars = 0;
  let last: SessionId | undefined;
  for (const session of listed.slice(0, SESSIONS_A_PAGE)) {
    if (Math.max(chars, sources.chars()) >= PAGE_CHARS || sources.woken() >= WOKEN_A_PAGE) break;
    last = session;
    const read = await sources.read(session, asked.session !== undefined);
    if (read === null) continue;
    if ("leftOut" in read) {
      leftOut[read.leftOut] = (leftOut[read.leftOut] ?? 0) + 1;
      continue;
    }
    const made = asked.format === "preferences" ? await pairs.find(read, asked.filter) : toLines(read, asked);
    if (made.cut) leftOut.too_large = (leftOut.too_large ?? 0) + 1;
    for (const line of made.lines) chars += line.length;
    lines.push(...made.lines);
  }
  const isLast = last === listed.at(-1);
  return ok(toPage(lines, { next: isLast ? afterSessions(asked) : { in: "sessions", after: last }, leftOut }));
}

/** One more than a page reads, so that the last page is known. */
async function listSessions(
  env: Env,
  profile: ProfileId,
  { session }: TrajectoryAsked,
  { after }: SessionPlace,
): Promise<SessionId[]> {
  const account = openAccount(env, profile);
  const listed =
    session === undefined
      ? await account.listSessions({ after, limit: SESSIONS_A_PAGE + 1, kind: "all" })
      : await account.findSessions([session]);
  return listed.map((info) => info.session);
}

function afterSessions({ format, session }: TrajectoryAsked): TrajectoryPlace | null {
  return format === "preferences" && session === undefined ? { in: "skills" } : null;
}

/** `cut`: there are more than one page may have. */
function toLines(
  { source }: ReadSession,
  { format, filter, compress }: TrajectoryAsked,
): { lines: string[]; cut: boolean } {
  const lines: string[] = [];
  let chars = 0;
  for (const whole of readTrajectories(source, toTurnTest(filter, source))) {
    const trajectory = compress === undefined ? whole : compressTrajectory(whole, compress);
    const made = format === "openai" ? toOpenAi(trajectory) : toShareGpt(trajectory);
    if (!made) continue;
    const line = JSON.stringify(made);
    chars += line.length;
    if (lines.length > 0 && chars > SESSION_CHARS) return { lines, cut: true };
    lines.push(line);
  }
  return { lines, cut: false };
}

function toPage(lines: string[], rest: Pick<TrajectoryPage, "next" | "leftOut">): TrajectoryPage {
  return { lines, redactions: countRedactions(lines), ...rest };
}
