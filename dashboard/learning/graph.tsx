// The graph of learning: which skills came from which work, and which were used together. Every node is a link, and all of it is also a list.
import { useMemo, useState } from "preact/hooks";
import { Badge } from "../components/badge.tsx";
import { countOf } from "../components/numbers.ts";
import { Section } from "../components/page.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { useResource } from "../data/resource.ts";
import { hrefOf } from "../pages.ts";
import {
  COLUMNS_PX,
  type GraphData,
  NAME_CHARS,
  WIDTH_PX,
  arcPath,
  edgePath,
  layOut,
  neighboursOf,
  strokeWidth,
} from "./graph-layout.ts";
import { JourneyParts } from "./journey.tsx";
import { describeState } from "../skills/words.ts";

const FEW = "40";
const MANY = "200";
/** Below this the drawing does not fit, so the list is open. */
const NARROW_PX = 600;
const STATES = ["trial", "active", "stale", "archived"] as const;

export function Graph() {
  const [skills, setSkills] = useState(FEW);
  const graph = useResource("GET /v1/learning/graph", { query: { skills } });
  return (
    <div class="stack-wide">
      <div class="toolbar">
        <JourneyParts current="graph" />
        <label class="toolbar-label">
          Show
          <select class="input input-small" value={skills} onChange={(event) => setSkills(event.currentTarget.value)}>
            <option value={FEW}>the {FEW} most used skills</option>
            <option value={MANY}>the {MANY} most used skills</option>
          </select>
        </label>
      </div>
      <Loaded of={graph}>{(value) => (value.skills.length === 0 ? <Nothing /> : <Shown graph={value} />)}</Loaded>
    </div>
  );
}

function Nothing() {
  return (
    <Empty icon="branch" title="No skill yet">
      <p>Once a skill was learned, the graph shows the work it came from.</p>
      <a class="button button-primary" href={hrefOf("chat")}>
        Start a chat
      </a>
    </Empty>
  );
}

function Shown({ graph }: { graph: GraphData }) {
  const { skills, from, together, all } = graph;
  const parts = [
    skills.length < all.skills ? `${skills.length} of ${all.skills} skills` : "",
    from.length < all.from ? `the ${from.length} strongest of ${all.from} lines to work` : "",
    together.length < all.together ? `the ${together.length} strongest of ${all.together} arcs` : "",
  ].filter(Boolean);
  return (
    <>
      <p class="muted">
        Work at the left, skills at the right. A line: a revision of the skill came from that conversation. An arc: one
        turn used both skills. {parts.length > 0 && `Shown are ${parts.join(", ")}.`}
      </p>
      <p class="legend">
        {STATES.map((state) => (
          <span key={state}>
            <i class={`graph-dot tone-${describeState(state).tone}`} />
            {describeState(state).name}
          </span>
        ))}
      </p>
      <Drawing graph={graph} />
      <AsList graph={graph} />
    </>
  );
}

function Drawing({ graph }: { graph: GraphData }) {
  const layout = useMemo(() => layOut(graph), [graph]);
  const [active, setActive] = useState<string | null>(null);
  const placeOf = useMemo(
    () =>
      new Map([
        ...layout.work.map(({ session, y }) => [session, y] as const),
        ...layout.skills.map(({ name, y }) => [name, y] as const),
      ]),
    [layout],
  );
  const work = new Map(graph.work.map((one) => [one.session, one]));
  const skills = new Map(graph.skills.map((one) => [one.name, one]));
  const y = (id: string) => placeOf.get(id) ?? 0;
  const lit = litBy(graph, active);
  const toClass = (name: string, ...ids: string[]) =>
    `${name}${lit !== null && !ids.every((id) => lit.has(id)) ? " dim" : ""}${lit !== null && ids.includes(active!) ? " lit" : ""}`;
  const hold = (id: string) => ({
    onMouseEnter: () => setActive(id),
    onMouseLeave: () => setActive(null),
    onFocus: () => setActive(id),
    onBlur: () => setActive(null),
  });
  return (
    <div class="graph-frame" tabIndex={0} role="group" aria-label="Graph of skills and the work they came from">
      <svg class="graph" viewBox={`0 0 ${WIDTH_PX} ${layout.height}`} width={WIDTH_PX} height={layout.height}>
        <g aria-hidden="true">
          {graph.from.map(({ session, skill, revisions }) => (
            <path
              key={`${session} ${skill}`}
              class={toClass("graph-edge", session, skill)}
              d={edgePath(y(session), y(skill))}
              stroke-width={strokeWidth(revisions)}
            />
          ))}
          {graph.together.map(({ a, b, turns }) => (
            <path
              key={`${a} ${b}`}
              class={toClass("graph-arc", a, b)}
              d={arcPath(layout.arcX, y(a), y(b))}
              stroke-width={strokeWidth(turns)}
            />
          ))}
        </g>
        {layout.work.map(({ session, y: at }) => {
          const name = nameOfWork(work.get(session));
          return (
            <a key={session} href={hrefOf("chat", session)} class={toClass("graph-node", session)} {...hold(session)}>
              <title>{name}</title>
              <rect class="graph-focus" x="2" y={at - 13} width={COLUMNS_PX.work + 8} height="26" rx="6" />
              <text x={COLUMNS_PX.work - 12} y={at} text-anchor="end" dominant-baseline="central">
                {clip(name, 42)}
              </text>
              <rect class="graph-work" x={COLUMNS_PX.work - 5} y={at - 5} width="10" height="10" rx="2" />
            </a>
          );
        })}
        {layout.skills.map(({ name, y: at }) => {
          const { state, turns } = skills.get(name)!;
          return (
            <a key={name} href={hrefOf("skills", name)} class={toClass("graph-node", name)} {...hold(name)}>
              <title>{`${name}, ${state}, loaded in ${countOf(turns, "turn")}`}</title>
              <rect
                class="graph-focus"
                x={COLUMNS_PX.skill - 10}
                y={at - 13}
                width={layout.arcX - COLUMNS_PX.skill + 6}
                height="26"
                rx="6"
              />
              <circle class={`graph-skill tone-${describeState(state).tone}`} cx={COLUMNS_PX.skill} cy={at} r="6" />
              <text x={COLUMNS_PX.skill + 14} y={at} dominant-baseline="central">
                {clip(name, NAME_CHARS)}
              </text>
            </a>
          );
        })}
      </svg>
    </div>
  );
}

/** The node and all that it is connected with; `null`: all are shown alike. */
function litBy(graph: GraphData, active: string | null): Set<string> | null {
  if (active === null) return null;
  const lit = new Set([active]);
  for (const { session, skill } of graph.from) {
    if (session === active) lit.add(skill);
    if (skill === active) lit.add(session);
  }
  for (const { a, b } of graph.together) {
    if (a === active) lit.add(b);
    if (b === active) lit.add(a);
  }
  return lit;
}

/** A deleted conversation has neither a kind nor a title. */
function nameOfWork(work: GraphData["work"][number] | undefined): string {
  return work?.kind ?? (work?.title || "A deleted conversation");
}

function clip(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars - 1).toWellFormed()}…` : text;
}

function AsList({ graph }: { graph: GraphData }) {
  const work = new Map(graph.work.map((one) => [one.session, one]));
  return (
    <Section title="The same as a list">
      <details open={innerWidth < NARROW_PX}>
        <summary>{countOf(graph.skills.length, "skill")}</summary>
        <ul class="items more-below" aria-label="Skills, their work, and what they were used with">
          {graph.skills.map(({ name, state, turns, description }) => {
            const { sessions, together } = neighboursOf(graph, name);
            return (
              <li key={name}>
                <p class="journey-head">
                  <a class="journey-name" href={hrefOf("skills", name)}>
                    {name}
                  </a>
                  <Badge tone={describeState(state).tone}>{describeState(state).name}</Badge>
                  <span class="muted small">loaded in {countOf(turns, "turn")}</span>
                </p>
                <p class="muted" dir="auto">
                  {description}
                </p>
                {sessions.length > 0 && (
                  <p class="item-facts">
                    <span>Came from</span>
                    {sessions.map((session) => (
                      <a key={session} dir="auto" href={hrefOf("chat", session)}>
                        {nameOfWork(work.get(session))}
                      </a>
                    ))}
                  </p>
                )}
                {together.length > 0 && (
                  <p class="item-facts">
                    <span>Used together with</span>
                    {together.map((other) => (
                      <a key={other.name} href={hrefOf("skills", other.name)}>
                        {other.name} ({countOf(other.turns, "turn")})
                      </a>
                    ))}
                  </p>
                )}
              </li>
            );
          })}
        </ul>
      </details>
    </Section>
  );
}
