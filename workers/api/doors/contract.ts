// What every compatible endpoint (Chat Completions, Responses, Messages) makes of its request, and what it gets back. The endpoints parse
// their own form into a DoorRequest, `openTurn` finds the session and posts, and the endpoints render the events. Types only.
import type { AgentEvent } from "../../../core/schemas/entry.ts";
import type { SessionId, Sha256 } from "../../../core/schemas/ids.ts";
import type {
  AnswerFormat,
  ClientTool,
  ClientToolChoice,
  DoorMessage as CoreMessage,
  Sampling,
} from "../../../core/schemas/sessions/client-part.ts";
import type { Effort } from "../../../core/schemas/settings.ts";

/** A message of a client's history, in the one form of all doors. What a client sends as `system` is `DoorRequest.guidance`. */
export type DoorMessage =
  | Exclude<CoreMessage, { role: "tool" }>
  /** `failed`: the client's tool says so. */
  | (Extract<CoreMessage, { role: "tool" }> & { failed?: boolean });

/** A place in a session: after this turn. */
export interface TurnPlace {
  session: SessionId;
  turn: number;
}

export interface DoorRequest {
  /** A name that `GET /v1/models` lists, but for `talaria`: that is `null`, and the session's own choice applies. */
  model: string | null;
  /** All that the client sent as `system`, `developer` or `instructions`, wherever it was. */
  guidance: string | null;
  /** What the client sent, oldest first: its whole history, or only what is new. Ends with messages of `user` or `tool`. */
  messages: DoorMessage[];
  tools: ClientTool[];
  toolChoice?: ClientToolChoice | undefined;
  format?: AnswerFormat | undefined;
  effort?: Effort | undefined;
  sampling: Sampling;
  stream: boolean;
  /** `off`: the session neither uses nor produces learned skills and memory. Absent: a new session learns. */
  learning?: "on" | "off" | undefined;
  /** The session that the client names. It never branches. */
  session?: SessionId | undefined;
  /** The client's own name of a conversation. The first request of a name begins its session. It never branches. */
  conversation?: string | undefined;
  /** The turn that the client goes on from. Branches if the session has gone on. */
  previous?: TurnPlace | undefined;
  /** The client repeats a request (`X-Stainless-Retry-Count` above 0): joins the turn of the first attempt, if its body was the same. */
  isRetry: boolean;
  /** `Idempotency-Key`: a repeated request joins; another body is refused with `idempotency_conflict`. */
  key?: string | undefined;
  /** Of the body and of the headers that choose the session. */
  bodyHash: Sha256;
}

export interface DoorEvent {
  /** `<entry>.<offset>`: the position to go on from. */
  id: string;
  event: AgentEvent;
}

/**
 * The turn that answers the request. `events`: of this exchange only. They begin with what followed the request's message or tool results
 * (turn_start, steer_add or the first event after the client's calls were answered), and end with the first `turn_end`, or with the first
 * `turn_park` that waits for the person or the client, or with the `notice_add` that answers a command beside such a wait
 * (`command_answer`). They go on over restarts of the session. Ending the iteration stops nothing.
 */
export interface DoorTurn {
  session: SessionId;
  /** The number of the message's own turn, which may have been put into a running one. */
  turn: number;
  /** An earlier attempt of the same request began it. */
  joined: boolean;
  /** The message is a command of the session: what its turn says is the answer. */
  isCommand: boolean;
  /** The client asked for a form of the answer. */
  isFormatted: boolean;
  events: AsyncIterable<DoorEvent>;
}
