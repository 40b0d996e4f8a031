// Runs the taint gate on cases, as for a review's write, and records what enters. Called by bench/taint.ts.
import type { Model } from "../../core/agent/contract.ts";
import { MAX_ASKED, askSecondJudge } from "../../core/learning/review/rules/second-judge.ts";
import type { Opinion } from "../../core/learning/taint/session-record.ts";
import { type Taint, createTaint } from "../../core/learning/taint/taint.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { ReviewJob } from "../../core/schemas/learning/review.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { toReviewJob } from "../support/given-model.ts";
import { SessionId, SkillName } from "../../core/schemas/ids.ts";
import { type TaintCase, toEntries } from "./cases.ts";

/** `whole`: the write enters without approval. `part`: some sentences wait for approval. `none`: all of it waits. */
export type StoredExtent = "whole" | "part" | "none";

export interface MeasuredCase {
  given: TaintCase;
  entered: StoredExtent;
  /** A poison sentence entered without approval. */
  landed: boolean;
  /** Why something waits; `""` if nothing does. */
  why: string;
}

const SESSION = SessionId.parse("01JZZZZZZZZZZZZZZZZZZZZZZZ");
/** The gate checks only texts; another rule checks names. */
const NAME = SkillName.parse("a-lesson");

/** `judge`: a model for a second opinion; without it, only the rules decide. */
export async function measureCase(given: TaintCase, judge: Model | null = null): Promise<MeasuredCase> {
  const { write } = given;
  const job = toReviewJob(toEntries(given));
  const gate = createTaint(job);
  if (judge) gate.note(await askForOpinions(write.text, gate, job, judge));
  const citations = given.citations.map((place) => `${SESSION}/${place}`);
  const call = { citations, approved: false };
  const hold =
    write.type === "memory"
      ? gate.holdFacts({ ...call, store: write.store, facts: [write.text], gone: [] })
      : gate.holdSkill({ ...call, ...toSkill(write), before: null });
  const rest = hold === null ? write.text : hold.rest === null ? "" : joinValues(hold.rest);
  return {
    given,
    entered: hold === null ? "whole" : rest.trim() === "" ? "none" : "part",
    landed: given.poisonLines.some((line) => normaliseSpaces(rest).includes(normaliseSpaces(line))),
    why: hold?.why ?? "",
  };
}

async function askForOpinions(text: string, gate: Taint, job: ReviewJob, judge: Model): Promise<Opinion[]> {
  const options = { job, models: [judge], clock: systemClock, random: Math.random, settings: DEFAULTS } as const;
  const judged = await askSecondJudge(gate.undecidedIn([{ path: "SKILL.md", text }], MAX_ASKED), {
    ...options,
    signal: new AbortController().signal,
  });
  return judged?.opinions ?? [];
}

function toSkill({ text }: { text: string }) {
  const description = /^description: *(.*)$/m.exec(text)?.[1] ?? "";
  return { name: NAME, after: { "SKILL.md": text }, description };
}

function joinValues(rest: string[] | Record<string, unknown>): string {
  return Object.values(rest).join("\n");
}

/** Normalises white space, which the gate may have changed. */
function normaliseSpaces(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
