// What models were asked and what they answered while a session was recorded, and the same answers again for a replay. A request that was never
// recorded is answered with a failure and noted, so a test sees the first byte that differs. What failed and was asked again does not fail again:
// its provider works now.
import { concatBytes } from "../../../core/workspace/encoding.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { Model, ModelEvent, ModelRequest, ModelSlot } from "../../../core/agent/contract.ts";

export interface TapedCall {
  /** The turn that ran; 0 for none. */
  turn: number;
  slot: ModelSlot;
  model: string;
  /** The request as JSON, keys sorted. */
  request: string;
  /** The same without the prompt. */
  unprompted: string;
  events: ModelEvent[];
}

export type PlayedCall = Omit<TapedCall, "turn" | "events">;
interface Playing {
  isOfOldPrompt: boolean;
  asked: PlayedCall[];
  strangers: string[];
  served: Map<string, number>;
}

export type Tape = ReturnType<typeof createTape>;

/** `findTurn`: the turn that runs now in the session that is recorded. */
export function createTape(findTurn: () => number) {
  const calls: TapedCall[] = [];
  let playing: Playing | null = null;

  async function* record(
    model: Model,
    slot: ModelSlot,
    asked: Parameters<Model["stream"]>,
  ): AsyncGenerator<ModelEvent> {
    const call: TapedCall = { turn: findTurn(), ...toPlayed(model.name, slot, asked[0]), events: [] };
    calls.push(call);
    for await (const event of model.stream(...asked)) {
      call.events.push(structuredClone(event));
      yield event;
    }
  }

  /** The same request gets the same answers in the recorded order. One that was asked more often gets the last again. */
  async function* play(name: string, slot: ModelSlot, asked: ModelRequest): AsyncGenerator<ModelEvent> {
    const mine = toPlayed(name, slot, asked);
    const { isOfOldPrompt, served } = playing!;
    const field = isOfOldPrompt ? "unprompted" : "request";
    playing!.asked.push(mine);
    const same = calls.filter((call) => call.model === name && call[field] === mine[field]);
    const whole = same.filter(({ events }) => !isAskedAgain(events));
    const known = whole.length > 0 ? whole : same;
    const nth = served.get(name + mine[field]) ?? 0;
    served.set(name + mine[field], nth + 1);
    const answer = known[nth] ?? known.at(-1);
    if (!answer) {
      playing!.strangers.push(mine[field]);
      yield { type: "failed", failure: { ...UNKNOWN, code: "not_on_tape", message: "Nobody asked this before." } };
      return;
    }
    for (const event of answer.events) yield structuredClone(event);
  }

  return {
    calls: (turn: number): TapedCall[] => calls.filter((call) => call.turn === turn),
    count: (): number => calls.length,
    wrap: (model: Model, slot: ModelSlot = "turn"): Model =>
      Object.create(model, {
        stream: {
          value: (...asked: Parameters<Model["stream"]>) =>
            playing ? play(model.name, slot, asked[0]) : record(model, slot, asked),
        },
      }) as Model,
    /** Until `work` has ended, models answer from the tape. `isOfOldPrompt`: requests are the same if only their prompts differ. */
    async play<T>(isOfOldPrompt: boolean, work: () => Promise<T>) {
      const mine: Playing = (playing = { isOfOldPrompt, asked: [], strangers: [], served: new Map() });
      try {
        return { value: await work(), asked: mine.asked, strangers: mine.strangers };
      } finally {
        playing = null;
      }
    },
  };
}

function toPlayed(model: string, slot: ModelSlot, asked: ModelRequest): PlayedCall {
  const images = asked.messages
    .flatMap((message) => (message.role === "user" ? (message.images ?? []) : []))
    .map((image) => sha256Hex(concatBytes([...(asked.readImage?.(image) ?? [])])));
  const whole = { ...asked, ...(images.length > 0 && { images }) };
  return { slot, model, request: toBytes(whole), unprompted: toBytes({ ...whole, system: "" }) };
}

/** A conversation that is too long is refused again. */
function isAskedAgain(events: ModelEvent[]): boolean {
  const last = events.at(-1);
  if (last?.type === "failed") return !last.failure.compact;
  return last?.type !== "done" || (last.answer.text === "" && last.answer.calls.length === 0);
}

const UNKNOWN = { retry: false, compact: false, rotateKey: false, fallBack: false };

/** Functions are no part of it. */
export function toBytes(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    inner && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
