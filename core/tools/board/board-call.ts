// What one call of the tool `board` is about. Types only.
import type { BoardCalls } from "../../board/board-calls.ts";
import type { Call } from "../../board/contract.ts";
import type { CardId } from "../../schemas/board/card.ts";
import type { Workspace } from "../../workspace/workspace.ts";

export interface BoardCall {
  board: BoardCalls;
  call: Call;
  /** Set where the operation needs one. */
  card: CardId;
  workspace: Workspace;
}
