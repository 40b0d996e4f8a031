// Where `talaria` writes: results to stdout, everything else to stderr. Used by talaria.ts and the verbs. Must never output control
// characters of foreign text, nor fail because a reader such as `head` has closed the pipe.
import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { UsageError } from "../connection/connection.ts";
import { toPlain, toPlainJson } from "./plain-text.ts";
import { type Column, renderTable } from "./table.ts";

export type Output = ReturnType<typeof createOutput>;

export interface Streams {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}

/** A pipe has no width: nothing is cut. */
const ENDLESS = Number.POSITIVE_INFINITY;

export function createOutput({ stdin, stdout, stderr }: Streams) {
  const columns = stdout.isTTY ? stdout.columns || 80 : ENDLESS;
  return {
    isTerminal: Boolean(stdin.isTTY && stdout.isTTY),
    columns,
    json: (value: unknown) => void stdout.write(`${toPlainJson(value)}\n`),
    /** A result as text. */
    text: (text: string) =>
      void stdout.write(text === "" || text.endsWith("\n") ? toPlain(text) : `${toPlain(text)}\n`),
    /** A file, byte for byte. */
    bytes: (bytes: Uint8Array) => void stdout.write(bytes),
    table<Row>(rows: readonly Row[], shape: readonly Column<Row>[], empty: string): void {
      if (rows.length === 0) stderr.write(`${empty}\n`);
      else stdout.write(renderTable(rows, shape, columns));
    },
    note: (text: string) => void stderr.write(`${toPlain(text)}\n`),
    /** Asks before something is destroyed. `yes`: the person said so on the command line. */
    async confirm(question: string, yes: boolean): Promise<boolean> {
      if (yes) return true;
      if (!stdin.isTTY)
        throw new UsageError(`${toPlain(question)} Nothing was done: pass --yes to say so in a script.`);
      const answer = await this.ask(`${question} [y/N] `);
      if (/^y(?:es)?$/i.test(answer.trim())) return true;
      stderr.write("Nothing was done.\n");
      return false;
    },
    /** One line that the person types, and that is not shown. Only in a terminal. */
    async askSecret(question: string): Promise<string> {
      const unseen = new Writable({ write: (_piece, _encoding, done) => done() });
      const lines = createInterface({ input: stdin, output: unseen, terminal: true });
      stderr.write(toPlain(question));
      try {
        return await lines.question("");
      } finally {
        lines.close();
        stderr.write("\n");
      }
    },
    /** One line that the person types. Only in a terminal. */
    async ask(question: string): Promise<string> {
      const lines = createInterface({ input: stdin, output: stderr });
      try {
        return await lines.question(toPlain(question));
      } finally {
        lines.close();
      }
    },
  };
}

/** A reader that has left ends the program, quietly. */
export function endWithReader(...streams: Writable[]): void {
  for (const stream of streams) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
}
