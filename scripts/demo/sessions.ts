// What the demo's stories share: one task in a session, what the review learned from it, and the comparison at the end. Prints as it goes.
import { type Client } from "../../cli/connection/client.ts";
import type { ReviewDetail } from "../../core/schemas/api.ts";
import { type TurnStats, promptTokens } from "../../core/schemas/entry.ts";
import { fromContents, textOrEmpty } from "../../core/schemas/file-body.ts";
import { awaitReview } from "./await-review.ts";
import { describeEvidence } from "./evidence.ts";
import { isRehearsal } from "./options.ts";
import { type Row, bold, createTurnView, dim, printTable, quote, say } from "./screen.ts";

const rehearsal = isRehearsal(process.env);
/** Timeout of a review that has started. A provider's model may need minutes. */
const REVIEW_MS = rehearsal ? 60_000 : 10 * 60_000;
/** A review that is due starts within this time. */
const REVIEW_BEGINS_MS = 15_000;

export interface SessionOutcome {
  session: string;
  text: string;
  stats: TurnStats;
  ms: number;
}

/** Sends one message and prints the turn as it streams. */
export async function sendMessage(client: Client, session: string, text: string): Promise<SessionOutcome> {
  say(`  ${bold("You:")} ${text}`);
  const view = createTurnView();
  const began = performance.now();
  for await (const { event } of client.streamMessage(session, text)) {
    view.show(event);
    if (event.type !== "turn_end") continue;
    if (event.state !== "done") say(`  The turn ended ${event.state}.`);
    return { session, text: view.text(), stats: event.stats, ms: performance.now() - began };
  }
  throw new Error("The stream ended before its turn did.");
}

export interface LearnedItems {
  skill: string | null;
  citations: string[];
  memory: string | null;
  reviewId: string | null;
}

/** Prints the lessons, each with its evidence. */
async function showLearned(client: Client, review: ReviewDetail | null): Promise<LearnedItems> {
  const learned: LearnedItems = { skill: null, citations: [], memory: null, reviewId: review?.review ?? null };
  if (!review?.result) {
    say(`  ${review?.dead ? `The review was given up: ${review.dead.message}` : "No review followed this session."}`);
    return learned;
  }
  say(`  ${review.result.summary}`);
  for (const lesson of review.result.lessons) {
    learned.citations.push(...lesson.citations.filter((citation) => !learned.citations.includes(citation)));
    if (lesson.kind === "skill") {
      learned.skill = lesson.skill;
      say(`  ${bold("Skill")} ${lesson.skill}, revision ${lesson.rev}:`);
      quote(textOrEmpty(fromContents((await client.skill(lesson.skill)).files)["SKILL.md"]));
    } else {
      learned.memory = lesson.text;
      say(`  ${bold("Memory")} (${lesson.store}): ${lesson.text}`);
    }
    say(`  ${dim(`Evidence: ${describeEvidence(lesson.citations)}.`)}`);
  }
  return learned;
}

/** Waits for the review of a session's turn and prints what it kept. */
export async function awaitLessons(client: Client, session: string): Promise<LearnedItems> {
  return showLearned(client, await awaitReview(client, session, { beginsMs: REVIEW_BEGINS_MS, endsMs: REVIEW_MS }));
}

export function toRow(name: string, { stats, ms }: SessionOutcome, correct: boolean): Row {
  const { modelCalls, toolCalls, failedCalls, usage } = stats;
  return {
    name,
    modelCalls,
    toolCalls,
    failedCalls,
    promptTokens: promptTokens(usage),
    correct,
    ms,
  };
}

/** Prints what the lesson was worth: first, second (with the lesson), control (the same without it). */
export function printComparison(rows: Row[]): void {
  say(`  ${describeSavings(rows)}`);
  say();
  printTable(rows, { times: !rehearsal });
  say();
  say(summarise(rows));
}

/** Compares the costs that a program can measure: tokens, calls, failures. */
function describeSavings([, second, control]: Row[]): string {
  if (!second || !control) return "";
  const tokens = control.promptTokens - second.promptTokens;
  const share = Math.round((100 * Math.abs(tokens)) / Math.max(1, control.promptTokens));
  const more = (n: number) => (n < 0 ? "more" : "fewer");
  const count = (n: number, what: string) => `${Math.abs(n).toLocaleString("en")} ${more(n)} ${what}`;
  return bold(
    `With the lesson: ${count(tokens, "prompt tokens")} (${share} %), ` +
      `${count(control.toolCalls - second.toolCalls, "tool calls")}, ` +
      `${count(control.failedCalls - second.failedCalls, "failures")}.`,
  );
}

function summarise([first, second, control]: Row[]): string {
  if (!first || !second || !control) return "";
  const times = (control.toolCalls / Math.max(1, second.toolCalls)).toFixed(1);
  return (
    `With what was learned the task took ${second.toolCalls} tool calls (${second.failedCalls} failed); ` +
    `without it ${control.toolCalls} (${control.failedCalls} failed), ${times} times as many.`
  );
}
