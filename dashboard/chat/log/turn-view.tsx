// One turn: the message, what the agent thought, said and did, how it ended, and what was learned from it.
import { useState } from "preact/hooks";
import { CopyButton } from "../../components/code.tsx";
import { Icon } from "../../components/icon.tsx";
import { countOf, formatMoney, formatNumber, formatShare } from "../../components/numbers.ts";
import { Time } from "../../components/time.tsx";
import { AnswerText } from "./answer-text.tsx";
import type { Turn, TurnEnd } from "../session/conversation.ts";
import type { AnswerItem, Item, NoticeItem, ToolItem } from "../session/items.ts";
import { Learned } from "./learned.tsx";
import { toForm } from "./notice-text.ts";
import type { Lesson } from "./place-lessons.ts";
import { type PersonActions, PersonMessage } from "./person-message.tsx";
import { isStreaming, openQuestion } from "../session/progress.ts";
import { QuestionCard } from "./question-card.tsx";
import { ToolRow } from "./tool-row.tsx";

export interface TurnProps {
  session: string;
  turn: Turn;
  /** The text of a message that the log has not given yet. */
  textOf(turn: number): string | null;
  lessons: readonly Lesson[];
  isMarked: boolean;
  actions: PersonActions;
}

export function TurnView({ session, turn, textOf, lessons, isMarked, actions }: TurnProps) {
  const { n, items, end, undoneBy } = turn;
  const [isShown, setShown] = useState(false);
  if (items.length === 0) return null;
  const question = openQuestion(turn);
  const text = items.flatMap((item) => (item.kind === "answer" && item.text !== "" ? [item.text] : [])).at(-1);
  return (
    <section
      class={`turn${isMarked ? " turn-marked" : ""}`}
      id={`turn-${n}`}
      data-turn={n}
      aria-label={`Turn ${n}`}
      tabIndex={-1}
    >
      {undoneBy !== null && (
        <p class="turn-note muted">
          <Icon name="undo" /> You took this turn back.{" "}
          <button type="button" class="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
            {isShown ? "Hide it" : "Show it"}
          </button>
        </p>
      )}
      {(undoneBy === null || isShown) && (
        <div class={undoneBy === null ? "turn-items" : "turn-items turn-undone"}>
          {group(items).map((part) =>
            Array.isArray(part) ? (
              <ul key={part[0]!.entry} class="tools" aria-label="Tool calls">
                {part.map((item) => (
                  <ToolRow key={item.entry} item={item} isOpenTurn={end === null} />
                ))}
              </ul>
            ) : (
              <ShownItem
                key={part.entry}
                {...{ session, turn, item: part, textOf, actions }}
                isOpen={part === question}
              />
            ),
          )}
          {end && <TurnFoot turn={turn} end={end} text={text} actions={actions} />}
          {lessons.length > 0 && <Learned lessons={lessons} />}
        </div>
      )}
    </section>
  );
}

/** Consecutive calls share one list. */
function group(items: readonly Item[]): (Exclude<Item, ToolItem> | ToolItem[])[] {
  const parts: (Exclude<Item, ToolItem> | ToolItem[])[] = [];
  for (const item of items) {
    const last = parts.at(-1);
    // An answer without a word only made the calls.
    if (item.kind === "answer" && item.text === "" && item.reasoning === "" && item.stored) continue;
    if (item.kind !== "tool") parts.push(item);
    else if (Array.isArray(last)) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

interface ShownItemProps extends Pick<TurnProps, "session" | "turn" | "textOf" | "actions"> {
  item: Exclude<Item, ToolItem>;
  isOpen: boolean;
}

function ShownItem({ session, turn, item, isOpen, textOf, actions }: ShownItemProps) {
  switch (item.kind) {
    case "person":
      return (
        <PersonMessage
          session={session}
          turn={turn}
          item={item}
          text={item.text ?? textOf(turn.n) ?? ""}
          actions={actions}
        />
      );
    case "answer":
      return <Answer item={item} isStreaming={isStreaming(turn, item.entry)} />;
    case "question":
      return <QuestionCard session={session} item={item} isOpen={isOpen} />;
    case "notice":
      return <Notice turn={turn} item={item} />;
  }
}

function Answer({ item: { text, reasoning }, isStreaming: isLive }: { item: AnswerItem; isStreaming: boolean }) {
  if (text === "" && reasoning === "") return isLive ? <Waiting /> : null;
  return (
    <div class="answer">
      {reasoning !== "" && (
        <details class="reasoning">
          <summary>{isLive && text === "" ? "Thinking…" : "Thought"}</summary>
          <div class="reasoning-text" dir="auto">
            {reasoning}
          </div>
        </details>
      )}
      {text !== "" && <AnswerText text={text} isStreaming={isLive} />}
    </div>
  );
}

function Waiting() {
  return (
    <p class="waiting" aria-hidden="true">
      <span />
      <span />
      <span />
    </p>
  );
}

function Notice({ turn, item }: { turn: Turn; item: NoticeItem }) {
  const form = toForm(turn, item);
  if (form === "hidden") return null;
  if (form === "page") {
    return (
      <pre class="turn-page" dir="auto" tabIndex={0}>
        {item.text}
      </pre>
    );
  }
  return (
    <p class={`turn-note turn-note-${form}`} dir="auto">
      <Icon name={form === "good" ? "check" : "warning"} /> <span>{item.text}</span>
    </p>
  );
}

const ENDS: Partial<Record<TurnEnd["state"], string>> = { failed: "Failed", stopped: "Stopped" };

function TurnFoot({
  turn,
  end,
  text,
  actions,
}: {
  turn: Turn;
  end: TurnEnd;
  text: string | undefined;
  actions: PersonActions;
}) {
  const at = turn.items.findLast((item) => item.at !== undefined)?.at;
  return (
    <div class="turn-foot">
      {text !== undefined && <CopyButton text={text} label="Copy the answer" />}
      {actions.ofTurn(turn)}
      <p class="turn-figures muted small">
        {ENDS[end.state] && <strong class={`turn-${end.state}`}>{ENDS[end.state]}</strong>}
        {describeFigures(end).map((figure) => (
          <span key={figure}>{figure}</span>
        ))}
        {at !== undefined && <Time at={at} />}
      </p>
    </div>
  );
}

function describeFigures({ stats }: TurnEnd): string[] {
  if (stats === null || stats.modelCalls === 0) return [];
  const { input, output, cacheRead, cacheWrite } = stats.usage;
  const read = input + cacheRead + cacheWrite;
  return [
    countOf(stats.modelCalls, "model call"),
    ...(stats.toolCalls > 0 ? [countOf(stats.toolCalls, "tool call")] : []),
    ...(stats.failedCalls > 0 ? [`${formatNumber(stats.failedCalls)} failed`] : []),
    `${formatNumber(read + output)} tokens`,
    ...(cacheRead > 0 ? [`${formatShare(cacheRead / read)} from the cache`] : []),
    ...(!stats.usdMicros ? [] : [formatMoney(stats.usdMicros / 1e6)]),
  ];
}
