// The sessions of an export: which may be read, and their logs, redacted. One reader for each page, so a session that is asked for twice is
// read once. Wakes a bounded number of sessions.
import type { Result } from "../../../core/errors.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import type { LeftOutReason } from "../../../core/schemas/trajectories.ts";
import type { Origin } from "../../../core/schemas/sessions/origin.ts";
import type { TrajectoryHead, TrajectoryLogPage } from "../../../core/session/moving/read-trajectory.ts";
import { isOfOwner } from "../../../core/trajectories/filter.ts";
import type { Redactor } from "../../../core/trajectories/redact.ts";
import type { TrajectorySource } from "../../../core/trajectories/trajectory.ts";
import type { Env } from "../env.ts";
import { openSession } from "../sessions/session-rpc.ts";

/** [own] Characters of one log. With its redacted copy and its lines it is far below the 128 MB of an isolate [cf]. */
const MAX_LOG_CHARS = 6_000_000;
/** Codes of a session that was deleted, or never came to be. */
const MISSING = ["session_not_found", "session_gone"];

export interface ReadSession {
  source: TrajectorySource;
  branchedFrom: Origin[];
}

/** `null`: there is no such session. */
export type SessionRead = ReadSession | { leftOut: LeftOutReason } | null;

export interface SessionSources {
  /** `named`: a person asked for this session, so it may be one that does not learn. */
  read(session: SessionId, named?: boolean): Promise<SessionRead>;
  /** Sessions that were woken so far, and the characters of the logs that were read. All are kept until the page is written. */
  woken(): number;
  chars(): number;
}

export function openSessionSources(env: Env, profile: ProfileId, redactor: Redactor): SessionSources {
  const known = new Map<SessionId, Promise<SessionRead>>();
  const heads = new Map<SessionId, Promise<TrajectoryHead | null>>();
  const woken = new Set<SessionId>();
  let readChars = 0;

  function readPage(session: SessionId, after: number): Promise<Result<TrajectoryLogPage>> {
    woken.add(session);
    return openSession(env, profile, session).readTrajectory(after) as Promise<Result<TrajectoryLogPage>>;
  }

  function readHead(session: SessionId): Promise<TrajectoryHead | null> {
    const head = heads.get(session) ?? readPage(session, 0).then((page) => (page.ok ? page.value.head : null));
    heads.set(session, head);
    return head;
  }

  /** Work that a session was given is as much the owner's as the conversation that it came from. */
  async function judgeParents(parent: SessionId | null): Promise<LeftOutReason | null> {
    for (let next = parent; next !== null;) {
      const head = await readHead(next);
      if (!head || !head.learning || head.kind === "webhook" || head.chat !== null) return "parent";
      next = head.parent;
    }
    return null;
  }

  async function read(session: SessionId, named: boolean): Promise<SessionRead> {
    const first = await readPage(session, 0);
    if (!first.ok) return toMissing(first.failure.code);
    const head = first.value.head!;
    if (!head.learning && !named) return { leftOut: "learning_off" };
    if (head.kind === "webhook" || head.chat === "shared") return { leftOut: "other_people" };
    const parents = await judgeParents(head.parent);
    if (parents !== null) return { leftOut: parents };
    const entries = await readLog(session, first.value);
    if (entries === null) return { leftOut: "too_large" };
    if (!isOfOwner(entries.all)) return { leftOut: "other_people" };
    readChars += entries.chars;
    const { tools, turns, undone, branchedFrom } = head;
    const redacted = entries.all.map((entry) => redactor.entry(entry));
    const inherited = branchedFrom.at(-1)?.turn ?? 0;
    // Descriptions of clients and of MCP servers may hold anything. Names stay, because calls have them.
    const offered = tools.map((tool) => ({ ...redactor.deep(tool), name: tool.name }));
    const source = { session, tools: offered, turns, undone, inherited, entries: redacted };
    return { source, branchedFrom };
  }

  /** `null`: the log is too large, or the session was deleted meanwhile. */
  async function readLog(
    session: SessionId,
    first: TrajectoryLogPage,
  ): Promise<{ all: Entry[]; chars: number } | null> {
    const all = [...first.entries];
    let chars = countChars(first.entries);
    for (let { next } = first; next !== null;) {
      if (chars > MAX_LOG_CHARS) return null;
      const page = await readPage(session, next);
      if (!page.ok) return null;
      all.push(...page.value.entries);
      chars += countChars(page.value.entries);
      ({ next } = page.value);
    }
    return chars > MAX_LOG_CHARS ? null : { all, chars };
  }

  return {
    read(session, named = false) {
      const reading = known.get(session) ?? read(session, named);
      known.set(session, reading);
      return reading;
    },
    woken: () => woken.size,
    chars: () => readChars,
  };
}

function toMissing(code: string): SessionRead {
  if (code === "trajectory_too_large") return { leftOut: "too_large" };
  if (MISSING.includes(code)) return null;
  throw new Error(`a session answered ${code}`);
}

function countChars(entries: Entry[]): number {
  return entries.reduce((sum, entry) => sum + JSON.stringify(entry).length, 0);
}
