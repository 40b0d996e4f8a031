// Turns a turn's events into lines for a terminal. The answer goes to `answer`, everything about it to `aside`, so that a
// pipe gets the answer alone. Must never pass on control characters: what a model or a file says is not ours to obey.
import type { AgentEvent, JsonObject } from "../core/schemas/entry.ts";

export interface Screen {
  answer(text: string): void;
  aside(text: string): void;
  /** Overwriting a line is possible, and colours are welcome. */
  rich: boolean;
  columns: number;
}

export type Show = ReturnType<typeof createShow>;

export function createShow(screen: Screen) {
  const dim = (text: string) => (screen.rich ? `\x1b[2m${text}\x1b[0m` : text);
  /** The text last written to a line that is not finished: by the answer, or by a tool that runs. */
  let open: "nothing" | "answer" | "tool" = "nothing";
  const calls = new Map<number, string>();
  /** The entry whose text is on the screen. */
  let shown: number | null = null;

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
          shown = event.entry;
          open = event.text.endsWith("\n") ? "nothing" : "answer";
          return;
        case "entry_restart":
          if (shown === event.entry) line("(the answer broke off; it begins again)");
          return;
        case "steer_add":
          return line(`(put into the running turn: ${toOneLine(event.text)})`);
        case "tool_start": {
          const call = cut(`${toOneLine(event.name)} ${summarise(event.args)}`, screen.columns - 5);
          calls.set(event.entry, call);
          endLine();
          if (!screen.rich) return;
          screen.aside(dim(`  … ${call}`));
          open = "tool";
          return;
        }
        case "tool_end": {
          const mark = event.failed ? "✗" : "✓";
          const text = `  ${mark} ${calls.get(event.entry) ?? toOneLine(event.name)}`;
          if (open !== "tool") return line(text);
          screen.aside(`\r\x1b[2K${dim(text)}\n`);
          open = "nothing";
          return;
        }
        case "notice_add":
          return line(event.code === "learned" ? `★ ${toOneLine(event.text)}` : `! ${event.text}`);
        case "turn_end":
          return line(toClosing(event));
      }
    },
  };
}

/** What to show of a call's arguments: the one that says most, on one line. */
export function summarise(args: JsonObject): string {
  const [first] = Array.isArray(args.operations) ? args.operations : [];
  // Of a list the first operation speaks for the others; what stands beside the list counts for all of them.
  const said: JsonObject =
    typeof first === "object" && first !== null && !Array.isArray(first) ? { ...first, ...args } : args;
  const telling = ["command", "path", "pattern", "name", "query", "content"].find(
    (key) => typeof said[key] === "string",
  );
  const action = typeof said.action === "string" ? `${said.action} ` : "";
  const text = telling ? `${action}${String(said[telling])}` : JSON.stringify(args);
  return toOneLine(text);
}

/** What a terminal would act on, but for line ends and tabs. */
const CONTROL = /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

export function toPlain(text: string): string {
  return text.replace(CONTROL, "");
}

export function toOneLine(text: string): string {
  return toPlain(text).replace(/\s+/g, " ").trim();
}

/** JSON in which those characters are escaped, the ones too that JSON lets through. */
export function toPlainJson(value: unknown): string {
  return JSON.stringify(value).replace(CONTROL, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function cut(text: string, width: number): string {
  const chars = [...text];
  const most = Math.max(width, 20);
  return chars.length <= most ? text : `${chars.slice(0, most - 1).join("")}…`;
}

function toClosing({ state, reason, stats }: Extract<AgentEvent, { type: "turn_end" }>): string {
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
