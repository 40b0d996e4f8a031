// What the model of a chaos run says to the worker of a card and to the session of a job: it does one thing outside that cannot be repeated,
// and says whether it was done. A worker whose completion was refused tries again once it is reminded. Called by world.ts. Pure.

export interface ScriptMessage {
  role: string;
  text: string;
  tool_call_id?: string;
}

/**
 * `quiet`: its worker ends its turn in words and completes the card once it is reminded. `slow`: the thing takes a while, so that the card can
 * be taken from its worker meanwhile.
 */
export type ThingKind = "plain" | "quiet" | "slow";

/** The summary of a card, or the answer of a job, whose thing was done; and of one that nobody knows of. */
export const SAYS_DONE = "The thing is done.";
export const SAYS_UNKNOWN = "I do not know whether the thing was done.";

/** The title of a card, and the prompt of a job. */
export function writeThing(n: number, kind: ThingKind): string {
  return `Do thing ${n}, ${kind}.`;
}

const THING = /^(?:Card c[0-9a-z]{12}: )?Do thing (\d+), (plain|quiet|slow)\.$/m;

/** `null`: the turn is of another kind. */
export function answerWorker(messages: ScriptMessage[]): { thing: number; text: string; calls: object[] } | null {
  const asked = messages.filter(({ role }) => role === "user");
  const [, number, kind] = THING.exec(asked[0]?.text ?? "") ?? [];
  if (number === undefined) return null;
  const isCard = asked[0]!.text.startsWith("Card ");
  const thing = Number(number);
  const result = (id: string) => messages.findLast(({ tool_call_id: call }) => call === id);
  const call = (id: string, name: string, args: object) => ({
    ...{ thing, text: "" },
    calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
  });
  const work = result(WORK);
  if (!work) return call(WORK, "do_unkeyed", { task: thing, call: kind === "slow" ? SLOW_CALL : WORK });
  const says = isFailed(work) ? SAYS_UNKNOWN : SAYS_DONE;
  const completions = messages.filter(({ tool_call_id: id }) => id?.startsWith(COMPLETE));
  const isOver = completions.length > 0 && (!isFailed(completions.at(-1)!) || completions.length >= asked.length);
  const waitsForReminder = kind === "quiet" && asked.length === 1;
  if (!isCard || isOver || waitsForReminder) return { thing, text: says, calls: [] };
  return call(`${COMPLETE}${completions.length}`, "do_complete", { call: COMPLETE, summary: says });
}

function isFailed({ text }: ScriptMessage): boolean {
  return text.includes('"error"');
}

const WORK = "work";
/** How the ids of calls that complete a card begin. */
export const COMPLETE = "complete";
/** A call of a tool that takes longer. */
export const SLOW_CALL = "slow";
