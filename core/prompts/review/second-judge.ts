// The words for the second judge of what a review writes. Pure.
import policy from "./second-judge.md";

export function secondJudgePrompt(): string {
  return policy.trim();
}

/** The transcript comes first: it is the same for every write of a review. */
export function renderSecondJudgeRequest(transcript: string, sentences: string[]): string {
  const lines = sentences.map((sentence, n) => `${n + 1}. ${sentence.replace(/\s+/gu, " ")}`);
  return `${transcript}\n\nTo be kept:\n\n${lines.join("\n")}`;
}
