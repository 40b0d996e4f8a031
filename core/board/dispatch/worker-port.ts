// The sessions of workers, as the dispatch needs them: made by the Board object, and by tests. Types only.
import type { Result } from "../../errors.ts";
import type { CardRun } from "../../schemas/board/card.ts";
import type { SessionId, TurnId } from "../../schemas/ids.ts";
import type { CardView } from "../contract.ts";
import type { TurnEnd } from "./judge-end.ts";

/** `gone`: there is no such session, or no such turn. */
export type LookedAtTurn = "open" | "gone" | { turn: number; ended: TurnEnd; text: string };

/** Each call may be repeated. A failure with the fact `isFinal: true` would be met again. Rejects if a session cannot be reached. */
export interface WorkerPort {
  /** Makes the session with the role's settings, and posts the card. The turn that the message became. Failure: `role_not_found`. */
  begin(run: CardRun, view: CardView, session: SessionId): Promise<Result<TurnId>>;
  /** Says once that words end nothing. */
  remind(run: CardRun, session: SessionId): Promise<Result<TurnId>>;
  /** Ends what runs in the session. */
  stop(session: SessionId): Promise<void>;
  /** What became of a turn. */
  look(session: SessionId, turn: number): Promise<LookedAtTurn>;
}
