// The words of a review: one policy, without the sections about stores this review may not write. Pure; the same scope
// gives the same bytes, so that reviews of one kind share a cached prefix.
import memory from "./review-memory.md";
import policy from "./review.md";
import skills from "./review-skills.md";

export interface ReviewScope {
  skills: boolean;
  memory: boolean;
}

export function reviewPrompt(scope: ReviewScope): string {
  return [policy, scope.skills ? skills : "", scope.memory ? memory : "", closing(scope)]
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .join("\n\n");
}

function closing(scope: ReviewScope): string {
  const names = [
    ...(scope.skills ? ["`skills_list`", "`skill_view`", "`skill_manage`"] : []),
    ...(scope.memory ? ["`memory`"] : []),
  ];
  return (
    `## How to end\n\nYour tools are ${names.join(", ")}, and no others. When everything worth keeping is written, ` +
    "answer with one or two sentences: what you kept and why, or that nothing was worth keeping."
  );
}

/** The reviewer's one message: what memory holds, then the transcript. */
export function reviewRequest(input: { memoryBlock: string; transcript: string }): string {
  const memoryBlock = input.memoryBlock.trim();
  return [
    "Review the work below.",
    memoryBlock && `What memory held when this review began:\n\n${memoryBlock}`,
    input.transcript,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
