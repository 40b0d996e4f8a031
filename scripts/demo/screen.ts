// What the demo prints: headings, a turn as it streams, the comparison. Writes to standard output and nothing else.
import type { AgentEvent } from "../../core/schemas/entry.ts";

export interface Row {
  name: string;
  modelCalls: number;
  toolCalls: number;
  failedCalls: number;
  promptTokens: number;
  ms: number;
  correct: boolean;
}

const color = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code: string, text: string) => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
export const bold = (text: string) => paint("1", text);
export const dim = (text: string) => paint("2", text);
const red = (text: string) => paint("31", text);
const green = (text: string) => paint("32", text);

export function say(line = ""): void {
  process.stdout.write(`${line}\n`);
}

export function heading(text: string): void {
  say();
  say(bold(text));
}

export function quote(text: string): void {
  for (const line of text.trimEnd().split("\n")) say(dim("  │ ") + line);
}

/** Prints the events of one turn as they arrive; `text` returns the last entry's text. */
export function createTurnView(): { show(event: AgentEvent): void; text(): string } {
  let text = "";
  let open = false;
  const close = () => {
    if (open) process.stdout.write("\n");
    open = false;
  };
  return {
    text: () => text,
    show(event) {
      switch (event.type) {
        case "entry_start":
        case "entry_restart":
          close();
          text = "";
          break;
        case "text_delta":
          process.stdout.write(open ? event.text : `  ${event.text}`);
          open = true;
          text += event.text;
          break;
        case "tool_start":
          close();
          say(`  ${dim("→")} ${event.name} ${dim(clip(describeArgs(event.args), 96))}`);
          break;
        case "tool_end":
          say(`    ${event.failed ? red("✗") : green("✓")} ${dim(clip(describeResult(event.result), 100))}`);
          break;
        case "notice_add":
          close();
          say(`  ${red("!")} ${event.text}`);
          break;
        case "turn_end":
          close();
          break;
      }
    },
  };
}

/** Without `times` for rehearsal, whose times say nothing about a real model. */
export function printTable(rows: Row[], { times }: { times: boolean }): void {
  const head = [
    "session",
    "answer",
    "prompt tokens",
    "model calls",
    "tool calls",
    "failed",
    ...(times ? ["time"] : []),
  ];
  const lines = rows.map((row) => [
    row.name,
    row.correct ? "correct" : "wrong",
    row.promptTokens.toLocaleString("en"),
    String(row.modelCalls),
    String(row.toolCalls),
    String(row.failedCalls),
    ...(times ? [`${(row.ms / 1000).toFixed(1)} s`] : []),
  ]);
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]!.length)));
  const toLine = (cells: string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join("   ");
  say(`  ${bold(toLine(head))}`);
  say(`  ${widths.map((width) => "─".repeat(width)).join("───")}`);
  for (const [i, line] of lines.entries()) {
    const text = toLine(line);
    say(`  ${rows[i]!.correct ? text : red(text)}`);
  }
}

function describeArgs(args: Record<string, unknown>): string {
  const first = args.command ?? args.path ?? args.name ?? args.query;
  return typeof first === "string" ? first : JSON.stringify(args);
}

/** The part of a result that a person would read first, in one line. */
function describeResult(result: string): string {
  let value: Record<string, unknown> = {};
  try {
    value = JSON.parse(result) as Record<string, unknown>;
  } catch {
    return result; // cut off, or not JSON
  }
  const exit = typeof value.exit_code === "number" && value.exit_code !== 0 ? `exit ${value.exit_code}: ` : "";
  const message = [value.error, value.stdout, value.stderr, value.content].find(
    (text) => typeof text === "string" && text,
  );
  return exit + (typeof message === "string" ? message.replace(/^---\n[\s\S]*?\n---\n/, "").trim() : result);
}

function clip(text: string, chars: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= chars ? line : `${line.slice(0, chars - 1)}…`;
}
