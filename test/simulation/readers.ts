// A reader of a simulated session: joins, leaves, and rejoins with the id of the last event it saw. What it has assembled must match
// the log in the end. Used by world.ts.
import { AgentEvent, type Entry, textOf } from "../../core/schemas/entry.ts";

export interface SimulatedReader {
  /** The last id seen. */
  after(): string | undefined;
  /** Reads until the stream ends or `leave` is called. */
  read(stream: ReadableStream<Uint8Array>): Promise<void>;
  leave(): void;
  isReading(): boolean;
  faults: string[];
  /** Types of the events it read. */
  met: string[];
  /** Differences between what it assembled and the complete log. */
  compare(log: Entry[], ended: { n: number; state: string }[]): string[];
}

export function createReader(name: string): SimulatedReader {
  let after: string | undefined;
  let present: ReadableStreamDefaultReader<Uint8Array> | null = null;
  const texts = new Map<number, string>();
  const notices = new Map<number, string>();
  const met: string[] = [];
  const tools = new Map<number, string>();
  const ends: { n: number; state: string }[] = [];
  const faults: string[] = [];

  function take(event: AgentEvent): void {
    met.push(event.type);
    switch (event.type) {
      case "entry_start":
        if (texts.get(event.entry)) faults.push(`${name}: entry ${event.entry} begins twice`);
        return void texts.set(event.entry, "");
      case "entry_restart":
        return void texts.delete(event.entry);
      case "text_delta": {
        const had = texts.get(event.entry) ?? "";
        if (had.length !== event.offset)
          faults.push(`${name}: entry ${event.entry} had ${had.length}, got ${event.offset}`);
        return void texts.set(event.entry, had + event.text);
      }
      case "notice_add":
        if (notices.has(event.entry)) faults.push(`${name}: notice ${event.entry} twice`);
        return void notices.set(event.entry, event.text);
      case "tool_start":
      case "tool_end": {
        const had = tools.get(event.entry);
        if (had !== (event.type === "tool_start" ? undefined : "tool_start")) {
          faults.push(`${name}: ${event.type} of ${event.entry} after ${had ?? "nothing"}`);
        }
        return void tools.set(event.entry, event.type);
      }
      case "turn_end":
        return void ends.push({ n: event.turn, state: event.state });
    }
  }

  return {
    after: () => after,
    isReading: () => present !== null,
    faults,
    met,
    async read(stream) {
      const mine = stream.getReader();
      present = mine;
      const decoder = new TextDecoder();
      let rest = "";
      for (;;) {
        const { done, value } = await mine.read().catch(() => ({ done: true, value: undefined }));
        if (done || present !== mine) break;
        const blocks = (rest + decoder.decode(value, { stream: true })).split("\n\n");
        rest = blocks.pop()!;
        for (const block of blocks) {
          if (block.startsWith(":")) continue; // a keep-alive comment
          take(AgentEvent.parse(JSON.parse(/^data: (.*)$/m.exec(block)![1]!)));
          after = /^id: (.*)$/m.exec(block)![1]!;
        }
      }
      if (present === mine) present = null;
    },
    leave() {
      const leaving = present;
      present = null;
      void leaving?.cancel().catch(() => {}); // the stream of a crashed engine
    },
    compare(log, ended) {
      const differences: string[] = [];
      for (const entry of log) {
        if (entry.kind === "assistant" && (texts.get(entry.n) ?? "") !== textOf(entry)) {
          differences.push(
            `${name}: entry ${entry.n} is ${JSON.stringify(textOf(entry))}, read ${JSON.stringify(texts.get(entry.n))}`,
          );
        }
        if (entry.kind === "tool" && tools.get(entry.n) !== (entry.state === "done" ? "tool_end" : "tool_start")) {
          differences.push(`${name}: of call ${entry.n} (${entry.state}) it has ${tools.get(entry.n)}`);
        }
      }
      for (const [n, text] of texts) {
        // An answer without text shows nothing.
        if (text !== "" && !log.some((entry) => entry.n === n && entry.kind === "assistant"))
          differences.push(`${name}: entry ${n} is not an answer`);
      }
      if (JSON.stringify(ends) !== JSON.stringify(ended)) {
        differences.push(`${name}: turns ended ${JSON.stringify(ended)}, it saw ${JSON.stringify(ends)}`);
      }
      return differences;
    },
  };
}
