// Has images described for a model that does not see them: one call for each image, whose text is kept for the life of the session. A
// silent notice in the turn records the text and its cost. Called by image-desk.ts before a model call. A failure is kept too:
// the model then reads why there is no description, and a later turn reads the same bytes.
import type { MessageImage } from "../../agent/contract.ts";
import { clip } from "../../clip.ts";
import type { Failure } from "../../errors.ts";
import { describeFacts, toImageId } from "../../images/sentence.ts";
import { DESCRIBE_QUESTION } from "../../prompts/vision.ts";
import type { Entry, NoticeEntry, ToolSpend } from "../../schemas/entry.ts";
import type { EngineContext } from "../context.ts";
import { placeNotice } from "../readers/events.ts";
import { findEyes, askEyes } from "./ask-eyes.ts";

/** Characters of one description. A model reads it in every later request. */
const MAX_DESCRIPTION_CHARS = 4_000;

export interface DeskOptions {
  turn: number;
  /** Writes an entry of the turn. */
  put(entry: Entry): void;
  findRefusal?(): Failure | null | Promise<Failure | null>;
  noteActivity?(): void;
}

export async function describeImages(
  context: EngineContext,
  options: DeskOptions,
  images: MessageImage[],
  signal: AbortSignal,
): Promise<void> {
  const { host, images: rows } = context;
  const eyes = findEyes(host.models);
  if (!eyes) return;
  for (const image of images) {
    if (rows.description(image.sha256) !== null) continue;
    const refusal = await options.findRefusal?.();
    if (refusal) return; // the turn's next model call is refused for the same reason
    const { answer, spent } = await askEyes(host, eyes, {
      image,
      read: ({ sha256 }) => rows.parts(sha256),
      question: DESCRIBE_QUESTION,
      signal,
      ...(options.findRefusal && { findRefusal: options.findRefusal }),
      ...(options.noteActivity && { noteActivity: options.noteActivity }),
    });
    if (signal.aborted) {
      if (spent.length > 0) record(context, options, image, spent, { text: "", failed: "The turn was stopped." });
      return;
    }
    const text = answer.ok ? clip(answer.value.text, MAX_DESCRIPTION_CHARS) : "";
    const model = answer.ok ? answer.value.model : "";
    host.sql.transaction(() => {
      rows.putDescription(image.sha256, { text, model });
      record(context, options, image, spent, { text, failed: answer.ok ? "" : answer.failure.message });
    });
  }
}

/** One notice for each charged call: the ledger reads them. Inside the caller's transaction. */
function record(
  { host, log, hub }: EngineContext,
  { turn, put }: Pick<DeskOptions, "turn" | "put">,
  image: MessageImage,
  spent: ToolSpend[],
  { text, failed }: { text: string; failed: string },
): void {
  const what = `Image ${toImageId(image)} (${describeFacts(image)})`;
  const models = [...new Set(spent.map(({ model }) => model))].join(", ");
  const line = failed === "" ? `${what} was described by ${models}.` : `${what} was not described. ${failed}`;
  const calls: (ToolSpend | null)[] = spent.length > 0 ? spent : [null];
  for (const [n, call] of calls.entries()) {
    const isLast = n === calls.length - 1;
    const notice: NoticeEntry = {
      v: 1,
      n: log.nextEntry(),
      turn,
      at: host.clock.now(),
      kind: "notice",
      code: "image_described",
      parts: [
        { source: "outcome", text: isLast ? `${line}${text === "" ? "" : "\n"}` : `${what}: a call failed.` },
        ...(isLast && text !== "" ? [{ source: "content" as const, text }] : []),
      ],
      ...(call && { spent: { model: call.model, usage: call.usage, ...(call.cost && { cost: call.cost }) } }),
    };
    put(notice);
    hub.emit(placeNotice(notice));
  }
}
