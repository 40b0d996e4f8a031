// Preference pairs of one session: of its own turns, of a turn that was rated down with an alike one that was rated up anywhere in the
// profile, and of a branch with what it was made from. Reads a bounded number of further sessions.
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import { fromTurnId } from "../../../core/schemas/ids.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import type { PreferenceLine, TurnFilter } from "../../../core/schemas/trajectories.ts";
import { toTurnTest } from "../../../core/trajectories/filter.ts";
import {
  type Request,
  type TurnPlace,
  areAlike,
  pairAcross,
  pairsWithin,
  requestOf,
  toRequest,
} from "../../../core/trajectories/preferences.ts";
import type { TrajectorySource, TrajectoryTurn } from "../../../core/trajectories/trajectory.ts";
import type { Env } from "../env.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import type { ReadSession, SessionSources } from "./session-sources.ts";

/** [own] The newest turns of the profile that are compared. */
const COMPARED_TURNS = 2_000;
/** [own] Alike turns that are opened for one that was rated down. */
const MAX_ALIKE = 3;
/** [own] Of one session. Each has the conversation before it in its prompt, so many of them have it many times. */
const MAX_PAIRS = 200;
const MAX_PAIR_CHARS = 12_000_000;

export interface PairFinder {
  /** JSON. `cut`: there are more than one page may have. */
  find(read: ReadSession, filter: TurnFilter): Promise<FoundPairs>;
}

interface FoundPairs {
  lines: string[];
  cut: boolean;
}

interface PairScope {
  env: Env;
  profile: ProfileId;
  sources: SessionSources;
  mayWake(): boolean;
}

export function openPairFinder({ env, profile, sources, mayWake }: PairScope): PairFinder {
  let signatures: Promise<{ turn: string; asked: Request }[]> | null = null;
  const opened = new Map<SessionId, Promise<TrajectorySource | null>>();
  /** Turns of the profile that a person rated up, newest first. */
  const ratedUp = () =>
    (signatures ??= openArchive(env, profile)
      .turnsOf({ limit: COMPARED_TURNS })
      .then((turns) =>
        (turns as TurnSignature[])
          .filter(({ judge, outcome }) => judge === "rating" && outcome === "success")
          .map(({ turn, request }) => ({ turn, asked: toRequest(request) })),
      ));

  /** A session that still exists. The archive may have turns of one that was deleted a moment ago. */
  function open(session: SessionId): Promise<TrajectorySource | null> {
    const opening = opened.get(session) ?? (mayWake() ? read(session) : Promise.resolve(null));
    opened.set(session, opening);
    return opening;
  }

  async function read(session: SessionId): Promise<TrajectorySource | null> {
    const [listed] = await openAccount(env, profile).findSessions([session]);
    const found = listed ? await sources.read(session) : null;
    return found && "source" in found ? found.source : null;
  }

  async function* pairsRated(source: TrajectorySource, filter: TurnFilter): AsyncGenerator<PreferenceLine> {
    for (const turn of source.turns.filter((one) => one.rating === "down" && one.n > source.inherited)) {
      const request = toRequest(requestOf(source, turn));
      const alike = (await ratedUp()).filter(({ asked }) => areAlike(asked, request)).slice(0, MAX_ALIKE);
      for (const { turn: id } of alike) {
        const { session, n } = fromTurnId(id);
        const chosen = toPlace(session === source.session ? source : await open(session), n);
        if (chosen?.turn.rating !== "up" || !isWanted(chosen, filter)) continue;
        yield* pairAcross("rating", chosen, { source, turn });
      }
    }
  }

  /** The first turn of the branch itself, and what followed the same place in the origin. A pair if only one of them succeeded. */
  async function* pairsBranched(
    { source, branchedFrom }: ReadSession,
    filter: TurnFilter,
  ): AsyncGenerator<PreferenceLine> {
    const from = branchedFrom.at(-1);
    const own = source.turns.find((turn) => turn.n > source.inherited && turn.outcome !== undefined);
    if (!from || !own) return;
    const origin = await open(from.session);
    const other = origin?.turns.find((turn) => turn.n > from.turn && turn.outcome !== undefined);
    if (!origin || !other) return;
    const places: [TurnPlace, TurnPlace] = [
      { source, turn: own },
      { source: origin, turn: other },
    ];
    const [chosen, rejected] = own.outcome === "success" ? places : places.toReversed();
    if (chosen!.turn.outcome !== "success" || rejected!.turn.outcome === "success") return;
    if (isWanted(chosen!, filter)) yield* pairAcross("branch", chosen!, rejected!);
  }

  async function* pairs(one: ReadSession, filter: TurnFilter): AsyncGenerator<PreferenceLine> {
    yield* pairsWithin(one.source, toTurnTest(filter, one.source));
    yield* pairsRated(one.source, filter);
    yield* pairsBranched(one, filter);
  }

  return { find: (one, filter) => takePairs(pairs(one, filter)) };
}

/** Asks for no pair more than it takes. */
export async function takePairs(pairs: AsyncIterable<PreferenceLine> | Iterable<PreferenceLine>): Promise<FoundPairs> {
  const lines: string[] = [];
  let chars = 0;
  for await (const pair of pairs) {
    const line = JSON.stringify(pair);
    chars += line.length;
    if (lines.length >= MAX_PAIRS || (lines.length > 0 && chars > MAX_PAIR_CHARS)) return { lines, cut: true };
    lines.push(line);
  }
  return { lines, cut: false };
}

function toPlace(source: TrajectorySource | null, n: number): TurnPlace | null {
  const turn: TrajectoryTurn | undefined = source?.turns.find((one) => one.n === n);
  return source && turn ? { source, turn } : null;
}

function isWanted({ source, turn }: TurnPlace, filter: TurnFilter): boolean {
  return toTurnTest(filter, source)(turn);
}
