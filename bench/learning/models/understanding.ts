// What a simulated model answers when a prompt asks for judgement: a request's kind of work, the verdict in a person's message,
// and the requests a skill should serve. The parameters set how often it is wrong. Pure.
import { draw, happens, pick } from "../world/draws.ts";
import type { Family, Task, World } from "../world/tasks.ts";
import { chooseName, chooseWordsAbout } from "./wording.ts";

/** A short phrase, usually the same for every request of one kind. `by`: the call that asks for the name. */
export function nameKind({ seed, parameters }: World, { family, request, operations, job }: Task, by: string): string {
  const requests = [request.split("\n")[0]!.replace(/ #[\d.]+$/, "")];
  const wordings = family ? [...family.wordings, ...family.heldOut].toSorted() : requests;
  const varies = happens(parameters.models.kindVaries, seed, job, by, "kind varies");
  const wording = varies ? pick(wordings, seed, job, by, "kind") : wordings[0]!;
  return chooseName(wording, family?.key ?? operations[0]!.name.split(" ")[0]!).replaceAll("-", " ");
}

/** Such as `verdict 12: failure correction "no, newest first"`. `entry`: the number of the message. */
export function judgeReply({ seed, parameters, surfaces }: World, text: string, entry: number): string {
  const row = surfaces.replies.find(({ reply }) => text.startsWith(reply));
  const { verdict: meant, reply } = row ?? { verdict: "none" as const, reply: "" };
  const misjudges = happens(parameters.models.misjudges, seed, text, "misjudges");
  const others = (["success", "failure", "none"] as const).filter((one) => one !== meant);
  const verdict = misjudges ? pick(others, seed, text, "misjudged") : meant;
  if (verdict === "none" || reply === "") return `verdict ${entry}: none`;
  const correction = row?.correction && !misjudges ? " correction" : "";
  return `verdict ${entry}: ${verdict}${correction} "${reply}"`;
}

const REQUESTS_A_WORDING = 2;
const MAX_REQUESTS = 10;

/** The requests that a skill's author expects: for each wording of the kind, a random part of its important words. */
export function foreseeRequests({ seed, parameters }: World, family: Family | null, request: string): string[] {
  const wordings = family ? [...family.wordings, ...family.heldOut] : [];
  const expected = [request, ...wordings].flatMap((wording) =>
    Array.from({ length: REQUESTS_A_WORDING }, (_, at) =>
      chooseWordsAbout(wording).filter(
        (word) => draw(seed, wording, word, at, "foreseen") < parameters.models.foresees,
      ),
    ),
  );
  const requests = expected.filter((words) => words.length > 0).map((words) => words.join(" "));
  return [...new Set(requests)].slice(0, MAX_REQUESTS);
}
