// The index of skills: by state, found by state, category and words. Files that are dropped on it are imported.
import { signal } from "@preact/signals";
import { useMemo, useRef, useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { Button } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { countOf, formatNumber } from "../components/numbers.ts";
import { Page as Frame } from "../components/page.tsx";
import { ScopeNote } from "../components/scope-note.tsx";
import { Empty, Failure, Loading } from "../components/states.tsx";
import { useFileDrop } from "../components/use-file-drop.ts";
import { WindowedList } from "../components/windowed-list.tsx";
import { useList } from "../data/list.ts";
import { useResource } from "../data/resource.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Row, type Wanted, countBy, filterSkills, toRows } from "./figures.ts";
import { ImportButton } from "./import.tsx";
import { RateBar } from "./rate-bar.tsx";
import { type Line, ORIGINS, STATES, describeState, shownState } from "./words.ts";

const ROW_PX = 60;

/** Kept while the reader looks at a skill and comes back. */
const wanted = signal<Wanted>({ words: "", state: "", category: "" });

export function SkillIndex() {
  // Counts and filters need every skill. There are seldom more than a thousand.
  const list = useList("GET /v1/skills", { query: { counts: "1" } }, ({ skills }) => skills, { isWhole: true });
  const { items, error } = list;
  const [files, setFiles] = useState<File[]>([]);
  const area = useRef<HTMLDivElement>(null);
  const isOver = useFileDrop(area, setFiles, may("write"));
  const shown = useMemo(() => filterSkills(items, wanted.value), [items, wanted.value]);
  const rows = useMemo(() => toRows(shown), [shown]);
  return (
    <div class={`drop-area${isOver ? " is-over" : ""}`} ref={area}>
      <Frame
        title="Skills"
        lead="Procedures that the agent follows: those that it learned, those that you gave it, and those that it came with."
        actions={
          may("write") && (
            <>
              <ImportButton files={files} onFiles={setFiles} onImported={() => void list.reload()} />
              <a class="button" href={hrefOf("skills", "+new")}>
                <Icon name="plus" />
                New skill
              </a>
            </>
          )
        }
      >
        <ScopeNote scope="write" to="change skills" />
        <Waiting />
        <Filters skills={items} />
        {error !== undefined && <Failure error={error} retry={() => void list.reload()} />}
        {!list.isReady && <Loading />}
        {list.isReady && error === undefined && shown.length === 0 && <Nothing all={items.length} />}
        {list.isReady && (
          <p class="muted small" role="status">
            {shown.length === items.length
              ? countOf(items.length, "skill")
              : `${formatNumber(shown.length)} of ${countOf(items.length, "skill")}`}
          </p>
        )}
        <WindowedList label="Skills" items={rows} rowHeight={ROW_PX} keyOf={({ key }) => key} row={toRow} />
        {may("write") && <p class="muted small drop-hint">Drop a SKILL.md, .zip or .skill here to import it.</p>}
      </Frame>
    </div>
  );
}

function Filters({ skills }: { skills: Line[] }) {
  const { words, state, category } = wanted.value;
  const set = (changed: Partial<Wanted>) => (wanted.value = { ...wanted.value, ...changed });
  const states = new Map(countBy(skills, shownState));
  return (
    <div class="toolbar" role="search">
      <input
        class="input grow"
        type="search"
        aria-label="Search in skills"
        placeholder="Search in skills"
        dir="auto"
        value={words}
        onInput={(event) => set({ words: event.currentTarget.value })}
      />
      <select
        class="input input-auto"
        aria-label="State"
        value={state}
        onChange={(event) => set({ state: event.currentTarget.value })}
      >
        <option value="">Every state</option>
        {STATES.map(({ state: value, name }) => (
          <option key={value} value={value}>
            {name} ({states.get(value) ?? 0})
          </option>
        ))}
      </select>
      <select
        class="input input-auto"
        aria-label="Category"
        value={category}
        onChange={(event) => set({ category: event.currentTarget.value })}
      >
        <option value="">Every category</option>
        {countBy(skills, (skill) => skill.category).map(([value, count]) => (
          <option key={value} value={value}>
            {value} ({count})
          </option>
        ))}
      </select>
    </div>
  );
}

function Nothing({ all }: { all: number }) {
  if (all === 0) {
    return (
      <Empty icon="skill" title="No skills yet">
        <p>The agent learns them from its work. Talk to it, or drop a SKILL.md here.</p>
        <a class="button" href="#/chat">
          Start a chat
        </a>
      </Empty>
    );
  }
  return (
    <Empty icon="search" title="No skill matches">
      <Button onClick={() => (wanted.value = { words: "", state: "", category: "" })}>Show all skills</Button>
    </Empty>
  );
}

function toRow(row: Row) {
  if (row.kind === "skill") return <SkillRow skill={row.skill} />;
  return (
    <h2 class="group-head">
      {row.title} <span class="muted">{formatNumber(row.count)}</span>
    </h2>
  );
}

function SkillRow({ skill }: { skill: Line }) {
  const { name, description, category, origin, pinned, use, health, public: isPublic, heldUntil = 0 } = skill;
  const { name: stateName, tone } = describeState(shownState(skill));
  return (
    <div class="row skill-row">
      <div class="row-main">
        <span class="skill-name">
          <a class="clip" href={hrefOf("skills", name)}>
            {name}
          </a>
          {pinned && <Badge tone="accent">Pinned</Badge>}
          {isPublic === true && <Badge>Public</Badge>}
          {(health?.broken.length ?? 0) > 0 && <Badge tone="bad">Broken</Badge>}
          {heldUntil > Date.now() && <Badge tone="accent">Being tried</Badge>}
        </span>
        <span class="muted small clip" dir="auto">
          {description}
        </span>
      </div>
      <div class="row-side">
        <span class="skill-use">
          {use && <RateBar successes={use.successes} failures={use.failures} />}
          <span class="nowrap">{countUses(use?.uses ?? 0)}</span>
        </span>
        <span class="skill-from">
          <span class="clip" title={`Category: ${category}`}>
            {category}
          </span>
          <span>{ORIGINS[origin]}</span>
        </span>
        <Badge tone={tone}>{stateName}</Badge>
      </div>
    </div>
  );
}

/** Uses are counted when one of them is judged. */
function countUses(uses: number): string {
  return uses === 0 ? "Not judged yet" : countOf(uses, "use");
}

/** Changes of skills that a person must decide about. */
function Waiting() {
  const { value } = useResource("GET /v1/pending", { query: {} });
  const count = value?.pending.filter(({ tool, state }) => tool === "skill_manage" && state === "waiting").length ?? 0;
  if (count === 0) return null;
  return (
    <p class="note note-warn page-note">
      {count === 1 ? "1 change of a skill waits" : `${formatNumber(count)} changes of skills wait`} for your decision.{" "}
      <a href={hrefOf("learning", "pending")}>Decide in Learning</a>
    </p>
  );
}
