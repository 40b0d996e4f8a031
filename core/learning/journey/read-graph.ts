// The graph of what was learned: which skills came from which work, and which were used together. Called by
// workers/api/learning/journey.ts. Reads only. Counts on request; nothing is stored for it.
//
// A skill came from a session when a revision of it was made there: by a review of the session, by one of its turns, or, for the present
// revision, from parts of it that are cited. Two skills were used together when one turn loaded both.
import { MAX_CONNECTIONS, mapLimit } from "../../map-limit.ts";
import type { SkillStore } from "../../ports.ts";
import type { SessionInfo } from "../../schemas/api.ts";
import { type SessionId, type SkillName, type TurnId, fromCitation } from "../../schemas/ids.ts";
import type { TurnSignature } from "../../schemas/learning/learning.ts";
import type { LearningGraph } from "../../schemas/learning/journey.ts";
import type { HeadMirror, SkillHead } from "../../schemas/skill.ts";
import { readOp } from "./read-op.ts";

export interface GraphSources {
  skills: Pick<SkillStore, "scan" | "pastRevisions" | "head">;
  turnsOf(asked: { limit: number }): Promise<TurnSignature[]>;
  findSessions(sessions: SessionId[]): Promise<Pick<SessionInfo, "session" | "title">[]>;
}

const MAX_TURNS = 1_000;
const MAX_REVISIONS = 50_000;
/** [own] More edges than these cannot be told apart. */
const MAX_EDGES = 200;

/** `limit`: how many skills, each one object to read: the most used, then the most recently revised. */
export async function readGraph(sources: GraphSources, limit: number): Promise<LearningGraph> {
  const { skills } = sources;
  const [turns, found] = await Promise.all([sources.turnsOf({ limit: MAX_TURNS }), collectHeads(skills)]);
  const used = countLoaded(turns);
  const usesOf = (name: SkillName) => used.get(name) ?? 0;
  const ranked = [...found].toSorted(
    ([a, x], [b, y]) => usesOf(b) - usesOf(a) || Number(y.revisedAt) - Number(x.revisedAt) || (a < b ? -1 : 1),
  );
  const shown = new Set(ranked.slice(0, limit).map(([name]) => name));
  const heads = (await mapLimit([...shown], MAX_CONNECTIONS, (name) => skills.head(name))).filter(
    (head) => head !== null,
  );
  const from = await findOrigins(skills, heads);
  const together = countTogether(turns, shown);
  const keptFrom = from
    .toSorted((a, b) => b.revisions - a.revisions || compare(keyOf(a), keyOf(b)))
    .slice(0, MAX_EDGES);
  return {
    skills: heads.map(({ name, description, state, origin }) => {
      return { name, description, state, origin, turns: usesOf(name) };
    }),
    work: await describeWork(sources, turns, [...new Set(keptFrom.map(({ session }) => session))]),
    from: keptFrom,
    together: together.slice(0, MAX_EDGES),
    all: { skills: found.size, from: from.length, together: together.length },
  };
}

async function collectHeads(skills: GraphSources["skills"]): Promise<Map<SkillName, HeadMirror>> {
  const found = new Map<SkillName, HeadMirror>();
  for await (const { name, mirror } of skills.scan()) found.set(name, mirror);
  return found;
}

function countLoaded(turns: TurnSignature[]): Map<SkillName, number> {
  const counts = new Map<SkillName, number>();
  for (const turn of turns) for (const name of loadedIn(turn)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function loadedIn({ loaded }: TurnSignature): SkillName[] {
  return [...new Set(loaded.map(({ skill }) => skill))].sort();
}

type Origins = LearningGraph["from"];

async function findOrigins(skills: GraphSources["skills"], heads: SkillHead[]): Promise<Origins> {
  const edges = new Map<string, Origins[number]>();
  const add = (skill: SkillName, session: SessionId, turn: TurnId | undefined) => {
    const known = edges.get(`${skill} ${session}`) ?? { session, skill, revisions: 0 };
    edges.set(`${skill} ${session}`, { ...known, revisions: known.revisions + 1, ...(turn && { turn }) });
  };
  const shown = new Map(heads.map((head) => [head.name, head]));
  let listed = 0;
  for await (const { name, rev, op } of skills.pastRevisions()) {
    if (++listed > MAX_REVISIONS) break;
    const head = shown.get(name);
    const { by, session, turn } = readOp(op);
    if (head && rev < head.rev && session && by !== "evidence") add(name, session, turn);
  }
  for (const { name, op, citations } of heads) {
    const { by, session, turn } = readOp(op);
    const cited = citations.map((citation) => fromCitation(citation).session);
    const made = session && by !== "evidence" ? [session] : [];
    for (const one of new Set([...made, ...cited])) add(name, one, one === session ? turn : undefined);
  }
  return [...edges.values()];
}

/** The most frequent pairs first. */
function countTogether(turns: TurnSignature[], shown: Set<SkillName>): LearningGraph["together"] {
  const pairs = new Map<string, LearningGraph["together"][number]>();
  for (const turn of turns.toSorted((a, b) => a.at - b.at)) {
    const loaded = loadedIn(turn).filter((name) => shown.has(name));
    for (const [i, a] of loaded.entries()) {
      for (const b of loaded.slice(i + 1)) {
        const count = pairs.get(`${a} ${b}`)?.turns ?? 0;
        pairs.set(`${a} ${b}`, { a, b, turns: count + 1, last: turn.turn });
      }
    }
  }
  return [...pairs.values()].toSorted((x, y) => y.turns - x.turns || compare(`${x.a} ${x.b}`, `${y.a} ${y.b}`));
}

/** A deleted session has no title. */
async function describeWork(
  { findSessions }: GraphSources,
  turns: TurnSignature[],
  sessions: SessionId[],
): Promise<LearningGraph["work"]> {
  const titles = new Map((await findSessions(sessions)).map(({ session, title }) => [session, title]));
  const kinds = new Map<SessionId, string>();
  for (const { session, kind } of turns.toSorted((a, b) => a.at - b.at)) if (kind) kinds.set(session, kind.text);
  return sessions.map((session) => {
    return { session, title: titles.get(session) ?? null, kind: kinds.get(session) ?? null };
  });
}

function keyOf({ session, skill }: Origins[number]): string {
  return `${skill} ${session}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
