// The prompts of a review: one policy, without sections about stores this review may not write. Pure; the same scope gives
// the same bytes, so that reviews of one kind share a cached prefix.
import { escapeTags } from "../../prompt-block.ts";
import memory from "./review-memory.md";
import type { Trigger } from "../../schemas/learning/review.ts";
import policy from "./review.md";
import prefix from "./review-prefix.md";
import skills from "./review-skills.md";
import verdicts from "./review-verdicts.md";

export interface ReviewScope {
  skills: boolean;
  memory: boolean;
}

export function reviewPrompt(scope: ReviewScope): string {
  return [policy, scope.skills ? skills : "", scope.memory ? memory : "", closing(scope), verdicts]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

/** How a reviewer judges the answers it reads. */
export function verdictsPrompt(): string {
  return verdicts.trim();
}

function closing(scope: ReviewScope): string {
  const names = [
    ...(scope.skills ? ["`skills_list`", "`skill_view`", "`skill_manage`"] : []),
    ...(scope.memory ? ["`memory`"] : []),
  ];
  return (
    `## How to end\n\nYour tools are ${names.join(", ")}, and no others. Put calls that do not wait for each other into one ` +
    "answer. When all is written, end with one or two sentences: what you kept and why. Then, for each turn, a line with the number " +
    "of one of its entries and the kind of work, in general English words: `kind 12: renew a TLS certificate`."
  );
}

/** Why a review began, and what it should look at. */
export interface ReviewReason {
  trigger: Trigger;
  because?: string;
  focus?: string;
}

/** What a reviewer sees beside the work: memory, and the skills the work concerns; "" for none. */
export interface ReviewShown {
  memoryBlock: string;
  skillsBlock: string;
}

/** The reviewer's only message: the reason, what memory and the library hold, then the transcript. */
export function reviewRequest(reason: ReviewReason, input: ReviewShown & { transcript: string }): string {
  return join(["Review the work below.", describeReason(reason), ...describeShown(input), input.transcript]);
}

/**
 * The same, appended to a session's own request with its system prompt and tools unchanged: the reviewer's whole policy, and
 * a list of what may be cited instead of a transcript.
 */
export function reviewClosing(scope: ReviewScope & ReviewReason, input: ReviewShown & { citations: string }): string {
  const text = join([
    "The conversation above is over. This message is from Talaria, not from the person, and nobody waits for an answer.",
    explainTranscript(reviewPrompt(scope), prefix),
    describeReason(scope),
    ...describeShown(input),
    input.citations,
  ]);
  // The session's prompt says of notes that they are the harness's.
  return `<note>\n${escapeTags(text, "note")}\n</note>`;
}

/** Puts `text` before the list of sources, in the section that says how to read a transcript. */
function explainTranscript(prompt: string, text: string): string {
  const from = prompt.indexOf(TRANSCRIPT) + TRANSCRIPT.length;
  return `${prompt.slice(0, from)}${text.trim()}\n\n${prompt.slice(prompt.indexOf("- `principal`", from))}`;
}

const TRANSCRIPT = "## The transcript\n\n";

/** For a reviewer that wrote nothing and did not say that there is nothing to keep. */
export const REVIEW_AGAIN =
  "Nothing is written yet: words alone are not kept. If something is worth keeping, call the tool for it now. If not, answer " +
  '"Nothing worth keeping."';

/** What to look at first, by trigger. */
const LOOK_AT: Partial<Record<Trigger, string>> = {
  value: "Look at what the agent had to find out.",
  similar_turns: "Look for what these turns have in common: the class of work wants a skill.",
  cheaper:
    "Look at the last turn's way, which was cheaper than what the skill says: if nothing was lost by it, make the skill's steps those.",
  correction: "Look at what the person said was wrong, and at what would have been right.",
  rating: "Look at what the person said of the turn they rated.",
  memory_full: "A store of memory is over its limit: merge what belongs together, and remove what is no longer true.",
  refine: "The person asked for this review.",
};

function describeReason({ trigger, because, focus }: ReviewReason): string {
  const line = because ? `This review began because ${toLine(because).replace(/\.$/, "")}.` : "";
  const wish = focus ? `What the person asked to be looked at: ${JSON.stringify(toLine(focus))}.` : "";
  return [line, LOOK_AT[trigger] ?? "", wish].filter((part) => part !== "").join(" ");
}

function toLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

function describeShown({ memoryBlock, skillsBlock }: ReviewShown): string[] {
  return [memoryBlock.trim() && `What memory held when this review began:\n\n${memoryBlock.trim()}`, skillsBlock];
}

function join(parts: string[]): string {
  return parts.filter((part) => part !== "").join("\n\n");
}
