// Shows the events of a turn as lines in a terminal. The answer goes to `answer`, everything else to `aside`, so that a pipe
// gets only the answer. Must never output control characters: texts of models and files could control the terminal.
import { isBesideCommand } from "../core/commands/parse-command.ts";
import type { AgentEvent } from "../core/schemas/entry.ts";
import { summarise, toOneLine, toPlain, toPlainDeep } from "./output/plain-text.ts";
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

/** The question is shown as a card, and what was answered after it. */
export function isShownAsCard({ name }: { name: string }): boolean {
  return name === "clarify";
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
