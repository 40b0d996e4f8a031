// Makes a response of a turn: of the one that a request began, as a stream or whole, and of one that is read again from its log.
import type { Context } from "hono";
import type { Response as OpenAiResponse, ResponseStreamEvent } from "openai/resources/responses/responses";
import { messageOf } from "../../../../core/errors.ts";
import type { ResponseId, StoredResponse } from "../../../../core/schemas/stored-response.ts";
import type { ApiEnv } from "../../auth/principal.ts";
import { unwrap } from "../../problems.ts";
import { openSession } from "../../sessions/session-rpc.ts";
import type { DoorTurn } from "../contract.ts";
import { createStatsReader } from "../door-stats.ts";
import { toSse } from "../event-stream.ts";
import { followTurn } from "../follow-turn.ts";
import { type Piece, readPieces } from "../pieces.ts";
import { type ToolProgress, isProgress, renderResponse } from "./render.ts";
import { askResponseDesk } from "./response-desk-rpc.ts";
import { type ResponseFrame, toResponse } from "./response-object.ts";

type Scope = Context<ApiEnv>;
type StreamedEvent = ResponseStreamEvent | ToolProgress;

export function createResponseId(): ResponseId {
  return `resp_${crypto.randomUUID().replaceAll("-", "")}`;
}

/** The events of the response. Its id is stored before the last event, unless the client wants nothing stored. */
export function streamResponse(c: Scope, turn: DoorTurn, frame: ResponseFrame): AsyncGenerator<StreamedEvent> {
  const readStats = createStatsReader(c.env, c.var.profile, turn);
  const pieces = frame.echo.isStored ? storeAtBegin(c, turn, frame) : readPieces(turn.events, turn);
  return renderResponse(pieces, { frame, readStats, nowMs: () => Date.now() });
}

/** An answer that cannot be stored is still an answer: only its id is unknown later. */
async function* storeAtBegin(c: Scope, turn: DoorTurn, frame: ResponseFrame): AsyncGenerator<Piece> {
  let stored: Promise<void> | undefined;
  for await (const piece of readPieces(turn.events, turn)) {
    if (piece.type === "begin") {
      const { session, turn: n } = turn;
      const { id, createdAtMs: at, echo } = frame;
      const row: StoredResponse = { id, session, turn: n, first: piece.at, at, echo };
      stored = askResponseDesk(c.env, c.var.profile, (desk) => desk.put(row)).catch((error: unknown) =>
        console.error(JSON.stringify({ event: "response_not_stored", error: messageOf(error) })),
      );
    }
    if (piece.type === "end") await stored;
    yield piece;
  }
}

export async function* toSseTexts(events: AsyncIterable<StreamedEvent>): AsyncGenerator<string> {
  for await (const event of events) {
    yield isProgress(event) ? `: ${event.type} ${JSON.stringify(event)}\n\n` : toSse(event.type, event);
  }
}

/** The response that the events end with. */
export async function collectResponse(events: AsyncIterable<StreamedEvent>): Promise<OpenAiResponse> {
  let last: OpenAiResponse | null = null;
  for await (const event of events) if ("response" in event) last = event.response;
  return last!;
}

/** Of a turn that still works: what there is to say until then. Failures: `session_not_found`, `turn_not_found`. */
export async function readResponse(
  c: Scope,
  { id, session, turn, first, at, echo }: StoredResponse,
): Promise<OpenAiResponse> {
  const frame: ResponseFrame = { id, createdAtMs: at, echo };
  const rpc = openSession(c.env, c.var.profile, session);
  const report = unwrap(await rpc.readTurn(turn));
  const isWorking = report.waiting ? report.waiting.for === "children" : report.endedAt === null;
  if (isWorking) return toResponse(frame, { status: "in_progress", output: [] });
  const opened = unwrap(await rpc.events({ turn, after: toPredecessor(first) }));
  const events = followTurn(rpc, { turn, opened });
  const readStats = createStatsReader(c.env, c.var.profile, { session, turn });
  const nowMs = () => report.endedAt ?? report.waiting?.since ?? at;
  return collectResponse(renderResponse(readPieces(events), { frame, readStats, nowMs }));
}

const LAST_OFFSET = 999_999_999_999_999;

/** A position right before the event of this id. */
export function toPredecessor(id: string): string {
  const [entry = 0, offset = 0] = id.split(".").map(Number);
  return offset > 0 ? `${entry}.${offset - 1}` : `${Math.max(0, entry - 1)}.${LAST_OFFSET}`;
}
