// What a trajectory is made of, before it is written in a format. Read from a session's log by read-session.ts. Types only.
import type { ToolSpec } from "../agent/contract.ts";
import type { Entry, JsonObject, TurnState } from "../schemas/entry.ts";
import type { SessionId, SkillName, Sha256 } from "../schemas/ids.ts";

/** `turn` and `entry`: of the log, where the message comes from; a summary has those of its compaction. */
export type TrajectoryMessage = (
  | { role: "user"; text: string }
  /** `trains`: the message belongs to a turn that is wanted, and no other line has it. */
  | { role: "assistant"; text: string; reasoning: string; calls: TrajectoryCall[]; trains: boolean }
  /** The result of a call of the assistant message before it. `text`: as the model read it. */
  | { role: "tool"; call: string; name: string; text: string; failed: boolean }
) & { turn: number; entry: number };

export interface TrajectoryCall {
  id: string;
  name: string;
  args: JsonObject;
}

/** A conversation as a model read it and went on with it. Every call has its result, or is of the last message. */
export interface Trajectory {
  session: SessionId;
  /** When its last turn ended, in milliseconds. */
  at: number;
  /** Of the last answer. */
  model: string;
  /** The last turn ended with an answer. */
  completed: boolean;
  /** Tools that were offered or called; none for a call of a tool that did not exist. */
  tools: ToolSpec[];
  messages: TrajectoryMessage[];
}

/** What is known of a turn that has ended. */
export interface TrajectoryTurn {
  n: number;
  state: TurnState;
  /** Why it ended; absent in old logs. */
  reason?: string;
  /** Entries of the input and the end. */
  input: number | null;
  final: number | null;
  endedAt: number | null;
  rating?: "up" | "down";
  /** What the strongest judge says. Absent: the turn was not observed. */
  outcome?: "success" | "failure" | "unknown";
  /** Entries in which the person corrected the turn. */
  corrections: number[];
  loaded: { skill: SkillName; text: Sha256 }[];
}

/** A session as it is read for an export. `entries`: its whole log, oldest first. */
export interface TrajectorySource {
  session: SessionId;
  tools: ToolSpec[];
  entries: Entry[];
  turns: TrajectoryTurn[];
  /** Turns that the person took back; `by`: the turn of the command. */
  undone: { turn: number; by: number }[];
  /** Turns up to this one were copied from another session. 0: none. */
  inherited: number;
}
