// The conversation above the editor: what the person wrote, answers, tool calls, notices. Built from the events of the session.
// Used by the session view. Holds no connection, and never shows a text that has not passed `clean`.
import { Container, Markdown, Spacer, Text } from "@earendil-works/pi-tui";
import type { AgentEvent } from "../../../core/schemas/entry.ts";
import { toOneLine, toPlainDeep } from "../../output/plain-text.ts";
import { FOR_THE_MODEL, describeEnd, isShownAsCard } from "../../show.ts";
import { renderQuestion } from "./question.ts";
import { FreeRows, clean, wrapRows } from "./lines.ts";
import type { Theme } from "./theme.ts";
import { ToolRow } from "./tool-row.ts";

/** A longer message of the person is folded. */
const PERSON_LINES = 12;

export type Transcript = ReturnType<typeof createTranscript>;

interface AnswerBlock {
  markdown: Markdown;
  text: string;
}

export function createTranscript(theme: Theme) {
  const container = new Container();
  const answers = new Map<number, AnswerBlock>();
  const thoughts = new Map<number, { text: string; rows: FreeRows }>();
  const calls = new Map<number, ToolRow>();
  let isFolded = true;
  /** The last row was a tool call: calls follow each other without an empty row. */
  let isInCalls = false;

  function addSpaced(...blocks: Container["children"]): void {
    if (container.children.length > 0) container.addChild(new Spacer(1));
    for (const block of blocks) container.addChild(block);
    isInCalls = false;
  }

  function addNote(text: string, style = theme.faint): void {
    container.addChild(new FreeRows((width) => wrapRows(style(clean(text)), width)));
    isInCalls = false;
  }

  /** A page of text, such as help: kept as it is, wrapped where it is too wide. */
  function addPage(text: string): void {
    addSpaced(new Text(clean(text), 0, 0));
  }

  function addAnswer(entry: number): AnswerBlock {
    const block = { markdown: new Markdown("", 0, 0, theme.markdown, undefined, { renderLatex: false }), text: "" };
    answers.set(entry, block);
    addSpaced(block.markdown);
    return block;
  }

  /** Its row changes while it is thought, so it is made of the text as it is. */
  function addThought(entry: number, text: string): void {
    const known = thoughts.get(entry);
    if (known) {
      known.text += text;
      return known.rows.invalidate();
    }
    const thought: { text: string; rows: FreeRows } = {
      text,
      rows: new FreeRows((width) => {
        const whole = clean(thought.text).trim();
        const words = whole.split(/\s+/).length;
        return isFolded
          ? [theme.faint(`  ∴ thought, ${words} words`)]
          : [theme.faint("  ∴ thought"), ...wrapRows(theme.faint(whole), width, "    ")];
      }),
    };
    thoughts.set(entry, thought);
    addSpaced(thought.rows);
  }

  return {
    component: container,
    addNote,

    addPage,

    /** `mark`: what is said of the message, such as that it joined a running turn. Answers a function that changes the text. */
    addPerson(text: string, mark = ""): (text: string) => void {
      let lines = clean(text).split("\n");
      const rows = new FreeRows((width) => {
        const shown = isFolded && lines.length > PERSON_LINES ? lines.slice(0, PERSON_LINES) : lines;
        const made = shown.flatMap((line, at) =>
          wrapRows(theme.strong(line), width - 2).map(
            (row, part) => `${at + part === 0 ? theme.person("›") : " "} ${row}`,
          ),
        );
        const left = lines.length - shown.length;
        if (left > 0) made.push(theme.faint(`  … ${left} more lines (Ctrl-O shows them)`));
        if (mark !== "") made.push(theme.faint(`  ${mark}`));
        return made;
      });
      addSpaced(rows);
      return (next) => {
        lines = clean(next).split("\n");
        rows.invalidate();
      };
    },

    toggleFold(): void {
      isFolded = !isFolded;
      container.invalidate();
    },

    clear(): void {
      container.clear();
      for (const map of [answers, thoughts, calls]) map.clear();
      isInCalls = false;
    },

    /** Everything of an event except the messages of the person, which the session view places. */
    apply(event: AgentEvent): void {
      switch (event.type) {
        case "turn_start":
        case "steer_add":
        case "entry_start":
          return;
        case "reasoning_delta":
          return addThought(event.entry, event.text);
        case "text_delta": {
          const block = answers.get(event.entry) ?? addAnswer(event.entry);
          block.text = block.text.slice(0, event.offset) + event.text;
          return block.markdown.setText(clean(block.text));
        }
        case "entry_restart": {
          const block = answers.get(event.entry);
          if (block) {
            block.text = "";
            block.markdown.setText("");
            addNote("(the answer was cut off; it starts again)");
            answers.delete(event.entry);
          }
          return;
        }
        case "tool_start": {
          const row = new ToolRow(event, theme, () => isFolded);
          calls.set(event.entry, row);
          if (isShownAsCard(event)) return;
          if (!isInCalls && container.children.length > 0) container.addChild(new Spacer(1));
          container.addChild(row);
          isInCalls = true;
          return;
        }
        case "tool_end": {
          const row = calls.get(event.entry);
          row?.end(event.failed, event.result);
          if (row && event.failed && isShownAsCard(event)) addSpaced(row);
          return;
        }
        case "notice_add":
          if (FOR_THE_MODEL.has(event.code)) return;
          if (event.code === "clarify_answered") return addNote(`✓ ${event.text}`, theme.good);
          if (event.code === "learned") {
            const text = toOneLine(event.text);
            return addNote(`★ ${text}${/\bnothing\b/i.test(text) ? "" : " (/why, /unlearn)"}`, theme.accent);
          }
          if (event.code === "command_answer") return addPage(event.text);
          return addNote(`! ${event.text}`, theme.warn);
        case "turn_park":
          return addSpaced(new Text(renderQuestion(toPlainDeep(event), theme), 0, 0));
        case "turn_end":
          // A command that was carried out has said so itself.
          if (event.state === "done" && event.stats.modelCalls === 0) return;
          return addNote(`  ${describeEnd(event)}`);
      }
    },
  };
}
