// Two runs of one turn side by side: the difference of their steps and of their answers, then each with what it did and said.
import type { Entry } from "../../core/schemas/entry.ts";
import { AnswerText } from "../chat/log/answer-text.tsx";
import { ToolRow } from "../chat/log/tool-row.tsx";
import { type Item, toItem } from "../chat/session/items.ts";
import { Badge } from "../components/badge.tsx";
import { Diff } from "../components/diff.tsx";
import { showHidden } from "../components/hidden-text.ts";
import { Failure, Loading } from "../components/states.tsx";
import type { Answer } from "../data/api.ts";
import { type Resource, useResource } from "../data/resource.ts";
import { type Run, describeRun, describeVerdict, nameRun, toAnswer, toSteps } from "./experiment-words.ts";

/** Of one run; longer ones are cut. */
const MAX_ENTRIES = "500";
const RUN_ROUTE = "GET /v1/experiments/{experiment}/runs/{replay}";
type Entries = Answer<typeof RUN_ROUTE>["entries"];

interface Shown {
  items: Item[];
  isCut: boolean;
}

export function CompareRuns({ experiment, pair: [other, own] }: { experiment: string; pair: [Run, Run] }) {
  const right = useRun(experiment, own);
  const replayed = useRun(experiment, other);
  // A replay has the numbers of the recorded turn, so its message says where that begins in the log.
  const first = right.value?.entries[0]?.n;
  const recorded = useRecorded(other, first);
  const left = other.replay === null ? recorded : replayed;
  for (const { error, reload } of [right, left])
    if (error !== undefined) return <Failure error={error} retry={() => void reload()} />;
  if (right.value === undefined || left.value === undefined) return <Loading />;
  const [before, after] = [toShown(left.value, other), toShown(right.value, own)];
  return (
    <div class="runs-compared">
      <h3>Steps: what is different with it</h3>
      <Diff name="the steps" before={toSteps(before.items)} after={toSteps(after.items)} />
      <h3>Answer: what is different with it</h3>
      <Diff name="the answer" before={toAnswer(before.items)} after={toAnswer(after.items)} />
      <div class="runs-beside">
        <OneRun run={other} shown={before} />
        <OneRun run={own} shown={after} />
      </div>
    </div>
  );
}

function OneRun({ run, shown: { items, isCut } }: { run: Run; shown: Shown }) {
  const { name, tone } = describeVerdict(run);
  return (
    <section class="run-column" aria-label={nameRun(run)}>
      <h3>
        {nameRun(run)} <Badge tone={tone}>{name}</Badge>
      </h3>
      <p class="muted small">{describeRun(run)}</p>
      {groupTools(items).map((part) =>
        Array.isArray(part) ? (
          <ul key={part[0]!.entry} class="tools" aria-label="Tool calls">
            {part.map((item) => (
              <ToolRow key={item.entry} item={item} isOpenTurn={false} />
            ))}
          </ul>
        ) : (
          <ShownItem key={part.entry} item={part} />
        ),
      )}
      {isCut && <p class="muted">Only its first {MAX_ENTRIES} entries are shown.</p>}
    </section>
  );
}

type Tool = Extract<Item, { kind: "tool" }>;

function groupTools(items: readonly Item[]): (Exclude<Item, Tool> | Tool[])[] {
  const parts: (Exclude<Item, Tool> | Tool[])[] = [];
  for (const item of items) {
    const last = parts.at(-1);
    // An answer without a word only made the calls.
    if (item.kind === "answer" && item.text === "") continue;
    if (item.kind !== "tool") parts.push(item);
    else if (Array.isArray(last)) last.push(item);
    else parts.push([item]);
  }
  return parts;
}

function ShownItem({ item }: { item: Exclude<Item, Tool> }) {
  if (item.kind === "answer") return <AnswerText text={item.text} isStreaming={false} />;
  const text = item.text ?? "";
  if (text.trim() === "") return null;
  return (
    <p class={item.kind === "person" ? "run-asked" : "muted small"} dir="auto">
      {showHidden(text)}
    </p>
  );
}

/** Reads nothing for the recorded turn. */
function useRun(experiment: string, { replay }: Run): Resource<{ entries: Entries; next?: string | undefined }> {
  return useResource(
    RUN_ROUTE,
    replay === null ? null : { params: { experiment, replay }, query: { limit: MAX_ENTRIES } },
  );
}

/** The recorded turn, from its first entry on. Reads nothing for a replay. */
function useRecorded(
  { replay, turn }: Run,
  first: number | undefined,
): Resource<{ entries: Entries; next?: string | undefined }> {
  const session = turn.slice(0, turn.lastIndexOf("-"));
  const isRead = replay === null && first !== undefined;
  return useResource(
    "GET /v1/sessions/{session}/entries",
    isRead ? { params: { session }, query: { after: String(first - 1), limit: MAX_ENTRIES } } : null,
  );
}

/** Without what other turns wrote after it. */
function toShown({ entries, next }: { entries: Entries; next?: string | undefined }, { turn }: Run): Shown {
  const n = Number(turn.slice(turn.lastIndexOf("-") + 1));
  const own = entries.filter((entry) => entry.turn === n);
  return { items: (own as Entry[]).map(toItem), isCut: next !== undefined && own.length === entries.length };
}
