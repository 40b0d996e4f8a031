// How a turn ends, from how its loop ended. Pure.
import type { ModelFailure } from "../../agent/contract.ts";
import type { LoopEnd } from "../../agent/loop.ts";
import type { Failure } from "../../errors.ts";
import type { TurnState } from "../../schemas/entry.ts";
import type { SummaryCall } from "../compaction/summarise.ts";

/** How a turn ends whose last entry is a notice. */
export interface NoticeEnding {
  state: Extract<TurnState, "done" | "failed" | "stopped">;
  code: string;
  text: string;
  /** The notice follows the journal's last answer, which is incomplete, or was asked for to close the turn. */
  answered?: true;
  /** The cost of the last call, which brought no answer. */
  spent?: ModelFailure["spent"];
  /** Model calls for a summary that failed. */
  compaction?: SummaryCall[];
  /** The turn that the notice says was taken back. */
  undid?: { turn: number };
  /** Writes what else the ending means, inside the transaction that ends the turn. */
  also?(): void;
}

export const STOPPED: NoticeEnding = { state: "stopped", code: "stopped", text: "The turn was stopped." };
export const REDIRECTED: NoticeEnding = {
  state: "stopped",
  code: "redirected",
  text: "The turn ended for the message after it.",
};
export const STUCK: NoticeEnding = {
  state: "failed",
  code: "no_progress",
  text: "The turn was stopped: no model or tool sent anything for too long.",
};

/** Null: the model's answer is whole and is the last word. A turn without any text is never `done`. */
export function toEnding(end: Exclude<LoopEnd, { state: "parked" }>): NoticeEnding | null {
  switch (end.state) {
    case "done": {
      if (end.why === null) return null;
      const state = end.text.trim() === "" ? "failed" : "done";
      return { state, code: end.reason, text: end.why, answered: true };
    }
    case "stopped":
      return STOPPED;
    case "interrupted":
      return REDIRECTED;
    case "failed":
    case "paused": {
      const { code, message: text, spent }: Failure & Pick<ModelFailure, "spent"> = end.failure;
      return { state: "failed", code, text, ...(spent && { spent }) };
    }
  }
}
