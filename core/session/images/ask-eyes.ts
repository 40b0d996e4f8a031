// Asks a model that sees about one image. Used to describe images for a model without eyes, and by vision_analyze. Returns what was
// spent with every result: the caller books it.
import type { ModelChain, ModelFailure } from "../../agent/contract.ts";
import { askModel } from "../../agent/model-turn.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { visionPrompt } from "../../prompts/vision.ts";
import type { ToolSpend } from "../../schemas/entry.ts";
import type { ImageRef } from "../../schemas/media/image.ts";
import { toSpentCall } from "../../schemas/usage.ts";
import type { SessionHost } from "../context.ts";

/** Room for models that always reason. */
const MAX_OUTPUT_TOKENS = 4_000;

/** The models that look at images: those of the slot `vision` that see, else those of the turn. `null`: there are none. */
export function findEyes(models: SessionHost["models"]): ModelChain | null {
  for (const slot of ["vision", "turn"] as const) {
    const chain = models(slot);
    const [first, ...rest] = chain.ok ? chain.value.filter(({ sees }) => sees) : [];
    if (first) return [first, ...rest];
  }
  return null;
}

export interface LookOptions {
  image: ImageRef;
  read(image: ImageRef): Iterable<Uint8Array>;
  question: string;
  signal: AbortSignal;
  /** Checks the budgets before each call. */
  findRefusal?(): Failure | null | Promise<Failure | null>;
  noteActivity?(): void;
}

export interface Look {
  answer: Result<{ text: string; model: string }>;
  spent: ToolSpend[];
}

/** Failures: those of a model call, and `empty_answer`. */
export async function askEyes(
  host: Pick<SessionHost, "session" | "clock" | "random" | "settings">,
  eyes: ModelChain,
  { image, read, question, signal, findRefusal, noteActivity }: LookOptions,
): Promise<Look> {
  const spent: ToolSpend[] = [];
  const charge = (failure: ModelFailure) => void (failure.spent && spent.push({ kind: "vision", ...failure.spent }));
  const { settings, clock, random, session } = host;
  const { effort } = settings.models;
  const { result } = await askModel({
    models: eyes,
    at: 0,
    request: {
      system: visionPrompt(),
      messages: [{ role: "user", text: question, images: [image] }],
      tools: [],
      maxOutputTokens: Math.min(MAX_OUTPUT_TOKENS, settings.turn.maxOutputTokens),
      ...(effort.vision && { effort: effort.vision }),
      toolChoice: "none",
      cacheKey: `${session}:vision`,
      readImage: read,
    },
    limits: settings.turn,
    clock,
    random,
    signal,
    ...(findRefusal && { findRefusal }),
    sink: {
      text() {},
      reasoning() {},
      noteActivity: () => noteActivity?.(),
      noteWaiting: () => noteActivity?.(),
      restart: charge,
    },
  });
  if (!result.ok) {
    charge(result.failure);
    return { answer: result, spent };
  }
  spent.push({ kind: "vision", ...toSpentCall(result.value) });
  const text = result.value.text.trim();
  const answer =
    text === "" ? err("empty_answer", "The model gave no answer.") : ok({ text, model: result.value.model });
  return { answer, spent };
}
