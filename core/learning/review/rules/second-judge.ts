// The second judge: a model that says, for sentences that no certain taint rule holds, whether only content wanted them. Called by
// review.ts for each write if the operator has configured a model, and by bench:taint. Its answers are recorded with the intent of
// the write, so that a resumed review neither asks nor pays twice. Without an answer, the rules decide.
import * as z from "zod";
import type { ModelChain, ModelFailure, Tool } from "../../../agent/contract.ts";
import { askModel } from "../../../agent/model-turn.ts";
import type { Failure } from "../../../errors.ts";
import type { Clock, Random } from "../../../ports.ts";
import { renderSecondJudgeRequest, secondJudgePrompt } from "../../../prompts/review/second-judge.ts";
import type { ReviewJob } from "../../../schemas/learning/review.ts";
import type { Settings } from "../../../schemas/settings.ts";
import { SpentCall, toSpentCall } from "../../../schemas/usage.ts";
import { SKILL_MD } from "../../../skills/format/format.ts";
import type { Opinion } from "../../taint/session-record.ts";
import type { Taint, WrittenText } from "../../taint/taint.ts";
import { renderTranscript } from "../transcript.ts";

/** Sentences of one write that are asked about; the rules decide on the rest. */
export const MAX_ASKED = 150;
/** Enough for a model that always reasons first. */
const MAX_OUTPUT_TOKENS = 4_000;
/** `3 content`, with any punctuation around the number and the word. */
const LINE = /^(?:[^\p{L}\p{N}]{0,6}sentence)?[^\p{L}\p{N}]{0,6}(\d{1,3})[^\p{L}\p{N}]{1,12}(content|work)\b/iu;

const RecordedOpinions = z.object({
  opinions: z.array(z.object({ sentence: z.string(), isWanted: z.boolean() })),
  spent: z.array(SpentCall),
});
/** Recorded in the intent of a write as `judged`; script-facts.ts reads its cost. */
type RecordedOpinions = z.infer<typeof RecordedOpinions>;

export interface SecondJudgeOptions {
  job: ReviewJob;
  /** The primary model, then the fallbacks. */
  models: ModelChain;
  clock: Clock;
  random: Random;
  settings: Settings;
  signal: AbortSignal;
  /** What the review may still spend. */
  findRefusal?(): Failure | null | Promise<Failure | null>;
}

/** Wraps a tool so that its sentences are judged before its intent is recorded. Tools that only read are returned unchanged. */
export function withSecondJudge(tool: Tool, taint: Taint, options: SecondJudgeOptions): Tool {
  if (tool.effect === "read") return tool;
  return {
    ...tool,
    async prepare(args) {
      const judged = await askSecondJudge(taint.undecidedIn(textsOf(args), MAX_ASKED), options);
      return { ...(await tool.prepare?.(args)), ...(judged && { judged }) };
    },
    run(args, context) {
      const judged = RecordedOpinions.safeParse(context.prepared.judged);
      if (judged.success) taint.note(judged.data.opinions);
      return tool.run(args, context);
    },
  };
}

/** `null`: there was nothing to ask. */
export async function askSecondJudge(
  undecided: string[],
  options: SecondJudgeOptions,
): Promise<RecordedOpinions | null> {
  if (undecided.length === 0) return null;
  const { job, models, clock, random, settings, signal, findRefusal } = options;
  const spent: SpentCall[] = [];
  const charge = ({ spent: call }: ModelFailure) => void (call && spent.push(call));
  const { result } = await askModel({
    models,
    at: 0,
    request: {
      system: secondJudgePrompt(),
      messages: [{ role: "user", text: renderSecondJudgeRequest(renderTranscript(job), undecided) }],
      tools: [],
      maxOutputTokens: MAX_OUTPUT_TOKENS,
      effort: settings.models.effort.judge,
      toolChoice: "none",
      cacheKey: `judge ${job.profile}`,
    },
    limits: settings.turn,
    clock,
    random,
    signal,
    sink: { text() {}, reasoning() {}, restart: charge },
    ...(findRefusal && { findRefusal }),
  });
  if (!result.ok) charge(result.failure);
  else spent.push(toSpentCall(result.value));
  return { opinions: result.ok ? readOpinions(result.value.text, undecided) : [], spent };
}

/** If several lines are about one sentence, `content` wins. */
export function readOpinions(text: string, sentences: string[]): Opinion[] {
  const opinions = new Map<string, boolean>();
  for (const line of text.split("\n")) {
    const [, number, word = ""] = LINE.exec(line.trim()) ?? [];
    const sentence = sentences[Number(number) - 1];
    if (sentence === undefined) continue;
    opinions.set(sentence, opinions.get(sentence) === true || word.toLowerCase() === "content");
  }
  return [...opinions].map(([sentence, isWanted]) => ({ sentence, isWanted }));
}

/** Fields of a call without text to be kept. */
const NO_TEXTS = new Set([
  "action",
  "name",
  "old_string",
  "file_path",
  "absorbed_into",
  "citations",
  "requests",
  "overlaps",
]);

/** The texts that a call of skill_manage or memory would keep, each with its file. */
function textsOf(value: unknown, path: string = SKILL_MD, field = ""): WrittenText[] {
  if (NO_TEXTS.has(field)) return [];
  if (typeof value === "string") return [{ path, text: value }];
  const { file_path: own } = Object(value) as { file_path?: unknown };
  return Object.entries(Object(value)).flatMap(([name, item]) =>
    textsOf(item, typeof own === "string" ? own : path, name),
  );
}
