// A terminal without a screen for tests of the interactive terminal: what is written goes through a real emulator, and what a person would
// see is read from its buffer.
import type { Terminal } from "@earendil-works/pi-tui";
import { Terminal as Emulator } from "@xterm/headless";

export interface HeadlessTerminal extends Terminal {
  /** As a keyboard would send it. */
  type(data: string): void;
  paste(text: string): void;
  resize(columns: number, rows: number): void;
  /** The whole buffer, scrolled rows included, without trailing spaces. */
  lines(): Promise<string[]>;
  /** Resolves when the buffer has the text. */
  waitFor(text: string | RegExp): Promise<string>;
  /** Everything that was written, escape sequences included. */
  raw(): string;
  isStarted(): boolean;
}

const STEP_MS = 15;
const MAX_MS = 10_000;

export function createHeadlessTerminal(columns = 80, rows = 24): HeadlessTerminal {
  const emulator = new Emulator({ cols: columns, rows, allowProposedApi: true, scrollback: 5_000 });
  const written: string[] = [];
  let onInput: (data: string) => void = () => {};
  let onResize: () => void = () => {};
  let started = false;

  async function lines(): Promise<string[]> {
    await new Promise<void>((done) => emulator.write("", done));
    const buffer = emulator.buffer.active;
    return Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)!.translateToString(true).trimEnd());
  }

  return {
    start(input, resize) {
      started = true;
      onInput = input;
      onResize = resize;
    },
    stop() {
      started = false;
    },
    isStarted: () => started,
    drainInput: async () => {},
    write(data) {
      written.push(data);
      emulator.write(data);
    },
    get columns() {
      return emulator.cols;
    },
    get rows() {
      return emulator.rows;
    },
    kittyProtocolActive: false,
    moveBy() {},
    hideCursor() {},
    showCursor() {},
    clearLine() {},
    clearFromCursor() {},
    clearScreen() {},
    setTitle() {},
    setProgress() {},
    setProgramStatus() {},
    type: (data) => onInput(data),
    paste: (text) => onInput(`\x1b[200~${text}\x1b[201~`),
    resize(cols, height) {
      emulator.resize(cols, height);
      onResize();
    },
    lines,
    async waitFor(text) {
      for (let waited = 0; ; waited += STEP_MS) {
        const all = (await lines()).join("\n");
        if (typeof text === "string" ? all.includes(text) : text.test(all)) return all;
        if (waited > MAX_MS) throw new Error(`${String(text)} is not on the screen:\n${all.trimEnd()}`);
        await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      }
    },
    raw: () => written.join(""),
  };
}
