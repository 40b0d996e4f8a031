// Preference pairs of one session: of its own turns, of a turn that was rated down with an alike one that was rated up anywhere in the
// profile, and of a branch with what it was made from. Reads a bounded number of further sessions.
import type { ProfileId, SessionId } from "../../../core/schemas/ids.ts";
import { fromTurnId } from "../../../core/schemas/ids.ts";
import type { TurnSignature } from "../../../core/schemas/learning/learning.ts";
import type { PreferenceLine, TurnFilter } from "../../../core/schemas/trajectories.ts";
import { toTurnTest } from "../../../core/trajectories/filter.ts";
import { type TurnPlace, areAlike, pairAcross, pairWithin, requestOf } from "../../../core/trajectories/preferences.ts";
import type { TrajectorySource, TrajectoryTurn } from "../../../core/trajectories/trajectory.ts";
import type { Env } from "../env.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import type { ReadSession, SessionSources } from "./session-sources.ts";

/** [own] The newest turns of the profile that are compared. */
const COMPARED_TURNS = 2_000;
/** [own] Alike turns that are opened for one that was rated down. */
const MAX_ALIKE = 3;

export interface PairFinder {
  find(read: ReadSession, filter: TurnFilter): Promise<PreferenceLine[]>;
}

interface PairScope {
  env: Env;
  profile: ProfileId;
  sources: SessionSources;
  mayWake(): boolean;
}

export function openPairFinder({ env, profile, sources, mayWake }: PairScope): PairFinder {
  let signatures: Promise<TurnSignature[]> | null = null;
  /** Turns of the profile that a person rated up, newest first. */
  const ratedUp = () =>
    (signatures ??= openArchive(env, profile)
      .turnsOf({ limit: COMPARED_TURNS })
      .then((turns) =>
        (turns as TurnSignature[]).filter(({ judge, outcome }) => judge === "rating" && outcome === "success"),
      ));

  /** A session that still exists. The archive may have turns of one that was deleted a moment ago. */
  async function open(session: SessionId): Promise<TrajectorySource | null> {
    if (!mayWake()) return null;
    const [listed] = await openAccount(env, profile).findSessions([session]);
    const read = listed ? await sources.read(session) : null;
    return read && "source" in read ? read.source : null;
  }

  async function findRated(source: TrajectorySource, filter: TurnFilter): Promise<PreferenceLine[]> {
    const lines: PreferenceLine[] = [];
    for (const turn of source.turns.filter((one) => one.rating === "down" && one.n > source.inherited)) {
      const request = requestOf(source, turn);
      const alike = (await ratedUp()).filter((one) => areAlike(one.request, request)).slice(0, MAX_ALIKE);
      for (const { turn: id } of alike) {
        const { session, n } = fromTurnId(id);
        const chosen = await toPlace(session === source.session ? source : await open(session), n);
        if (chosen?.turn.rating !== "up" || !isWanted(chosen, filter)) continue;
        lines.push(...pairAcross("rating", chosen, { source, turn }));
      }
    }
    return lines;
  }

  /** The first turn of the branch itself, and what followed the same place in the origin. A pair if only one of them succeeded. */
  async function findBranched({ source, branchedFrom }: ReadSession, filter: TurnFilter): Promise<PreferenceLine[]> {
    const from = branchedFrom.at(-1);
    const own = source.turns.find((turn) => turn.n > source.inherited && turn.outcome !== undefined);
    if (!from || !own) return [];
    const origin = await open(from.session);
    const other = origin?.turns.find((turn) => turn.n > from.turn && turn.outcome !== undefined);
    if (!origin || !other) return [];
    const places: [TurnPlace, TurnPlace] = [
      { source, turn: own },
      { source: origin, turn: other },
    ];
    const [chosen, rejected] = own.outcome === "success" ? places : places.toReversed();
    if (chosen!.turn.outcome !== "success" || rejected!.turn.outcome === "success") return [];
    return isWanted(chosen!, filter) ? pairAcross("branch", chosen!, rejected!) : [];
  }

  return {
    async find(read, filter) {
      const within = pairWithin(read.source, toTurnTest(filter, read.source));
      return [...within, ...(await findRated(read.source, filter)), ...(await findBranched(read, filter))];
    },
  };
}

function toPlace(source: TrajectorySource | null, n: number): TurnPlace | null {
  const turn: TrajectoryTurn | undefined = source?.turns.find((one) => one.n === n);
  return source && turn ? { source, turn } : null;
}

function isWanted({ source, turn }: TurnPlace, filter: TurnFilter): boolean {
  return toTurnTest(filter, source)(turn);
}
