// Builds conversations as a model reads them from a short notation, for the tests of compaction. Entries are numbered as in a log.
import type { Message } from "../../../core/agent/contract.ts";
import type { CompactionEntry, JsonObject } from "../../../core/schemas/entry.ts";

export interface UtteranceText {
  /** Characters of the text. */
  chars?: number;
  text?: string;
}
export type Utterance =
  | ({ user: true } & UtteranceText)
  | ({
      calls?: { name?: string; args?: JsonObject; chars?: number; text?: string; failed?: boolean }[];
    } & UtteranceText);

export function conversation(said: Utterance[], first = 1): Message[] {
  let entry = first;
  return said.flatMap((one): Message[] => {
    const text = one.text ?? createWords(one.chars ?? 20, entry);
    if ("user" in one) return [{ role: "user", text, entry: entry++ }];
    const at = entry++;
    const calls = (one.calls ?? []).map(({ name = "terminal", args = { command: `run ${at}` } }, i) => ({
      id: `c${at}-${i}`,
      name,
      args,
    }));
    const results = (one.calls ?? []).map((call, i): Message => {
      const result = call.text ?? createWords(call.chars ?? 20, entry);
      const { id, name } = calls[i]!;
      return { role: "tool", call: id, name, text: result, failed: call.failed ?? false, entry: entry++ };
    });
    return [{ role: "assistant", text, calls, entry: at }, ...results];
  });
}

/** One repeated word, different for each seed. The product's estimate gives eight characters per token. */
export function createWords(chars: number, seed: number): string {
  const letters = [...String(seed)].map((digit) => "abcdefghij"[Number(digit)]).join("");
  const word = `${letters.padStart(7, "w")} `;
  return word.repeat(Math.ceil(chars / word.length)).slice(0, chars);
}

export function compactionEntry(
  made: Partial<CompactionEntry> & Pick<CompactionEntry, "n" | "head" | "tail">,
): CompactionEntry {
  return {
    v: 1,
    kind: "compaction",
    turn: 1,
    at: 0,
    parts: [{ source: "own", text: `<summary ${made.n}>` }],
    step: 0,
    kept: [],
    method: "model",
    tokensBefore: 100,
    tokensAfter: 50,
    droppedSkills: [],
    calls: [],
    ...made,
  };
}
