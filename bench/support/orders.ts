// What the scripted model is told to do, inside the message of a bench turn: one line, read again by model-thread.ts from
// whatever request a subject makes of it. So one server serves every subject, and keeps no state about any of them.

export interface Order {
  /** Names the turn in the server's record. */
  run: string;
  /** Tool calls, one a step, before the final answer. */
  steps: number;
  /** Text deltas of every answer. */
  chunks: number;
  /** Characters each tool call writes. */
  writeChars: number;
  /** Wait between two chunks; 0 sends each as soon as the one before has left. */
  gapMs: number;
  /** Characters of filling behind the order, which make the message longer. */
  padChars: number;
  /** Characters of one text delta. */
  chunkChars: number;
  /** Keep the bodies of this turn's requests. */
  record: boolean;
}

/** A turn without tool calls whose answer has 20 short deltas, sent at once. */
export const PLAIN_ORDER: Omit<Order, "run"> = {
  steps: 0,
  chunks: 20,
  writeChars: 400,
  gapMs: 0,
  padChars: 0,
  chunkChars: 8,
  record: false,
};

/** What the server remembers of one call. */
export interface RecordedCall {
  /** Empty unless the order says `record`. */
  body: string;
  bytes: number;
  messages: number;
  /** As the server counted them for its `usage`. */
  promptTokens: number;
  /** When the request had come whole, in milliseconds since 1970 with decimals. */
  arrivedAt: number;
}

const FORM = /^\[bench run=(\S+) steps=(\d+) chunks=(\d+) write=(\d+) gap=(\d+) chars=(\d+) record=([01])\]/;

export function toOrderText(order: Order): string {
  const { run, steps, chunks, writeChars, gapMs, chunkChars, padChars, record } = order;
  const fields = `steps=${steps} chunks=${chunks} write=${writeChars} gap=${gapMs} chars=${chunkChars}`;
  const filling = padChars > 0 ? ` ${fill(padChars, run)}` : "";
  return `[bench run=${run} ${fields} record=${record ? 1 : 0}]${filling}`;
}

export function parseOrder(text: string): Order | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, run, steps, chunks, write, gap, chars, record] = match;
  return {
    run: run!,
    steps: Number(steps),
    chunks: Number(chunks),
    writeChars: Number(write),
    gapMs: Number(gap),
    chunkChars: Number(chars),
    padChars: text.length - match[0].length,
    record: record === "1",
  };
}

const WORDS =
  "the table of a report holds every month and its sales while another file keeps names that were written by hand so we read both compare them and note what differs before anything is changed again".split(
    " ",
  );

/** English words in another order for each seed: as many tokens as such text has, and no two texts alike. */
export function fill(chars: number, seed: string): string {
  let state = [...seed].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) >>> 0, 7);
  let text = "";
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${WORDS[(state >>> 16) % WORDS.length]} `;
  }
  return text.slice(0, chars);
}

/** The same request again, for a client that asks the model directly: its calls are not to be recorded. */
export function withoutRecord(body: string): string {
  return body.replaceAll(/(\[bench [^\]]*record=)1\]/g, "$10]");
}
