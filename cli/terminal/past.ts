// Shows the last turns of a session that is opened again, from its log. Used by session-view.ts.
import type { SessionDetail } from "../../core/schemas/api.ts";
import { type Entry, textOf } from "../../core/schemas/entry.ts";
import type { Client } from "../connection/client.ts";
import type { Transcript } from "./view/transcript.ts";

const MAX_TURNS = 10;

/** The turns that were shown. A running turn is not among them: its events are read from its beginning. */
export async function showPast(
  client: Pick<Client, "entries">,
  { session, turns }: Pick<SessionDetail, "session" | "turns">,
  transcript: Transcript,
): Promise<number[]> {
  const ended = turns.filter(
    ({ state, final, undoneBy }) => state !== "steered" && final !== null && undoneBy === undefined,
  );
  const shown = ended.slice(-MAX_TURNS);
  const first = shown[0];
  if (!first?.input) return [];
  const wanted = new Set(shown.map(({ n }) => n));
  // What follows comes as events.
  const running = turns.find(({ state }) => state === "running" || state === "parked");
  const last = running?.input ? running.input - 1 : (shown.at(-1)?.final ?? 0);
  const entries = (await client.entries(session, first.input - 1)).filter(
    ({ n, turn }) => wanted.has(turn) && n <= last,
  );
  if (ended.length > shown.length) transcript.addNote(`(${ended.length - shown.length} earlier turns)`);
  for (const entry of entries) showEntry(entry, transcript);
  return shown.map(({ n }) => n);
}

function showEntry(entry: Entry, transcript: Transcript): void {
  const text = textOf(entry);
  switch (entry.kind) {
    case "user":
      transcript.addPerson(text, entry.steer ? "joined the running turn" : "");
      return;
    case "assistant":
      if (text !== "") transcript.apply({ type: "text_delta", entry: entry.n, offset: 0, text });
      return;
    case "tool": {
      const { n, call, failed, parts } = entry;
      transcript.apply({ type: "tool_start", entry: n, name: call.name, args: call.args });
      if (entry.state === "done") {
        const result = mergeParts(parts.map((part) => part.text));
        transcript.apply({ type: "tool_end", entry: n, name: call.name, failed, result });
      }
      return;
    }
    case "notice":
      transcript.apply({ type: "notice_add", entry: entry.n, code: entry.code, text });
      return;
    case "note":
    case "compaction":
      return; // for the model
  }
}

/** The parts of a result are JSON objects of different origins. */
function mergeParts(texts: string[]): string {
  try {
    return JSON.stringify(Object.assign({}, ...texts.map((text) => JSON.parse(text) as object)));
  } catch {
    return texts.join("\n"); // a log of another version
  }
}
