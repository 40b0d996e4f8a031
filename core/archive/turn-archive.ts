// Records the turns of a profile by their signatures: request, tools, skills, outcome and cost. Run by the Archive object, over any
// Sql. Sessions ask it after an answer, and so does the ledger of learning. turn-candidates.ts finds the few turns that may be similar,
// and core/learning/observe/neighbours.ts decides which are, so the cost of a query does not grow with the profile.
import {
  type ComparedTurn,
  isSimilarTurn,
  mayBeSimilar,
  toComparedTurn,
  toNeighbourhood,
} from "../learning/observe/neighbours.ts";
import { contentWords, mentionedWords } from "../learning/requests.ts";
import type { Sql } from "../ports.ts";
import type { SkillName, TurnId } from "../schemas/ids.ts";
import { type Neighbourhood, type TaskKind, TurnSignature } from "../schemas/learning/learning.ts";
import { TOMBSTONE_ID, openTurnTables } from "./schema.ts";
import { type Candidate, MAX_CANDIDATES, findByKind, findCandidates, toIndexed } from "./turn-candidates.ts";

/** Maximum number of turns with similar words that are parsed, newest first. The discount leaves older ones no weight. */
const MAX_COMPARED = 32;
/** Number of turns that represent what a skill is used for. */
const MAX_MODELS = 50;
/** Maximum number of their kinds of work to search for. */
const MAX_KINDS = 8;
/** Lines of a text that similar turns are searched for: its description, and the ten requests that it may have. */
const MAX_LINES = 12;
/** As a share of the words of a request that name its kind of work: how many of all its words a line must have to cover it. [own] */
const COVERED = 0.5;
const MIN_COVERED_WORDS = 2;
const MAX_LISTED = 1_000;
/** Turns that are looked at for the owner's: others may be many, of jobs. */
const MAX_FILTERED = 5_000;

export interface TurnCounts {
  turns: number;
  judged: number;
  successes: number;
}

/** Outcomes of the work that a skill is for, before the skill existed and since. */
export interface SkillLift {
  before: TurnCounts;
  after: TurnCounts;
}

export interface SimilarTurns {
  /** Turns that used the skill of this name are found, whatever they asked for. */
  skill: SkillName;
  words: string;
  before: number;
  limit: number;
}

export interface TurnRecords {
  /** Records a turn, also repeatedly, and returns its similar turns. */
  observe(signature: TurnSignature): Neighbourhood;
  /** Stores the kind of work of recorded turns that have none. */
  putKinds(turns: { turn: TurnId; kind: TaskKind }[]): void;
  /** Newest first, by when they were first recorded; at most a thousand. `own`: of the newest 5,000, those that the owner asked for. */
  turns(asked: { since?: number; limit: number; own?: boolean }): TurnSignature[];
  /**
   * Turns that a text is about, of those that ended at or before `before`, in milliseconds: the ones that used the skill, then those whose request
   * is similar to a line of `words`, then those whose request a line covers, by how many of its words. The newest come first. For each line a bounded number
   * of turns is compared: those that share its rarest words. Erased turns are never found.
   */
  findSimilarTurns(asked: SimilarTurns): TurnId[];
  /**
   * Counts the turns that used the skill and the turns similar to one of them, before and after `createdAt`. A bounded number of
   * candidates is compared on each side. `words`: the skill's own description.
   */
  lift(skill: SkillName, words: string, createdAt: number): SkillLift;
}

/** `discount`: each newer judged turn multiplies the weight of an older one by it. */
export function createTurnRecords({ sql, discount }: { sql: Sql; discount: number }): TurnRecords {
  let isOpen = false;

  function open(): void {
    if (!isOpen) openTurnTables(sql);
    isOpen = true;
  }

  function record({ signature, words, kind }: ComparedTurn): number {
    const [known] = sql.run<{ id: number }>("SELECT id FROM turn_place WHERE turn = ?", signature.turn);
    const next = () => (sql.run<{ id: number | null }>("SELECT max(id) AS id FROM turn_sign")[0]?.id ?? 0) + 1;
    if (known?.id === TOMBSTONE_ID) return next();
    const id = known?.id ?? next();
    const body = JSON.stringify(signature);
    const indexed = toIndexed(words);
    sql.transaction(() => {
      sql.run(
        "INSERT INTO turn_sign VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET at = excluded.at, body = excluded.body",
        ...[id, signature.at, body, indexed],
      );
      for (const { skill } of signature.loaded) {
        sql.run("INSERT INTO turn_skill VALUES (?, ?) ON CONFLICT DO NOTHING", skill, id);
      }
      for (const word of kind ?? []) sql.run("INSERT INTO turn_kind VALUES (?, ?) ON CONFLICT DO NOTHING", word, id);
      if (known) return;
      sql.run("INSERT INTO turn_place VALUES (?, ?)", signature.turn, id);
      if (indexed !== "") sql.run("INSERT INTO turn_words(rowid, words) VALUES (?, ?)", id, indexed);
    });
    return id;
  }

  /** Parses the signatures. `byKind`: ids of more turns, whose words are not known yet. */
  function readCompared(candidates: Candidate[], byKind: number[] = []): ComparedTurn[] {
    const words = new Map<number, Set<string> | undefined>(byKind.map((id) => [id, undefined]));
    for (const candidate of candidates) words.set(candidate.id, candidate.words);
    return sql
      .run<{ id: number; body: string }>(
        "SELECT turn_sign.id, body FROM json_each(?) AS found JOIN turn_sign ON turn_sign.id = found.value",
        JSON.stringify([...words.keys()]),
      )
      .map((row) => toComparedTurn(toSignature(row), words.get(row.id)));
  }

  /** The newest turns that used the skill. */
  function readUses(skill: SkillName): TurnSignature[] {
    return sql
      .run<{ body: string }>(
        `SELECT body FROM (SELECT id FROM turn_skill WHERE skill = ? ORDER BY id DESC LIMIT ${MAX_CANDIDATES}) AS used
          JOIN turn_sign ON turn_sign.id = used.id`,
        skill,
      )
      .map(toSignature);
  }

  /** Turns before and since `createdAt` that may be similar to one of the models, or to the skill's description `words`. */
  function findLiftCandidates(models: ComparedTurn[], words: string, createdAt: number): ComparedTurn[] {
    const asked = mostFrequent([...models.flatMap((model) => [...model.words]), ...contentWords(words)]);
    const [edge] = sql.run<{ id: number }>("SELECT id FROM turn_sign WHERE at >= ? ORDER BY id LIMIT 1", createdAt);
    const byWords = edge
      ? [...findCandidates(sql, asked, 0, edge.id), ...findCandidates(sql, asked, edge.id)]
      : findCandidates(sql, asked);
    const kinds = models.flatMap(({ kind }) => kind ?? []).slice(0, MAX_KINDS);
    const byKind = kinds.flatMap((kind) => [
      ...findByKind(sql, kind, 0, edge?.id),
      ...(edge ? findByKind(sql, kind, edge.id) : []),
    ]);
    return readCompared(byWords, byKind.slice(0, 2 * MAX_CANDIDATES));
  }

  return {
    observe(signature) {
      open();
      const turn = toComparedTurn(signature);
      const id = record(turn);
      // When an earlier turn is recorded again, later turns are not its neighbours.
      const near = findCandidates(sql, turn.words, 0, id).filter((other) => mayBeSimilar(turn.words, other.words));
      const newest = near.toSorted((a, b) => b.id - a.id).slice(0, MAX_COMPARED);
      const byKind = turn.kind ? findByKind(sql, turn.kind, 0, id).slice(0, MAX_COMPARED) : [];
      return toNeighbourhood(turn, readCompared(newest, byKind), discount);
    },

    putKinds(turns) {
      open();
      for (const { turn, kind } of turns) {
        const [row] = sql.run<{ body: string }>(
          "SELECT body FROM turn_place JOIN turn_sign ON turn_sign.id = turn_place.id WHERE turn = ?",
          turn,
        );
        const signature = row && toSignature(row);
        if (signature && !signature.kind) record(toComparedTurn({ ...signature, kind }));
      }
    },

    turns({ since = 0, limit, own = false }) {
      open();
      if (own) {
        return sql
          .run<{ body: string }>(
            `SELECT body FROM (SELECT id, at, body FROM turn_sign ORDER BY id DESC LIMIT ${MAX_FILTERED})
              WHERE at >= ? AND json_extract(body, '$.asked') = 'owner' ORDER BY id DESC LIMIT ?`,
            ...[since, Math.min(limit, MAX_LISTED)],
          )
          .map(toSignature);
      }
      return sql
        .run<{ body: string }>(
          "SELECT body FROM turn_sign WHERE at >= ? ORDER BY id DESC LIMIT ?",
          ...[since, Math.min(limit, MAX_LISTED)],
        )
        .map(toSignature);
    },

    findSimilarTurns({ skill, words, before, limit }) {
      open();
      const lines = words.split("\n").map((line) => contentWords(line));
      const asked = lines.filter(({ size }) => size > 0).slice(0, MAX_LINES);
      const all = new Map(asked.flatMap((line) => findCandidates(sql, line)).map((found) => [found.id, found]));
      const found = [...all.values()];
      const [similar, others] = split(found, (turn) => asked.some((line) => mayBeSimilar(line, turn.words)));
      const covered = readCompared(others).map((turn) => {
        return { ...turn.signature, shared: Math.max(0, ...asked.map((line) => countCovered(line, turn))) };
      });
      const isEarly = ({ at }: { at: number }) => at <= before;
      const newest = (all: TurnSignature[]) => all.filter(isEarly).toSorted((a, b) => b.at - a.at);
      const turns = [
        ...newest(readUses(skill)),
        ...newest(readCompared(similar).map(({ signature }) => signature)),
        ...covered
          .filter((turn) => turn.shared > 0 && isEarly(turn))
          .toSorted((a, b) => b.shared - a.shared || b.at - a.at),
      ];
      return [...new Set(turns.map(({ turn }) => turn))].slice(0, limit);
    },

    lift(skill, words, createdAt) {
      open();
      const used = readUses(skill);
      const models = distinct(used.map((signature) => toComparedTurn(signature))).slice(0, MAX_MODELS);
      const candidates = findLiftCandidates(models, words, createdAt);
      const similar = candidates.filter((turn) => models.some((model) => isSimilarTurn(turn, model)));
      const all = [...used, ...similar.map(({ signature }) => signature)];
      const turns = [...new Map(all.map((turn) => [turn.turn, turn])).values()];
      return {
        before: countTurns(turns.filter(({ at }) => at < createdAt)),
        after: countTurns(turns.filter(({ at }) => at >= createdAt)),
      };
    },
  };
}

/**
 * A description has many more words than a request. So it is about the request if it has enough of the request's words; 0: it has not, else how
 * many.
 */
function countCovered(line: Set<string>, { words, signature }: ComparedTurn): number {
  const shared = [...mentionedWords(signature.request)].filter((word) => line.has(word)).length;
  return shared >= MIN_COVERED_WORDS && shared >= COVERED * words.size ? shared : 0;
}

function split<T>(all: T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

function toSignature({ body }: { body: string }): TurnSignature {
  return TurnSignature.parse(JSON.parse(body));
}

/** One turn for each set of words and kind. */
function distinct(turns: ComparedTurn[]): ComparedTurn[] {
  const keyOf = ({ words, kind }: ComparedTurn) =>
    [words, kind ?? []].map((of) => [...of].toSorted().join(" ")).join("\n");
  return [...new Map(turns.map((turn) => [keyOf(turn), turn])).values()];
}

function mostFrequent(words: string[]): Set<string> {
  const counts = Map.groupBy(words, (word) => word);
  return new Set([...counts].toSorted(([, a], [, b]) => b.length - a.length).map(([word]) => word));
}

function countTurns(turns: TurnSignature[]): TurnCounts {
  return {
    turns: turns.length,
    judged: turns.filter(({ outcome }) => outcome !== "unknown").length,
    successes: turns.filter(({ outcome }) => outcome === "success").length,
  };
}
