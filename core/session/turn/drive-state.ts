// What the driver of a session holds in memory. Each function that drives a turn takes it as its first argument. Memory is
// enough: two objects of the same name cannot live at the same time. Types only.
import type { Recall } from "../memory/recall.ts";
import type { EngineContext } from "../context.ts";
import type { Outbox } from "../outbox.ts";
import type { SessionJournal } from "./journal/journal.ts";
import type { ServerMark } from "./server-mark.ts";

/** The turn that is being driven. */
export interface CurrentTurn {
  turn: number;
  journal: SessionJournal;
  abort: AbortController;
  /** Set while the turn runs on one of the operator's own model servers. */
  mark?: ServerMark;
}

export interface DriveState {
  readonly context: EngineContext;
  readonly outbox: Outbox;
  readonly recall: Recall;
  /** Turns that this object began or resumed. Any other running turn was cut off by the end of an earlier object. */
  readonly begun: Set<number>;
  current: CurrentTurn | null;
  /** The pump that may continue. One that still hangs after it was given up stops when it sees another value here. */
  pump: symbol | null;
  /** When the session last looked for changed skills and memory. */
  newsAt: number;
}
