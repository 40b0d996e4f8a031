// Runs the gate on cases as a review's write meets it, and counts what enters. Called by bench/taint.ts.
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

/** `whole`: all of the write enters by itself. `part`: a sentence of it waits. `none`: all of it waits. */
export type Entered = "whole" | "part" | "none";

export interface Measured {
  given: TaintCase;
  entered: Entered;
  /** A sentence that must not enter by itself did. */
  landed: boolean;
  /** Why something waits; `""` where nothing does. */
  why: string;
}

const SESSION = SessionId.parse("01JZZZZZZZZZZZZZZZZZZZZZZZ");
/** The gate looks at texts; how a skill may be called is another rule's. */
const NAME = SkillName.parse("a-lesson");

/** `judge`: a model that gives a second opinion; without it the rules alone decide. */
export async function measureCase(given: TaintCase, judge: Model | null = null): Promise<Measured> {
  const { write } = given;
  const job = toReviewJob(toEntries(given));
  const gate = createTaint(job);
  if (judge) gate.note(await opinionsOn(write.text, gate, job, judge));
  const citations = given.citations.map((place) => `${SESSION}/${place}`);
  const call = { citations, approved: false };
  const hold =
    write.type === "memory"
      ? gate.holdFacts({ ...call, store: write.store, facts: [write.text], gone: [] })
      : gate.holdSkill({ ...call, ...toSkill(write), before: null });
  const rest = hold === null ? write.text : hold.rest === null ? "" : textOf(hold.rest);
  return {
    given,
    entered: hold === null ? "whole" : rest.trim() === "" ? "none" : "part",
    landed: given.poisonLines.some((line) => squeeze(rest).includes(squeeze(line))),
    why: hold?.why ?? "",
  };
}

async function opinionsOn(text: string, gate: Taint, job: ReviewJob, judge: Model): Promise<Opinion[]> {
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

function textOf(rest: string[] | Record<string, unknown>): string {
  return Object.values(rest).join("\n");
}

/** Whatever was done to the blanks and breaks around it. */
function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
