// Orders for the scripted model: one line in the message of a bench turn. model-thread.ts parses the line from the request that a
// subject sends. So one server can serve every subject without keeping state about them.

export interface Order {
  /** The turn's name in the server's records. */
  run: string;
  /** Tool calls before the final answer, one per step. */
  steps: number;
  /** Text deltas of every answer. */
  chunks: number;
  /** Characters each tool call writes. */
  writeChars: number;
  /** Pause between two chunks; with 0, each is sent as soon as the previous one is written. */
  gapMs: number;
  /** Characters of filler text after the order. */
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

/** The server's record of one call. */
export interface RecordedCall {
  /** Empty unless the order says `record`. */
  body: string;
  bytes: number;
  messages: number;
  /** The prompt tokens that the server reported in its `usage`. */
  promptTokens: number;
  /** When the complete request had arrived, in milliseconds since 1970 with decimals. */
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

/** English words in an order that depends on the seed: a realistic number of tokens, and different texts for different seeds. */
export function fill(chars: number, seed: string): string {
  let state = [...seed].reduce((sum, character) => (sum * 31 + character.codePointAt(0)!) >>> 0, 7);
  let text = "";
  while (text.length < chars) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${WORDS[(state >>> 16) % WORDS.length]} `;
  }
  return text.slice(0, chars);
}

/** The same request with recording off, for a client that calls the model directly. */
export function withoutRecord(body: string): string {
  return body.replaceAll(/(\[bench [^\]]*record=)1\]/g, "$10]");
}
