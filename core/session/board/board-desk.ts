// The session's side of the tool `board`: which boards it knows, and in whose name it writes. Called where a turn's tools are made.
import type { BoardDesk } from "../../tools/board/board.ts";
import type { EngineContext } from "../context.ts";
import { profileSettings } from "../prompt/profile-settings.ts";
import { isOwnersTurn } from "../turn/owners-turn.ts";

/** `null`: the profile has no board, and the session works on no card. */
export function createBoardDesk(context: EngineContext): BoardDesk | null {
  const { host, log } = context;
  const { card } = context.meta();
  const names = Object.keys(profileSettings(context).sections.boards).sort();
  if (!host.board || (!card && names.length === 0)) return null;
  return {
    open: host.board.open,
    author: { by: "agent", session: host.session, ...(card && { run: card.run }) },
    ...(card && { place: { board: card.board, card: card.card } }),
    names,
    // A worker works on what it was given, whoever wrote the card.
    isAllowed: () => card !== undefined || isOwnersTurn(log),
  };
}
