// Shows the events of a turn as lines in a terminal. The answer goes to `answer`, everything else to `aside`, so that a pipe
// gets only the answer. Must never output control characters: texts of models and files could control the terminal.
import { isBesideCommand } from "../core/commands/parse-command.ts";
import type { AgentEvent, JsonObject } from "../core/schemas/entry.ts";
import { renderCard } from "./question-card.ts";

export interface Screen {
  answer(text: string): void;
  aside(text: string): void;
  /** The terminal supports colours and overwriting a line. */
  rich: boolean;
  columns: number;
}

export type Display = ReturnType<typeof createDisplay>;

/** Codes of notes that repeat for the model what the person did or has already seen. */
export const FOR_THE_MODEL: ReadonlySet<string> = new Set(["news", "rating"]);

export function createDisplay(screen: Screen) {
  const styled = (code: number) => (text: string) => (screen.rich ? `\x1b[${code}m${text}\x1b[0m` : text);
  const dim = styled(2);
  const strong = styled(1);
  /** What wrote the unfinished line: the answer, or a running tool. */
  let open: "nothing" | "answer" | "tool" = "nothing";
  const calls = new Map<number, string>();
  /** The entry whose text was shown last. */
  let shownEntry: number | null = null;
  /** The agent has asked something, and the next message is the answer. */
  let isAsking = false;

  function endLine(): void {
    if (open === "answer") screen.answer("\n");
    if (open === "tool") screen.aside("\n");
    open = "nothing";
  }

  function line(text: string): void {
    endLine();
    screen.aside(`${dim(toPlain(text))}\n`);
  }

  return {
    line,
    event(event: AgentEvent): void {
      switch (event.type) {
        case "turn_start":
        case "entry_start":
        case "reasoning_delta":
          return;
        case "text_delta":
          if (open === "tool") endLine();
          screen.answer(toPlain(event.text));
          shownEntry = event.entry;
          open = event.text.endsWith("\n") ? "nothing" : "answer";
          return;
        case "entry_restart":
          if (shownEntry === event.entry) line("(the answer was cut off; it starts again)");
          return;
        case "steer_add":
          if (isBesideCommand(event.text) || isAsking) return; // its answer follows
          return line(`(put into the running turn: ${toOneLine(event.text)})`);
        case "tool_start": {
          const call = truncate(`${toOneLine(event.name)} ${summarise(event.args)}`, screen.columns - 5);
          calls.set(event.entry, call);
          endLine();
          if (!screen.rich || isShownAsCard(event)) return;
          screen.aside(dim(`  … ${call}`));
          open = "tool";
          return;
        }
        case "tool_end": {
          if (isShownAsCard(event) && !event.failed) return;
          const mark = event.failed ? "✗" : "✓";
          const text = `  ${mark} ${calls.get(event.entry) ?? toOneLine(event.name)}`;
          if (open !== "tool") return line(text);
          screen.aside(`\r\x1b[2K${dim(text)}\n`);
          open = "nothing";
          return;
        }
        case "notice_add":
          if (FOR_THE_MODEL.has(event.code)) return;
          if (event.code === "clarify_answered" || event.code === "clarify_timed_out") isAsking = false;
          if (event.code === "clarify_answered") return line(`✓ ${event.text}`);
          return line(event.code === "learned" ? `★ ${toOneLine(event.text)}` : `! ${event.text}`);
        case "turn_park":
          endLine();
          isAsking = event.question.for === "clarify";
          screen.aside(`${renderCard(toPlainDeep(event), { strong, faint: dim })}\n`);
          return;
        case "turn_end":
          isAsking = false;
          return line(describeEnd(event));
      }
    },
  };
}

/** The most informative argument of a call, on one line. */
export function summarise(args: JsonObject): string {
  const [first] = Array.isArray(args.operations) ? args.operations : [];
  // The first operation represents a list. Arguments next to the list belong to every operation.
  const mergedArgs: JsonObject =
    typeof first === "object" && first !== null && !Array.isArray(first) ? { ...first, ...args } : args;
  const mainArgument = ["command", "path", "pattern", "name", "query", "content"].find(
    (key) => typeof mergedArgs[key] === "string",
  );
  const action = typeof mergedArgs.action === "string" ? `${mergedArgs.action} ` : "";
  const text = mainArgument ? `${action}${String(mergedArgs[mainArgument])}` : JSON.stringify(args);
  return toOneLine(text);
}

/** Control characters, line separators, and bidirectional marks and overrides, except line feeds and tabs. */
const CONTROL = /(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

export function toPlain(text: string): string {
  return text.replace(CONTROL, "");
}

/** The question is shown as a card, and what was answered after it. */
export function isShownAsCard({ name }: { name: string }): boolean {
  return name === "clarify";
}

/** Every text in it without control characters. */
export function toPlainDeep<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_, one: unknown) => (typeof one === "string" ? toPlain(one) : one)) as T;
}

export function toOneLine(text: string): string {
  return toPlain(text).replace(/\s+/g, " ").trim();
}

/** JSON with every control character escaped, also those that JSON allows. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function truncate(text: string, width: number): string {
  const chars = [...text];
  const most = Math.max(width, 20);
  return chars.length <= most ? text : `${chars.slice(0, most - 1).join("")}…`;
}

export function describeEnd({ state, reason, stats }: Extract<AgentEvent, { type: "turn_end" }>): string {
  const { input, output, cacheRead, cacheWrite } = stats.usage;
  const failed = stats.failedCalls > 0 ? `, ${stats.failedCalls} failed` : "";
  const calls = `${count(stats.modelCalls, "model call")}, ${count(stats.toolCalls, "tool call")}${failed}`;
  const tokens = `${(input + output + cacheRead + cacheWrite).toLocaleString("en")} tokens`;
  const how = state === reason ? state : `${state} (${toOneLine(reason)})`;
  return `${state === "done" && reason === "answer" ? "" : `${how}: `}${calls}, ${tokens}`;
}

export function count(n: number, what: string): string {
  return `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;
}
