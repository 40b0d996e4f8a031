// What the page says of a skill: the names of its states and origins, and who made a revision. Pure.
import type { StateWord } from "../components/badge.tsx";
import type { Answer } from "../data/api.ts";

export type Line = Answer<"GET /v1/skills">["skills"][number];
export type Detail = Answer<"GET /v1/skills/{name}">;
export type Head = NonNullable<Detail["head"]>;
export type Revision = Answer<"GET /v1/skills/{name}/revisions">["revisions"][number];
export type ShownState = Line["state"] | "withdrawn";
type Origin = Line["origin"];

/** In the order in which the index shows them. `title`: above a group of skills. */
export const STATES: ({ state: ShownState; title: string } & StateWord)[] = [
  { state: "pending", name: "Waiting", tone: "warn", title: "Waiting for you" },
  { state: "trial", name: "On trial", tone: "accent", title: "On trial: used, and watched" },
  { state: "active", name: "Active", tone: "good", title: "Active" },
  { state: "stale", name: "Stale", tone: "warn", title: "Stale: long unused, offered last" },
  { state: "withdrawn", name: "Withdrawn", tone: "bad", title: "Withdrawn: archived because they did harm" },
  { state: "archived", name: "Archived", tone: "plain", title: "Archived: hidden from the agent" },
];

/** A skill that a verdict has archived is withdrawn. */
export function shownState({ state, withdrew }: Pick<Line, "state" | "withdrew">): ShownState {
  return state === "archived" && withdrew === true ? "withdrawn" : state;
}

export function describeState(state: ShownState): (typeof STATES)[number] {
  return STATES.find((one) => one.state === state)!;
}

export const ORIGINS: Record<Origin, string> = {
  user: "Yours",
  foreground: "By the agent",
  review: "Learned",
  curator: "By the curator",
  bundled: "Bundled",
  hub: "Imported",
};

export function stateOfHead({ state, text, withdrawn = [] }: Pick<Head, "state" | "text" | "withdrawn">): ShownState {
  return state === "archived" && withdrawn.includes(text) ? "withdrawn" : state;
}

export interface Maker {
  by: "person" | "agent" | "review" | "curator" | "evidence" | "experiment" | null;
  session?: string;
  turn?: number;
  review?: string;
  run?: string;
}

const TURN = /^([0-9A-HJKMNP-TV-Z]{26})-([1-9]\d*)(?![\d-])/;
const REVIEW = /^(([0-9A-HJKMNP-TV-Z]{26})\.\d+-\d+)\.[^.]*$/;
const RUN = /^curation:(?:[0-9a-z]{26}:)?(\d{8}T\d{6}Z-[0-9a-z]{4})/;

/** Reads who made a revision from its operation, and what it belongs to. */
export function makerOf(op: string): Maker {
  if (/^(?:api|import):/.test(op)) return { by: "person" };
  if (op.startsWith("experiment:")) return { by: "experiment" };
  if (op.startsWith("verdict:")) return { by: "evidence", ...turnOf(op.slice("verdict:".length)) };
  if (op.startsWith("curation:")) {
    const run = RUN.exec(op)?.[1];
    return { by: "curator", ...(run !== undefined && { run }) };
  }
  const [, review, session] = REVIEW.exec(op) ?? [];
  if (review !== undefined && session !== undefined) return { by: "review", review, session };
  const turn = turnOf(op);
  return turn ? { by: "agent", ...turn } : { by: null };
}

function turnOf(text: string): { session: string; turn: number } | undefined {
  const [, session, turn] = TURN.exec(text) ?? [];
  return session === undefined ? undefined : { session, turn: Number(turn) };
}

export const MAKERS: Record<NonNullable<Maker["by"]>, string> = {
  person: "A person",
  agent: "The agent, during its work",
  review: "A review",
  curator: "The curator",
  evidence: "A verdict on its uses",
  experiment: "An experiment with earlier turns",
};

/** Who made a revision, where its operation says nothing. */
export function makerFromOrigin(origin: Origin): string {
  const names: Record<Origin, string> = {
    user: MAKERS.person,
    foreground: MAKERS.agent,
    review: MAKERS.review,
    curator: MAKERS.curator,
    bundled: "Talaria",
    hub: "A person, by import",
  };
  return names[origin];
}

/** `<session>/<entry>#<source>` in its parts. */
export function readCitation(citation: string): { session: string; entry: number; source: string } {
  const [place = "", source = ""] = citation.split("#");
  const [session = "", entry = "0"] = place.split("/");
  return { session, entry: Number(entry), source };
}

/** Whose words a cited part has. `tool`: of which tool's call it is a part. */
export function describeSource(source: string, tool: string | null): string {
  switch (source) {
    case "principal":
      return tool === null ? "You said" : `You said, as ${tool} found it`;
    case "outcome":
      return tool === null ? "What happened" : `How ${tool} ended`;
    case "own":
      return tool === null ? "The agent wrote" : `What the agent gave to ${tool}`;
    case "content":
      return tool === null ? "What was read" : `What ${tool} read`;
    default:
      return source;
  }
}
