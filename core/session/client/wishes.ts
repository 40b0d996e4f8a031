// What a client wants of the model calls of its turn: a forced first call, the form of the answer, sampling, shorter answers. Called when
// the loop's options are made. The loop and the wires carry it out.
import { describeFormat } from "../../agent/answer-format.ts";
import type { ModelWishes } from "../../agent/loop.ts";
import type { NoteEntry } from "../../schemas/entry.ts";
import type { AnswerFormat } from "../../schemas/sessions/client-part.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isSilent } from "../prompt/notices.ts";
import { placeNotice } from "../readers/events.ts";
import { currentClient } from "./client-rows.ts";

/** OpenAI's Responses API takes no smaller limit. */
const MIN_OUTPUT_TOKENS = 16;

/** Nothing for a turn without a client's part. */
export function toWishes({ log }: Pick<EngineContext, "log">): { wishes?: ModelWishes } {
  const client = currentClient(log);
  if (!client) return {};
  const { toolChoice, format, temperature, topP, stop } = client;
  const sampling = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(stop && { stop }),
  };
  const isForced = toolChoice === "required" || typeof toolChoice === "object";
  const wishes: ModelWishes = {
    ...(isForced && { choice: toolChoice }),
    ...(format && { format }),
    ...(Object.keys(sampling).length > 0 && { sampling }),
  };
  return Object.keys(wishes).length > 0 ? { wishes } : {};
}

/** The operator's limit stays the upper one. */
export function limitOutput(turn: Settings["turn"], maxTokens: number | undefined): Settings["turn"] {
  if (maxTokens === undefined) return turn;
  return { ...turn, maxOutputTokens: Math.min(turn.maxOutputTokens, Math.max(MIN_OUTPUT_TOKENS, maxTokens)) };
}

/** A note after the message, so that the model knows the form whatever its provider supports. Written once, before the first model call. */
export function noteFormat(
  { host, log, hub }: EngineContext,
  { n: turn, input }: TurnRow,
  format: AnswerFormat,
  put: (note: NoteEntry) => void,
): void {
  const isLate = log
    .entries(input! + 1)
    .some((entry) => (entry.kind === "note" ? entry.code === FORMAT : entry.kind !== "notice" || !isSilent(entry)));
  if (isLate) return;
  const parts: NoteEntry["parts"] = [{ source: "outcome", text: describeFormat(format) }];
  const note: NoteEntry = { v: 1, n: log.nextEntry(), turn, at: host.clock.now(), kind: "note", code: FORMAT, parts };
  put(note);
  hub.emit(placeNotice(note));
}

const FORMAT = "format";
